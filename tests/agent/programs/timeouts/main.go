// How often a client may try before its caller has lost patience.
package main

import (
	"fmt"
	"strings"
	"time"
)

const settings = "patience 30\npause 2\n"

type client struct {
	patience time.Duration
	pause    time.Duration
}

func number(text, name string) int64 {
	var value int64
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, name+" ") {
			fmt.Sscan(line[len(name)+1:], &value)
		}
	}
	return value
}

func load(text string) client {
	return client{
		patience: time.Duration(number(text, "patience")) * time.Second,
		pause:    time.Duration(number(text, "pause")) * time.Millisecond,
	}
}

func (c client) attempts() int {
	return int(c.patience / c.pause)
}

func main() {
	fmt.Println("attempts:", load(settings).attempts())
}
