# A warehouse, for debuggers: methods, a loop, nested data, exceptions, threads, a counter, a child.
#
# usage: prog.rb [stock | caught | uncaught | exit CODE | read | print N | count FILE | threads | child | exec]

Address = Struct.new(:street, :city)
Item = Struct.new(:name, :price, :quantity, :from)

def price_of(item)
  price = item.price * item.quantity # MARK: price
  price # MARK: price-return
end

def total_of(items)
  total = 0
  items.each do |item|
    cost = price_of(item) # MARK: loop-call
    total += cost # MARK: loop
  end
  total # MARK: total
end

def stock
  from = Address.new("Hauptstraße 1", "Köln")
  items = [Item.new("bolt", 2, 10, from), Item.new("nut", 1, 25, from), Item.new("gear", 40, 3, from)]
  nested = { a: { b: { c: [1, [2, 3], { d: nil }] } }, empty: {} }
  numbers = (0...100_000).to_a
  total = total_of(items) # MARK: call
  puts "total #{total}" # MARK: print
  [total, nested, numbers] # MARK: stock-return
end

def caught
  raise "missing" # MARK: raise-caught
rescue RuntimeError => e
  puts "caught #{e.message}" # MARK: caught
end

def uncaught
  shelf = ["bolt"]
  raise "no such shelf: #{shelf.size}" # MARK: raise-uncaught
end

def read
  $stdin.each_line do |line|
    puts "read #{line}" # MARK: read
  end
end

# Counts in a file until it is ended: for pause, and to see that it runs on.
def count(path)
  number = 0
  loop do
    number += 1 # MARK: count
    File.write(path, number.to_s)
    sleep 0.01
  end
end

def threads
  workers = 2.times.map do |n|
    Thread.new do
      Thread.current.name = "worker-#{n}"
      3.times do |step|
        puts "worker-#{n} step #{step}" # MARK: worker
      end
    end
  end
  workers.each(&:join) # MARK: join
end

$stdout.sync = true
mode, argument = ARGV # MARK: main
case mode || "stock"
when "stock" then stock
when "caught" then caught
when "uncaught" then uncaught
when "exit" then exit(argument.to_i)
when "read" then read
when "print" then argument.to_i.times { |n| puts "line #{n}" }
when "count" then count(argument)
when "threads" then threads
when "child" then system("ruby", __FILE__, "stock")
when "exec" then exec("ruby", __FILE__, "stock")
else exit 2
end
