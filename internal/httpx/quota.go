package httpx

import (
	"net"
	"net/http"
	"sync"
)

// Quota counts what is held for somebody, in all and for each holder: sessions,
// or streams. The zero Quota refuses everything.
type Quota struct {
	Max int // in all
	Per int // for one holder

	mu   sync.Mutex
	all  int
	each map[string]int
}

// Take takes one for the holder, false when that would be one too many.
func (q *Quota) Take(holder string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all >= q.Max || q.each[holder] >= q.Per {
		return false
	}
	if q.each == nil {
		q.each = make(map[string]int)
	}
	q.all++
	q.each[holder]++
	return true
}

// Give gives one back.
func (q *Quota) Give(holder string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if q.each[holder]--; q.each[holder] == 0 {
		delete(q.each, holder)
	}
}

// Len returns how many are held in all.
func (q *Quota) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.all
}

// Holder is whom something is counted for: the principal, or the address of who
// has none.
func Holder(r *http.Request, who string) string {
	if who != "" {
		return "p " + who
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return "a " + host
}
