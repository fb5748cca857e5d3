package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// ErrSubscriptionCancelled is in the tree of the error of a [Subscription] that
// the server cancelled: an abrupt end, after which changes may have been missed.
var ErrSubscriptionCancelled = errors.New("dispatch: the server cancelled the subscription")

// Subscription is a client's wish to be told of changes, see [Client.Listen].
// Its methods are safe for concurrent use.
type Subscription struct {
	peer   *Peer
	filter interest // what the server will tell of; set before acked is closed
	route  route    // to the handler of the notifications; notify is nil if there is none
	legacy bool     // notifications are found by what they say, not by an id

	stop  context.CancelFunc
	acked chan struct{}
	done  chan struct{} // closed when err is set
	err   error
	told  bool // acked is closed; guarded by Peer.mu
}

// subscriptions are those of one peer. Guarded by Peer.mu, but for any.
type subscriptions struct {
	any    atomic.Bool // there are, or were
	byID   map[int64]*Subscription
	legacy []*Subscription
}

// Filter returns what the server will tell of, which may be less than was asked
// for (SU-03, SU-16). The lists are the subscription's: not to be changed.
func (s *Subscription) Filter() Filter { return s.filter.Filter }

// Done is closed when the subscription is over.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err returns why the subscription is over: nil while it is not, after Close, and
// when the server ended it in good order. After any other end changes may have
// been missed.
func (s *Subscription) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Close ends the subscription and returns when that was told to the server.
// Handlers may still run for what came before.
func (s *Subscription) Close() {
	s.stop()
	<-s.done
}

// Listen asks the server to tell of changes, and returns when it has agreed, and
// to what. on gets the notifications of this subscription, in order and like any
// [NotificationHandler]; if it is nil, those of the Mux do. In the legacy era,
// which has no such subscription, the lists that change are told of anyway, and
// Listen subscribes to the resources one by one; a notification that several
// subscriptions match goes to all of them.
//
// ctx bounds Listen alone, and so does the time limit of a call without
// progress; the subscription lasts until Close, its end by the server or that of
// the connection. A server that starts anew remembers nothing: whoever connects
// again has to ask again (SU-13).
func (c *Client) Listen(ctx context.Context, f Filter, on NotificationHandler) (*Subscription, error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Subscription{peer: c.peer, route: route{notify: on}, stop: stop, acked: make(chan struct{}), done: make(chan struct{})}
	c.peer.subscriptions.any.Store(true)
	if c.peer.Revision().Era() != protocol.Modern {
		if err := s.listenLegacy(ctx, life, f); err != nil {
			return nil, err
		}
		return s, nil
	}
	go s.call(life, f)
	limit := time.NewTimer(c.engine.limits.CallTimeout)
	defer limit.Stop()
	var err error
	select {
	case <-s.acked:
		return s, nil
	case <-s.done:
		select {
		case <-s.acked: // before it ended
			return s, nil
		default:
		}
		if err = s.err; err == nil {
			err = errors.New("it ended unacknowledged")
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-limit.C:
		err = fmt.Errorf("%w after its limit of %s without an acknowledgment", ErrTimeout, c.engine.limits.CallTimeout)
	}
	s.Close()
	return nil, fmt.Errorf("dispatch: %s: %w", protocol.MethodSubscriptionsListen, err)
}

// call keeps the subscription open for as long as life lasts.
func (s *Subscription) call(life context.Context, f Filter) {
	p := s.peer
	var id int64
	params := append(f.append([]byte(`{"notifications":`)), '}')
	res, err := p.Call(life, protocol.MethodSubscriptionsListen, params, func(o *callOptions) {
		o.begun = func(c *call) { // Peer.mu is held
			if p.subscriptions.byID == nil {
				p.subscriptions.byID = make(map[int64]*Subscription)
			}
			id = c.id
			p.subscriptions.byID[id] = s
		}
	})
	p.mu.Lock()
	delete(p.subscriptions.byID, id)
	p.mu.Unlock()
	switch {
	case err == nil:
		res.Release()
	case life.Err() == nil:
		s.err = err
	}
	close(s.done)
}

// listenLegacy is Listen in the legacy era.
func (s *Subscription) listenLegacy(ctx, life context.Context, f Filter) error {
	p := s.peer
	f = f.honoured(p.Remote().Capabilities)
	f.TaskIDs = nil
	s.legacy, s.filter = true, newInterest(f)
	p.mu.Lock()
	p.subscriptions.legacy = append(p.subscriptions.legacy, s)
	p.mu.Unlock()
	for i, uri := range f.Resources {
		if err := s.subscribe(ctx, protocol.MethodResourcesSubscribe, uri); err != nil {
			s.stop()
			go s.leave(f.Resources[:i]) // which ctx, that is for Listen alone, does not bound
			return fmt.Errorf("dispatch: %s %s: %w", protocol.MethodResourcesSubscribe, uri, err)
		}
	}
	go func() {
		select {
		case <-life.Done():
			s.leave(f.Resources)
		case <-p.ctx.Done():
			s.err = p.cause()
			s.leave(nil)
		}
		close(s.done)
	}()
	return nil
}

func (s *Subscription) subscribe(ctx context.Context, method, uri string) error {
	res, err := s.peer.Call(ctx, method, append(codec.AppendString([]byte(`{"uri":`), uri), '}'))
	if err == nil {
		res.Release()
	}
	return err
}

// leave takes the subscription out, and cancels these of its resources that no
// other one needs.
func (s *Subscription) leave(resources []string) {
	p := s.peer
	p.mu.Lock()
	p.subscriptions.legacy = slices.DeleteFunc(p.subscriptions.legacy, func(other *Subscription) bool { return other == s })
	others := slices.Clone(p.subscriptions.legacy)
	p.mu.Unlock()
	for _, uri := range resources {
		if !slices.ContainsFunc(others, func(other *Subscription) bool { return other.filter.resources[uri] }) {
			err := s.subscribe(p.ctx, protocol.MethodResourcesUnsubscribe, uri)
			if _, refused := errors.AsType[*codec.Error](err); err != nil && !refused {
				return // it does not answer; and it is told of nothing any more in any case
			}
		}
	}
}

// notificationRoute finds who gets a notification.
func (p *Peer) notificationRoute(in *transport.Inbound) *route {
	if p.subscriptions.any.Load() {
		if rt := p.subscribed(in); rt != nil {
			return rt
		}
	}
	return p.engine.mux.notification(in.Method)
}

// subscribed returns the route to the subscriptions that a notification is for.
func (p *Peer) subscribed(in *transport.Inbound) *route {
	id := in.Fact(codec.FactMetaSubscriptionID)
	p.mu.Lock()
	defer p.mu.Unlock()
	if id != nil {
		n, _ := id.Int64()
		if s := p.subscriptions.byID[n]; s != nil && s.route.notify != nil {
			return &s.route
		}
		return nil
	}
	if len(p.subscriptions.legacy) == 0 {
		return nil
	}
	about, ok := topicOf(string(in.Method), in.Params)
	if !ok {
		return nil
	}
	var handlers []NotificationHandler
	for _, s := range p.subscriptions.legacy {
		if s.route.notify != nil && s.filter.wants(about) {
			handlers = append(handlers, s.route.notify)
		}
	}
	if handlers == nil {
		return nil
	}
	return &route{notify: func(ctx context.Context, n *Notification) {
		for _, h := range handlers {
			h(ctx, n)
		}
	}}
}

// listenNews takes what is about a subscription itself: that the server has
// agreed, or that it has cancelled it (SU-12). It reports whether that is all
// there is to the notification.
func (p *Peer) listenNews(in *transport.Inbound) bool {
	if p.serving || !p.subscriptions.any.Load() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch string(in.Method) {
	case protocol.NotificationSubscriptionsAcknowledged:
		n, _ := in.Fact(codec.FactMetaSubscriptionID).Int64()
		s := p.subscriptions.byID[n]
		if s == nil || s.told {
			return false
		}
		f, _ := parseFilter(in.Params, p.engine.limits.MaxSubscribed)
		s.filter, s.told = newInterest(f), true
		close(s.acked)
	case protocol.NotificationCancelled:
		n, _ := in.Fact(codec.FactRequestID).Int64()
		c := p.pending[n]
		if c == nil || p.subscriptions.byID[n] == nil {
			return false
		}
		c.fail(ErrSubscriptionCancelled)
	default:
		return false
	}
	return true
}
