// What the benchmarks debug: six frames over a loop, and a long list.
//
// usage: work-go [steps | list]
package main

import (
	"fmt"
	"os"
)

type node struct {
	name     string
	number   int
	children []int
}

func loop(start int, items []int) int {
	total := 0
	text := "hello world"
	ratio := float64(start) / 7
	one := node{"node", start, []int{start + 1, start + 2}}
	for turn := 0; turn < 4000; turn++ {
		total += turn // MARK: loop
		items[turn%len(items)] = total%1000 + one.number + int(ratio) + len(text)
	}
	return total
}

func third(start int) int {
	items := make([]int, 50)
	return loop(start, items)
}

func second(start int) int {
	extra := 2
	return third(start + extra)
}

func first(start int) int {
	depth := 1
	return second(start + depth)
}

func list() int {
	numbers := make([]int, 100000)
	for index := range numbers {
		numbers[index] = index
	}
	return numbers[99999] // MARK: list
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "list" {
		fmt.Println(list())
		return
	}
	fmt.Println("done", first(40))
}
