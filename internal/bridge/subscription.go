package bridge

import (
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// filter is what a subscriptions/listen of a client is honoured for.
type filter struct {
	methods []string // notifications about lists
	uris    []string
}

// listen takes a subscription: it stays in the table until its client leaves.
func (d *downward) listen(c *call, in *transport.Inbound) {
	wanted, _ := codec.Find(in.Params, "notifications")
	f := &filter{}
	honoured := codec.Value{'{'}
	var added []string
	d.mu.Lock()
	if d.l.running(codec.Value(c.back)) != c { // its client has left just now, and has been seen off
		d.mu.Unlock()
		return
	}
	for _, list := range lists {
		if says(wanted, list.filter) && says(d.server, list.capability, "listChanged") {
			f.methods = append(f.methods, list.method)
			honoured = appendMember(honoured, codec.Value(`"`+list.filter+`"`), codec.Value("true"))
		}
	}
	if uris, _ := codec.Find(wanted, "resourceSubscriptions"); says(d.server, "resources", "subscribe") && uris.Kind() == codec.Array {
		list := codec.Value{'['}
		for v := range uris.Elements() {
			uri, ok := v.Text()
			if !ok || slices.Contains(f.uris, string(uri)) {
				continue
			}
			if !d.subscribedLocked(string(uri)) {
				added = append(added, string(uri))
			}
			f.uris = append(f.uris, string(uri))
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, v...)
		}
		honoured = appendMember(honoured, codec.Value(`"resourceSubscriptions"`), append(list, ']'))
	}
	d.listens[c] = f
	d.mu.Unlock()
	for _, uri := range added {
		d.own(protocol.MethodResourcesSubscribe, append(appendText(codec.Value{'{'}, "uri", uri), '}'))
	}
	ack := appendMember(codec.Value{'{'}, codec.Value(`"_meta"`), subscriptionMeta(c))
	ack = append(appendMember(ack, codec.Value(`"notifications"`), append(honoured, '}')), '}')
	m := transport.Inbound{Message: codec.Message{Kind: codec.Notification, Method: []byte(protocol.NotificationSubscriptionsAcknowledged), Params: ack}}
	d.l.send(c, &m) // SU-03
}

// subscriptionMeta is the _meta of what a subscription brings (SU-05).
func subscriptionMeta(c *call) codec.Value {
	return append(appendMember(codec.Value{'{'}, codec.Value(`"`+protocol.MetaSubscriptionID+`"`), codec.Value(c.front)), '}')
}

// subscribedLocked reports whether some subscription has the resource. d.mu is
// held.
func (d *downward) subscribedLocked(uri string) bool {
	for _, f := range d.listens {
		if slices.Contains(f.uris, uri) {
			return true
		}
	}
	return false
}

// unlisten ends a subscription whose client has left.
func (d *downward) unlisten(c *call) {
	var dropped []string
	d.mu.Lock()
	f := d.listens[c]
	delete(d.listens, c)
	if f != nil {
		for _, uri := range f.uris {
			if !d.subscribedLocked(uri) {
				dropped = append(dropped, uri)
			}
		}
	}
	d.mu.Unlock()
	for _, uri := range dropped {
		d.own(protocol.MethodResourcesUnsubscribe, append(appendText(codec.Value{'{'}, "uri", uri), '}'))
	}
}

// spread sends a notification of the back to the subscriptions that want it, to
// each with its own id (SU-02, SU-08).
func (d *downward) spread(in *transport.Inbound) {
	uri, _ := in.Fact(codec.FactURI).Text()
	updated := string(in.Method) == protocol.NotificationResourcesUpdated
	d.mu.Lock()
	var to []*call
	for c, f := range d.listens {
		if slices.Contains(f.methods, string(in.Method)) || updated && slices.ContainsFunc(f.uris, func(s string) bool { return covers(s, string(uri)) }) {
			to = append(to, c)
		}
	}
	d.mu.Unlock()
	for _, c := range to {
		e := edit{meta: subscriptionMeta(c)}
		m := transport.Inbound{Message: codec.Message{
			Kind: codec.Notification, Method: slices.Clone(in.Method), Params: e.apply(in.Params),
		}}
		d.l.send(c, &m)
	}
}

// covers reports whether a subscription to a resource is one to uri too: an
// updated resource may be part of a subscribed one.
func covers(subscribed, uri string) bool {
	return uri == subscribed || len(uri) > len(subscribed) && uri[:len(subscribed)] == subscribed && (uri[len(subscribed)] == '/' || uri[len(subscribed)-1] == '/')
}
