package mcpgo

import (
	"errors"
	"fmt"
	"net"
	"net/http"

	sdk "github.com/mark3labs/mcp-go/client/transport"

	"github.com/wirespool/wirespool/streamhttp"
)

// sdkError puts the errors that mcp-go's callers look for into the tree of err.
func sdkError(err error) error {
	if lost := errors.Is(err, streamhttp.ErrSessionLost); lost {
		return fmt.Errorf("%w: %w", sdk.ErrSessionTerminated, err)
	}
	if status, ok := errors.AsType[*streamhttp.StatusError](err); ok {
		switch status.Status {
		case http.StatusUnauthorized:
			return fmt.Errorf("%w: %w", sdk.ErrUnauthorized, err)
		case http.StatusNotFound:
			return fmt.Errorf("%w: %w", sdk.ErrSessionTerminated, err)
		}
		return err
	}
	if errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("%w: %w", sdk.ErrTransportClosed, err)
	}
	return err
}
