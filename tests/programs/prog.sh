#!/usr/bin/env bash
# A warehouse, for debuggers: functions, a loop, arrays, a counter, a child.
#
# usage: prog.sh [stock | exit CODE | read | print N | count FILE | child]

price_of() {
  local price
  price=$(($1 * $2)) # MARK: price
  answer=$price # MARK: price-return
}

total_of() {
  local total=0 cost item
  for item in "2 10" "1 25" "40 3"; do
    price_of $item # MARK: loop-call
    cost=$answer
    total=$((total + cost)) # MARK: loop
  done
  answer=$total # MARK: total
}

stock() {
  local street="Hauptstraße 1" city="Köln"
  local -a numbers
  local i
  for ((i = 0; i < 300; i++)); do numbers[i]=$i; done
  total_of # MARK: call
  echo "total $answer" # MARK: print
  : "$street" "$city" # MARK: stock-return
}

read_lines() {
  local line
  while read -r line; do
    echo "read $line" # MARK: read
  done
}

# Counts in a file until it is ended: for pause, and to see that it runs on.
count() {
  local number=0
  while true; do
    number=$((number + 1)) # MARK: count
    echo -n "$number" >"$1"
    sleep 0.01
  done
}

mode=${1:-stock} # MARK: main
case $mode in
  stock) stock ;;
  exit) exit "$2" ;;
  read) read_lines ;;
  print) for ((n = 0; n < $2; n++)); do echo "line $n"; done ;;
  count) count "$2" ;;
  child) bash "$0" stock ;;
  exec) exec bash "$0" stock ;;
  *) exit 2 ;;
esac
