package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
)

// Hop is a part of the way between a client and a server.
type Hop string

// The hops.
const (
	HopFront  Hop = "front"  // the client, or the way to it
	HopBridge Hop = "bridge" // the bridge itself: a limit, or its end
	HopChild  Hop = "child"  // the process at the back
	HopPipe   Hop = "pipe"   // the byte stream to the back
	HopHTTP   Hop = "http"   // the HTTP requests to the back
	HopRemote Hop = "remote" // the server at the back has answered, with an error
)

// Error says on which hop something failed.
type Error struct {
	Hop Hop
	Err error
}

// Error names the hop first.
func (e *Error) Error() string { return string(e.Hop) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failure finds the hop of an error that came from the back; over is what the
// way to it consists of.
func failure(err error, over Hop) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	hop := over
	switch {
	case isType[*stdio.ExitError](err):
		hop = HopChild
	case isType[*streamhttp.StatusError](err):
		hop = HopHTTP
	case isType[*codec.Error](err):
		hop = HopRemote
	case over == HopChild && (err == io.EOF || errors.Is(err, net.ErrClosed)):
		hop = HopPipe
	}
	if err == io.EOF {
		err = errors.New("the connection ended")
	}
	return &Error{hop, err}
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Keys of the data of an error that the bridge answers with.
const (
	dataPrefix = "io.github.wirespool/"
	dataHop    = dataPrefix + "hop"
	dataExit   = dataPrefix + "exitStatus"
	dataStderr = dataPrefix + "stderr"
	dataStatus = dataPrefix + "httpStatus"
)

// wire is the error as the client gets it. An error of the server's own goes
// through as it is.
func (e *Error) wire() *codec.Error {
	if rpc, ok := errors.AsType[*codec.Error](e.Err); ok && rpc.Remote {
		return rpc
	}
	data := codec.AppendString(append(codec.Value(nil), `{"`+dataHop+`":`...), e.Hop)
	if exit, ok := errors.AsType[*stdio.ExitError](e.Err); ok {
		if exit.State != nil {
			data = fmt.Appendf(data, `,"`+dataExit+`":%d`, exit.State.ExitCode())
		}
		if exit.Stderr != "" {
			data = codec.AppendString(append(data, `,"`+dataStderr+`":`...), exit.Stderr)
		}
	}
	if status, ok := errors.AsType[*streamhttp.StatusError](e.Err); ok {
		data = fmt.Appendf(data, `,"`+dataStatus+`":%d`, status.Status)
	}
	return &codec.Error{Code: protocol.CodeTimeout, Message: e.text(), Data: append(data, '}')}
}

// text is the message for the wire: one line.
func (e *Error) text() string { return strings.ReplaceAll(e.Error(), "\n", "; ") }

// refusef makes an error of the bridge's own.
func refusef(code int64, format string, args ...any) *codec.Error {
	return &codec.Error{Code: code, Message: string(HopBridge) + ": " + fmt.Sprintf(format, args...)}
}

// ended is why nothing passes any more.
func ended(ctx context.Context) *Error {
	return failure(context.Cause(ctx), HopBridge)
}
