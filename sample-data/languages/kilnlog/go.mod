module example.com/kilnlog

go 1.23
