package eventlog

// A stream is in two lists at once: that of its scope, and once it is finished
// that of the finished.
const (
	ofScope = iota
	ofFinished
	lists
)

// list is a doubly linked list of streams through their links of one kind. To
// push and to remove take constant time and no memory.
type list struct{ head, tail *stream }

type links struct{ prev, next *stream }

func (l *list) push(s *stream, kind int) {
	s.links[kind] = links{prev: l.tail}
	if l.tail == nil {
		l.head = s
	} else {
		l.tail.links[kind].next = s
	}
	l.tail = s
}

// remove takes s out of l, in which it must be.
func (l *list) remove(s *stream, kind int) {
	at := s.links[kind]
	if at.prev == nil {
		l.head = at.next
	} else {
		at.prev.links[kind].next = at.next
	}
	if at.next == nil {
		l.tail = at.prev
	} else {
		at.next.links[kind].prev = at.prev
	}
	s.links[kind] = links{}
}
