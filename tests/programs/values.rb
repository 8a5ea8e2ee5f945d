# One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests.
require 'set'

Point = Struct.new(:x, :y)

class Node
  def initialize(name, kids)
    @name = name
    @kids = kids
  end
end

def main
  count = 42
  pi = 3.5
  yes = true
  none = nil
  text = 'röot'
  name = :tag
  list = [3, 1, 2]
  many = (0...100).to_a
  table = { 'a' => [1, 2, 3], b: 1 }
  unique = Set.new([5])
  point = Point.new(1, 2)
  root = Node.new('root', [])
  span = 1..4
  pattern = /a+/
  third = Rational(1, 3)
  failure = ArgumentError.new('bad')
  block = ->(x) { x + count }
  puts count # MARK: values
  [pi, yes, none, text, name, list, many, table, unique, point, root, span, pattern, third, failure, block]
end

main
