// Crews of a day: the early ones, and the same with somebody more for the late shift.
package main

import (
	"fmt"
	"strings"
)

func early(names []string) []string {
	crew := make([]string, 0, 4)
	for _, name := range names {
		crew = append(crew, name)
	}
	return crew
}

func with(crew []string, name string) []string {
	return append(crew, name)
}

func plan(names []string) map[string][]string {
	base := early(names)
	late := with(base, "Maja")
	night := with(base, "Timo")
	return map[string][]string{"late": late, "night": night}
}

func main() {
	shifts := plan([]string{"Ada", "Ben", "Cleo"})
	fmt.Println("late:", strings.Join(shifts["late"], " "))
}
