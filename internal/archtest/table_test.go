package archtest

import (
	"slices"
	"strings"
)

// module is the path of the root module; packages below are named relative to it.
const module = "github.com/wirespool/wirespool"

// everything, as an allowance, stands for every package of the module.
const everything = "all"

// leaves is what the word "internal" means in the table: helpers that import nothing of ours,
// so that any package may stand on them.
var leaves = []string{"internal/alloctest", "internal/buf", "internal/scan", "internal/poll", "internal/backoff", "internal/linger", "internal/memhttp"}

// table says which packages of ours a package may import. It is the package table of
// docs/architecture.md as data: change both together. A row may stand for a package that is
// planned and not there yet; a package without a row fails the test.
var table = []struct{ pkg, may string }{
	{"protocol", ""},
	{"codec", "protocol internal"},
	{"framing", "internal"},
	{"transport", "codec framing protocol internal"},
	{"dispatch", "codec transport protocol internal"},
	{"typed", "codec dispatch"},
	{"stdio", "codec framing transport internal"},
	{"sse/eventstream", "internal"},
	{"sse", "sse/eventstream transport codec protocol internal internal/httpx"},
	{"eventlog", ""},
	{"eventlog/logtest", "eventlog"},
	{"streamhttp", "transport codec protocol sse/eventstream sse eventlog internal internal/httpx internal/http1"},
	{"internal/alloctest", ""},
	{"internal/buf", ""},
	{"internal/scan", ""},
	{"internal/poll", ""},
	{"internal/linger", ""},
	{"internal/backoff", ""},
	{"internal/memhttp", ""},
	{"internal/archtest", ""},
	{"internal/browsertest", "eventlog sse/eventstream"},
	{"internal/proxytest", everything},
	{"internal/http1", "internal/buf"},
	{"internal/httpx", "sse/eventstream transport codec protocol internal/buf"},
	{"internal/bridge", everything},
}

// atTheTop are the folders whose packages use the whole module and are used by none of it.
var atTheTop = []string{"cmd", "bench", "fuzz", "examples"}

// inTests is what the test files of a package may import on top of its row.
var inTests = map[string]string{
	"dispatch":   "framing",               // to speak to it byte by byte
	"sse":        "dispatch",              // an engine at each end
	"stdio":      "dispatch bench/limits", // whole servers and clients, beside the floor
	"typed":      "transport protocol",    // a pipe between them, and names
	"streamhttp": "dispatch bench/limits", // whole servers, beside the floor
}

// direct maps each module that the root requires to the packages whose non-test files may import
// it ("" for none: tests only).
var direct = map[string]string{
	"github.com/bytedance/sonic":        "typed bench",
	"github.com/valyala/bytebufferpool": "internal/buf bench",
	"golang.org/x/net":                  "framing sse streamhttp internal/http1 internal/httpx cmd examples",
	"github.com/stretchr/testify":       "",
}

// rootEntries may stand in the root folder beside the packages of the table.
var rootEntries = []string{
	"go.mod", "go.sum", "README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "Makefile",
	".gitignore", ".ci", "docs", "adapter", "observe",
}

// allowed returns the packages that pkg may import, and whether the table knows pkg at all.
func allowed(pkg string, test bool) (may []string, known bool) {
	top, _, _ := strings.Cut(pkg, "/")
	if slices.Contains(atTheTop, top) {
		return []string{everything}, true
	}
	for _, row := range table {
		if row.pkg != pkg {
			continue
		}
		may = strings.Fields(row.may)
		for _, m := range may {
			if m == "internal" {
				may = append(may, leaves...)
			}
		}
		if test {
			may = append(may, pkg)
			may = append(may, leaves...)
			may = append(may, strings.Fields(inTests[pkg])...)
		}
		return may, true
	}
	return nil, false
}
