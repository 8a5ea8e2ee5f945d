# Values to look at as data.
grid = [[1, 2], [], [3]]
puts grid.size # MARK: stop
