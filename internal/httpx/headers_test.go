package httpx_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/httpx"
)

const (
	json   = "application/json"
	events = "text/event-stream"
)

// acceptCases are Accept headers (F1 of the field: clients that list one type,
// wildcards, weights, or nothing).
var acceptCases = []struct {
	lines        string // separated by "|"; "-" is no header
	json, events bool
	both         bool
}{
	{"-", true, true, false},
	{"", true, true, false},
	{json + ", " + events, true, true, true},
	{events + "," + json, true, true, true},
	{json + "|" + events, true, true, true},
	{"APPLICATION/JSON,text/Event-Stream", true, true, true},
	{json, true, false, false},
	{events, false, true, false},
	{"*/*", true, true, false},
	{"application/*, text/*", true, true, false},
	{"text/event-stream;q=0, application/json", true, false, false},
	{"*/*;q=0.1, application/json;q=0", false, true, false},
	{"application/*;q=0, */*", false, true, false},
	{"application/json;q=0.001, text/event-stream;q=1.000", true, true, true},
	{"application/json; charset=utf-8; Q=0.5 , text/event-stream", true, true, true},
	{`application/json;x="a\";q=0,b"`, true, false, false},
	{`application/json;x="a;q=0"`, true, false, false},
	{"application/json;q=2", false, false, false},
	{"application/json;q=0.1234", false, false, false},
	{"application/json;q=", false, false, false},
	{"application/json;q=0.0, application/json", true, false, false},
	{"json, events", false, false, false},
	{"*/json", false, false, false},
	{"text/html, , ,", false, false, false},
	{"application/ json", false, false, false},
	{strings.Repeat("text/html,", 1000) + json, false, false, false},
}

func TestParseAccept(t *testing.T) {
	for _, c := range acceptCases {
		var lines []string
		if c.lines != "-" {
			lines = strings.Split(c.lines, "|")
		}
		got := httpx.ParseAccept(lines)
		require.Equal(t, httpx.Accept{JSON: c.json, EventStream: c.events, Both: c.both}, got, "%.80q", c.lines)
	}
}

var contentTypes = map[string]bool{
	json:                                   true,
	"Application/JSON":                     true,
	json + "; charset=utf-8":               true,
	json + `;charset="UTF-8"`:              true,
	json + ";charset=latin1":               false,
	json + ";charset=utf-8;charset=x":      false,
	"text/plain":                           false,
	"":                                     false,
	"application/json, text/plain":         false,
	"application/jsonp":                    false,
	json + ";":                             true,
	json + ";" + strings.Repeat(" ", 5000): false,
}

func TestContentType(t *testing.T) {
	for value, ok := range contentTypes {
		r := httpx.ContentType(http.Header{"Content-Type": {value}})
		require.Equal(t, ok, r == nil, "%.80q", value)
		if !ok {
			require.Equal(t, 415, r.Status)
		}
	}
	require.NotNil(t, httpx.ContentType(http.Header{}), "a missing type")
	require.NotNil(t, httpx.ContentType(http.Header{"Content-Type": {json, json}}), "two types")
	require.NotNil(t, httpx.ContentType(http.Header{"Content-Type": {json}, "Content-Encoding": {"gzip"}}))
	require.Nil(t, httpx.ContentType(http.Header{"Content-Type": {json}, "Content-Encoding": {"identity"}}))
}

// FuzzHeaders: no header makes the parsers panic, and what they accept names the
// type.
func FuzzHeaders(f *testing.F) {
	for _, c := range acceptCases {
		f.Add(c.lines)
	}
	for value := range contentTypes {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		a := httpx.ParseAccept([]string{value})
		lower := strings.ToLower(value)
		if a.Both && !(strings.Contains(lower, json) && strings.Contains(lower, events)) {
			t.Errorf("Accept %q names neither type", value)
		}
		if a != httpx.ParseAccept([]string{" " + value, ","}) && strings.Trim(value, " ,\t") != "" && len(value) < 4000 {
			t.Errorf("Accept %q means another thing when split over lines", value)
		}
		if httpx.ContentType(http.Header{"Content-Type": {value}}) == nil && !strings.HasPrefix(strings.TrimSpace(lower), json) {
			t.Errorf("Content-Type %q was taken for JSON", value)
		}
		g, _ := httpx.NewGuard(httpx.GuardOptions{})
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Origin"] = []string{value}
		if g.Check(r) == nil && !strings.Contains(lower, "localhost") && !strings.Contains(value, "127.0.0.1") && !strings.Contains(value, "[::1]") {
			t.Errorf("Origin %q was let in", value)
		}
	})
}

// TestGuard: SL-02, SH26-02, SC-01, SC-02.
func TestGuard(t *testing.T) {
	plain, err := httpx.NewGuard(httpx.GuardOptions{})
	require.NoError(t, err)
	listed, err := httpx.NewGuard(httpx.GuardOptions{Origins: []string{"https://App.example.com"}, Hosts: []string{"mcp.example.com"}})
	require.NoError(t, err)
	open, err := httpx.NewGuard(httpx.GuardOptions{Origins: []string{"*"}, Hosts: []string{"*"}})
	require.NoError(t, err)
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	public := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 8080}
	unix := &net.UnixAddr{Name: "/run/s", Net: "unix"}
	for _, c := range []struct {
		guard  *httpx.Guard
		addr   net.Addr
		host   string
		origin string // "-" is none, "|" separates lines
		ok     bool
	}{
		{plain, local, "127.0.0.1:8080", "-", true},
		{plain, local, "LOCALHOST", "-", true},
		{plain, local, "[::1]:8080", "-", true},
		{plain, local, "[::1]", "-", true},
		{plain, local, "evil.example.com", "-", false},
		{plain, local, "localhost.evil.com", "-", false},
		{plain, local, "127.0.0.1.evil.com:80", "-", false},
		{plain, local, "", "-", false},
		{plain, public, "anything", "-", true},
		{plain, unix, "anything", "-", true},
		{plain, nil, "anything", "-", true},
		{plain, local, "localhost", "http://localhost:5173", true},
		{plain, local, "localhost", "https://127.0.0.1", true},
		{plain, local, "localhost", "http://[::1]:3000", true},
		{plain, local, "localhost", "http://evil.example.com", false},
		{plain, public, "x", "http://evil.example.com", false},
		{plain, local, "localhost", "null", false},
		{plain, local, "localhost", "", false},
		{plain, local, "localhost", "http://localhost/", false},
		{plain, local, "localhost", "http://localhost@evil.com", false},
		{plain, local, "localhost", "http://localhost#", false},
		{plain, local, "localhost", "http://localhost|http://localhost", false},
		{plain, local, "localhost", "http://localhost.evil.com", false},
		{plain, local, "localhost", "localhost", false},
		{plain, local, "localhost", "http://localhost:" + strings.Repeat("1", 2000), false},
		{listed, public, "mcp.example.com", "https://app.example.com", true},
		{listed, public, "mcp.example.com:8443", "https://app.example.com:443", true},
		{listed, public, "mcp.example.com", "http://app.example.com", false},
		{listed, public, "mcp.example.com", "https://app.example.com:444", false},
		{listed, public, "other.example.com", "-", false},
		{listed, public, "localhost", "-", true},
		{open, local, "evil.example.com", "http://evil.example.com", true},
	} {
		r := httptest.NewRequest("POST", "/mcp", nil)
		if c.addr != nil {
			r = r.WithContext(contextWith(r, c.addr))
		}
		r.Host = c.host
		if c.origin != "-" {
			r.Header["Origin"] = strings.Split(c.origin, "|")
		}
		refusal := c.guard.Check(r)
		require.Equal(t, c.ok, refusal == nil, "%v", c)
		if refusal != nil {
			require.Equal(t, 403, refusal.Status)
		}
	}
	for _, bad := range []string{"app.example.com", "https://a/b", ""} {
		_, err := httpx.NewGuard(httpx.GuardOptions{Origins: []string{bad}})
		require.Error(t, err, bad)
	}
	_, err = httpx.NewGuard(httpx.GuardOptions{Hosts: []string{"a b"}})
	require.Error(t, err)
}
