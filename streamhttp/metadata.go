package streamhttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/wirespool/wirespool/internal/httpx"
)

// wellKnown is where the metadata of a resource is found.
const wellKnown = "/.well-known/oauth-protected-resource"

// ResourceMetadata says which authorization servers issue tokens for an endpoint
// (RFC 9728; SC-06, SC-07).
type ResourceMetadata struct {
	// Resource is the URL of the MCP endpoint as clients know it.
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers, at least one.
	AuthorizationServers []string `json:"authorization_servers"`
	// Scopes are what a token may be for; optional.
	Scopes []string `json:"scopes_supported,omitempty"`
	// Name is for display; optional.
	Name string `json:"resource_name,omitempty"`
}

// URL is where clients look for the document: the well-known path in front of the
// path of the resource.
func (m *ResourceMetadata) URL() string {
	u, err := url.Parse(m.Resource)
	if err != nil {
		return ""
	}
	u.Path = wellKnown + strings.TrimSuffix(u.Path, "/")
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	return u.String()
}

// challenge is the WWW-Authenticate of a 401.
func (m *ResourceMetadata) challenge() string {
	header := fmt.Sprintf("Bearer resource_metadata=%q", m.URL())
	if len(m.Scopes) > 0 {
		header += fmt.Sprintf(", scope=%q", strings.Join(m.Scopes, " "))
	}
	return header
}

// Handler serves the document to everybody, browsers too. Register it under the
// path of URL, and under [ResourceMetadata.RootPath] where nothing else is.
func (m *ResourceMetadata) Handler() (http.Handler, error) {
	if u, err := url.Parse(m.Resource); err != nil || u.Scheme == "" || u.Host == "" || u.Fragment != "" {
		return nil, fmt.Errorf("streamhttp: resource %q is not the URL of an endpoint", m.Resource)
	}
	if len(m.AuthorizationServers) == 0 {
		return nil, fmt.Errorf("streamhttp: the metadata of %s name no authorization server", m.Resource)
	}
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			httpx.NotAllowed("GET, HEAD").Write(w, false)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_ = httpx.WriteJSON(w, http.StatusOK, body) // who has left is not told
	}), nil
}

// RootPath is the well-known path for clients that do not look for the one of the
// resource.
func (m *ResourceMetadata) RootPath() string { return wellKnown }

// Health returns a handler for those who ask whether the process may be sent
// requests: 200 while it may, 503 when it drains. It never touches the endpoint
// itself, where a probe would cost a session or a stream.
func (h *Handler) Health() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if h.Draining() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
}
