// Empty: it lets readbatch.go declare a function without a body.
