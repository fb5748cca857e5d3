package limits

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// EventStream is Handler for an event stream (limit-nethttp): it is flushed, as one has
// to be that goes on.
func EventStream(stream []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(stream) // who has left is not told
		w.(http.Flusher).Flush()
	})
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Tuned is Handler, or EventStream, with what can be saved around net/http without
// leaving it (limit-nethttp-tuned): bodies are read into pooled memory, an answer
// has its length and no flush, and values of headers are shared.
func Tuned(contentType string, answer []byte) http.Handler {
	kind, length := []string{contentType}, []string{strconv.Itoa(len(answer))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := bodies.Get().(*bytes.Buffer)
		b.Reset()
		_, err := b.ReadFrom(r.Body)
		bodies.Put(b)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h := w.Header()
		h["Content-Type"], h["Content-Length"] = kind, length
		_, _ = w.Write(answer) // who has left is not told
	})
}

// Broadcaster is a handler that answers a GET with an event stream, and writes
// each event to all of them, one after the other, from the goroutine that
// broadcasts (limit-nethttp): the least that net/http needs for it. A stream that
// does not read holds up the others.
type Broadcaster struct {
	mu      sync.Mutex
	streams map[http.ResponseWriter]*http.ResponseController
}

// ServeHTTP serves a stream until its client leaves.
func (b *Broadcaster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	c := http.NewResponseController(w)
	b.mu.Lock()
	if b.streams == nil {
		b.streams = make(map[http.ResponseWriter]*http.ResponseController)
	}
	b.streams[w] = c
	_ = c.Flush() // whoever sees the headers will get what is sent next
	b.mu.Unlock()
	<-r.Context().Done()
	b.mu.Lock()
	delete(b.streams, w)
	b.mu.Unlock()
}

// Send writes an event in wire form to every stream. It returns the first error.
func (b *Broadcaster) Send(event []byte) (first error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w, c := range b.streams {
		_, err := w.Write(event)
		if err == nil {
			err = c.Flush()
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}
