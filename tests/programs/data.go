// Values to look at as data.
package main

import "fmt"

type Order struct {
	Id       int
	Customer string
	Price    float64
}

func main() {
	orders := []Order{}
	for i := 0; i < 120; i++ {
		orders = append(orders, Order{i, fmt.Sprint("cust", i), float64(i) * 1.5})
	}
	counts := map[string]int{"a": 1, "b": 2}
	line := []float64{1, 4, 2.5}
	chosen := []*Order{&orders[1], &orders[2]}
	mixed := []any{orders[1], 5, "x"}
	names := map[int]string{700: "a", -5: "b"}
	grid := [][]int{{1, 2}, {}, {3}}
	fmt.Println(len(orders), len(counts), len(line), len(chosen), len(mixed), len(names), len(grid)) // MARK: stop
}
