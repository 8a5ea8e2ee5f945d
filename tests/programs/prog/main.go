// A warehouse, for debuggers: functions, a loop, nested data, a panic, goroutines, a counter.
//
// usage: prog-go [stock | caught | uncaught | exit CODE | read | print N | count FILE | threads | child | exec]
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

type Address struct {
	Street, City string
}

type Item struct {
	Name            string
	Price, Quantity int
	From            *Address
}

func priceOf(item Item) int {
	price := item.Price * item.Quantity // MARK: price
	return price                        // MARK: price-return
}

func totalOf(items []Item) int {
	total := 0
	for _, item := range items {
		cost := priceOf(item) // MARK: loop-call
		total += cost         // MARK: loop
	}
	return total // MARK: total
}

func stock() {
	from := &Address{"Main Street 1", "Köln"}
	items := []Item{{"bolt", 2, 10, from}, {"nut", 1, 25, from}, {"gear", 40, 3, from}}
	nested := map[string]map[string][]int{"a": {"b": {1, 2, 3}}}
	numbers := make([]int, 100000)
	for i := range numbers {
		numbers[i] = i
	}
	total := totalOf(items)         // MARK: call
	fmt.Printf("total %d\n", total) // MARK: print
	_, _ = nested, numbers          // MARK: stock-return
}

func caught() {
	defer func() {
		fmt.Printf("caught %v\n", recover()) // MARK: caught
	}()
	panic("missing") // MARK: raise-caught
}

func uncaught() {
	shelves := []string{"bolt"}
	panic(fmt.Sprintf("no such shelf: %d", len(shelves))) // MARK: raise-uncaught
}

func read() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Printf("read %s\n", lines.Text()) // MARK: read
	}
}

// Counts in a file until it is ended: for attach and pause, and to see that it runs on.
func count(path string) {
	for number := 1; ; number++ {
		if err := os.WriteFile(path, []byte(strconv.Itoa(number)), 0o600); err != nil { // MARK: count
			os.Exit(1)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func threads() {
	var group sync.WaitGroup
	for worker := 0; worker < 2; worker++ {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for step := 0; step < 3; step++ {
				fmt.Printf("worker-%d step %d\n", worker, step) // MARK: worker
			}
		}(worker)
	}
	group.Wait() // MARK: join
}

func main() {
	mode, argument := "stock", "" // MARK: main
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	if len(os.Args) > 2 {
		argument = os.Args[2]
	}
	number, _ := strconv.Atoi(argument)
	switch mode {
	case "stock":
		stock()
	case "caught":
		caught()
	case "uncaught":
		uncaught()
	case "exit":
		os.Exit(number)
	case "read":
		read()
	case "print":
		for line := 0; line < number; line++ {
			fmt.Printf("line %d\n", line)
		}
	case "count":
		count(argument)
	case "threads":
		threads()
	case "child":
		child := exec.Command("/proc/self/exe", "stock")
		child.Stdout = os.Stdout
		_ = child.Run()
		fmt.Printf("child exited %d\n", child.ProcessState.ExitCode())
	case "exec":
		_ = syscall.Exec("/proc/self/exe", []string{os.Args[0], "stock"}, os.Environ())
		os.Exit(1)
	default:
		os.Exit(2)
	}
}
