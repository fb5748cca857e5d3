package work

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// FanoutGroups send one notification to many open event streams, on sockets of the
// loopback, and read each of them up to the end of the event.
func FanoutGroups(more []Web) (all []Group) {
	ours := WebServers()
	pick := func(impl string) Web { return ours[slices.IndexFunc(ours, func(w Web) bool { return w.Impl == impl })] }
	const limit = "limit-nethttp"
	rows := slices.Concat([]Web{pick("wirespool"), pick("wirespool-hijack")}, more, []Web{pick(limit)})
	for _, n := range []int{100, 1000} {
		for _, s := range webSizes {
			params, _ := bench.WebEvent(s.size)
			g := Group{
				Op: "Fanout", Shape: strconv.Itoa(n), Size: s.name, Messages: n, Bytes: n * len(params), Limit: limit,
				Found: heard(n, protocol.NotificationProgress, len(params)),
			}
			for _, w := range rows {
				g.Entries = append(g.Entries, (&fanout{web: w, streams: n, size: s.size}).entry())
			}
			all = append(all, g)
		}
	}
	return all
}

// webSizes are those of calls and notifications over HTTP.
var webSizes = []struct {
	name string
	size int
}{{"200B", 200}, {"4K", 4 << 10}}

// heard is what the streams of an entry have got.
func heard(streams int, method string, params int) string {
	return fmt.Sprintf("%d streams: %s, %d bytes of params", streams, method, params)
}

// fanout is a server with its streams.
type fanout struct {
	web           Web
	streams, size int

	server *WebServer
	at     *Listener
	conns  bench.WebStreams
	last   [][]byte // the message that each of them got: borrowed until it reads on
}

func (f *fanout) entry() Entry {
	return Entry{
		Impl: f.web.Impl, Open: f.open, Do: f.do, Close: f.close, Found: f.found,
		Bytes: func() int {
			sum := 0
			for _, m := range f.last {
				_, params, _ := readNotification(m)
				sum += params
			}
			return sum
		},
	}
}

func (f *fanout) open() (err error) {
	if err := roomFor(2 * f.streams); err != nil {
		return err
	}
	f.server = f.web.New(WebOptions{})
	if f.at, err = Listen(f.server); err != nil {
		return err
	}
	f.last = make([][]byte, f.streams)
	if f.conns, err = bench.OpenWebStreams(f.at.Addr, f.streams); err != nil {
		err = errors.Join(err, f.at.Close())
	}
	return err
}

func (f *fanout) do() (err error) {
	if err := f.server.Broadcast(1, f.size); err != nil {
		return err
	}
	for i, c := range f.conns {
		if f.last[i], err = c.Event(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fanout) close() error {
	f.conns.Close()
	return f.at.Close()
}

// found tells what all streams have got, if that is the same.
func (f *fanout) found() string {
	all := map[string]int{}
	for _, m := range f.last {
		method, params, err := readNotification(m)
		if err != nil {
			return err.Error()
		}
		all[heard(len(f.last), method, params)]++
	}
	if len(all) != 1 {
		return fmt.Sprint("not the same: ", all)
	}
	for what := range all {
		return what
	}
	return ""
}

// readNotification returns the method and the length of the params.
func readNotification(text []byte) (method string, params int, err error) {
	var m codec.Message
	if err := codec.Decode(text, &m); err != nil {
		return "", 0, err
	}
	return string(m.Method), len(m.Params), Judge(m.Kind == codec.Notification)
}
