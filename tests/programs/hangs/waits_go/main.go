// Merely waits: for a byte from a pipe, with a mutex that another one wants, and a channel that will be sent to.
package main

import (
	"fmt"
	"os"
	"sync"
)

var lock sync.Mutex

func main() {
	results := make(chan byte)
	locked := make(chan bool)
	go reader(results, locked)
	<-locked
	go behind(results)
	fmt.Println(<-results)
}

func reader(results chan byte, locked chan bool) {
	lock.Lock()
	defer lock.Unlock()
	close(locked)
	buffer := make([]byte, 1)
	os.Stdin.Read(buffer)
	results <- buffer[0]
}

func behind(results chan byte) {
	lock.Lock()
	defer lock.Unlock()
	results <- 0
}
