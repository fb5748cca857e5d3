package web

import (
	"fmt"
	"slices"

	"github.com/wirespool/wirespool/bench/work"
)

// Servers returns those of the SDKs.
func Servers() []work.Web {
	return []work.Web{{Impl: "go-sdk", New: gosdk}, {Impl: "mcp-go", New: mcpgo}}
}

// New returns the server of an implementation.
func New(impl string, o work.WebOptions) (*work.WebServer, error) {
	for _, s := range slices.Concat(work.WebServers(), Servers()) {
		if s.Impl == impl {
			return s.New(o), nil
		}
	}
	return nil, fmt.Errorf("web: no implementation %q", impl)
}
