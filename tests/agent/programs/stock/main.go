// What is in stock, by shelf, after a day's deliveries.
package main

import "fmt"

type shelf struct {
	room  int
	items map[string]int
}

type store struct {
	shelves map[string]*shelf
}

func open(rooms map[string]int) *store {
	s := &store{shelves: map[string]*shelf{}}
	for name, room := range rooms {
		s.shelves[name] = &shelf{room: room}
		if room > 0 {
			s.shelves[name].items = map[string]int{}
		}
	}
	return s
}

func (s *store) put(name, item string, count int) {
	place := s.shelves[name]
	place.items[item] += count
}

func deliver(s *store) int {
	total := 0
	for number := 0; number < 300; number++ {
		name := fmt.Sprintf("shelf %d", number%7)
		s.put(name, fmt.Sprintf("item %d", number%11), 1+number%3)
		total++
	}
	return total
}

func main() {
	rooms := map[string]int{}
	for number := 0; number < 7; number++ {
		rooms[fmt.Sprintf("shelf %d", number)] = 40 - number*8
	}
	fmt.Println("delivered:", deliver(open(rooms)))
}
