// One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests.
package main

import (
	"errors"
	"fmt"
	"time"
)

type Level int

const (
	Low Level = iota
	High
)

type Node struct {
	Name string
	Kids []Node
	Up   *Node
}

type Shape interface{ Area() float64 }
type Circle struct{ R float64 }

func (c Circle) Area() float64 { return c.R }

func main() {
	count := 42
	small := int8(-7)
	pi := 3.5
	yes := true
	letter := 'x'
	text := "röot 🎉"
	list := []int{3, 1, 2}
	var none []int
	array := [3]uint8{1, 2, 3}
	words := []string{"one", "two"}
	table := map[string][]int{"a": {1, 2, 3}}
	set := map[int]struct{}{5: {}}
	var missing map[string]int
	root := Node{Name: "root", Kids: []Node{{Name: "leaf"}}}
	pointer := &root
	var null *Node
	level := High
	var shape Shape = Circle{3.5}
	var anything any = 7
	failure := errors.New("bad")
	var fine error
	pause := 1500 * time.Millisecond
	day := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	bytes := []byte("hi")
	channel := make(chan int, 2)
	channel <- 1
	function := func(x int) int { return x + count }
	complexes := complex(1, 2)
	fmt.Println(function(1)) // MARK: values
	fmt.Println(small, pi, yes, letter, text, list, none, array, words, table, set, missing, root, pointer, null)
	fmt.Println(level, shape, anything, failure, fine, pause, day, bytes, len(channel), complexes)
}
