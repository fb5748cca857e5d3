package httpx

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/wirespool/wirespool/transport"
)

// SendError adds to the error of a request that was given to the network whether
// the server may have run it.
func SendError(err error) error {
	if refusal, ok := errors.AsType[transport.Refusal](err); ok && refusal.NotRun() {
		return err
	}
	if neverSent(err) {
		return Unsent(err)
	}
	return fmt.Errorf("%w: %w", err, transport.ErrOutcomeUnknown)
}

// Unsent marks the error of a request that never reached the server.
func Unsent(err error) error { return &unsentError{err} }

// unsentError is that of a request that the server knows nothing of.
type unsentError struct{ error }

func (e *unsentError) Unwrap() error             { return e.error }
func (e *unsentError) NotRun() bool              { return true }
func (e *unsentError) RetryAfter() time.Duration { return 0 }

// neverSent reports whether err is that of a connection which could not be
// opened: nobody, or nobody who could be trusted, was there to send to.
func neverSent(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		switch op.Op {
		case "dial", "proxyconnect":
			return true
		case "local error", "remote error": // of TLS
			return op.Err != nil && handshakeAlerts[op.Err.Error()]
		}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*tls.ECHRejectionError](err); ok {
		return true
	}
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return record.Conn != nil // so it is where the first record is none
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return timeout.Error() == "net/http: TLS handshake timeout" // of a type without a name
	}
	return false
}

// handshakeAlerts are the texts of the alerts that refuse a handshake. In TLS 1.3
// the client may have sent its request by then, but a server that refuses does not
// read it.
var handshakeAlerts = func() map[string]bool {
	texts := map[string]bool{}
	for _, alert := range []tls.AlertError{
		40,                         // handshake failure
		42, 43, 44, 45, 46, 48, 49, // what is wrong with a certificate
		70, 71, // version, insufficient security
		86,                 // inappropriate fallback
		109, 110, 112, 113, // extensions, name, certificate status
		115, 116, 120, 121, // identity, certificate required, application protocol, ECH
	} {
		texts[alert.Error()] = true
	}
	return texts
}()
