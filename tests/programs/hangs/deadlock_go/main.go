// One goroutine waits for a channel with a mutex locked, that who would send needs; a third keeps the runtime from noticing.
package main

import (
	"fmt"
	"sync"
	"time"
)

type account struct {
	mu    sync.Mutex
	total int
}

func main() {
	savings := &account{}
	items := make(chan int)
	locked := make(chan bool)
	go consumer(savings, items, locked)
	<-locked
	go producer(savings, items)
	for {
		time.Sleep(time.Hour)
		fmt.Println("an hour later")
	}
}

func consumer(savings *account, items chan int, locked chan bool) {
	savings.mu.Lock()
	defer savings.mu.Unlock()
	close(locked)
	savings.total += <-items
}

func producer(savings *account, items chan int) {
	savings.mu.Lock()
	total := savings.total
	savings.mu.Unlock()
	items <- total + 1
}
