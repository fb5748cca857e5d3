// Package host is a client on the engine, as a program that lets a model use
// tools would have it: it keeps the list of tools until the server says that it
// has changed, answers what the server asks of its user and its model, in
// whichever way the revision has it, and calls tools.
package host
