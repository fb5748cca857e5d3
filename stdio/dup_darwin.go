package stdio

import "syscall"

// dup2 makes to the same as from.
func dup2(from, to int) error { return syscall.Dup2(from, to) }
