// Package poll waits for a descriptor with poll(2). It exists for descriptors
// that may not be made non-blocking, because that flag is shared with the
// process they came from, and so cannot be given to the runtime's own poller.
package poll
