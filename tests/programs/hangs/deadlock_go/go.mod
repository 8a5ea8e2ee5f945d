module example.com/deadlock_go

go 1.19
