// Package wiretrace writes down what passes between a client, wirespool and a
// server: one line of JSON for each message, and for each HTTP request or
// response without one.
package wiretrace
