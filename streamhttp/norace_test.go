//go:build !race

package streamhttp_test

const raceEnabled = false
