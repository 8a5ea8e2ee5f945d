module example.com/waits_go

go 1.19
