package gosdk_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewestSDK builds and tests this module with the newest release of the SDK. It
// asks the Go module proxy, so it runs only where WIRESPOOL_COMPAT is set; `make
// compat` does that.
func TestNewestSDK(t *testing.T) {
	if os.Getenv("WIRESPOOL_COMPAT") == "" {
		t.Skip("WIRESPOOL_COMPAT is not set")
	}
	work := t.TempDir()
	mod := filepath.Join(work, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		if name == "go.mod" {
			root, err := filepath.Abs("../..")
			require.NoError(t, err)
			data = []byte(strings.ReplaceAll(string(data), "=> ../..", "=> "+root))
		}
		require.NoError(t, os.WriteFile(filepath.Join(work, name), data, 0o644))
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "WIRESPOOL_COMPAT=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %s: %s", strings.Join(args, " "), out)
		return string(out)
	}
	const sdk = "github.com/modelcontextprotocol/go-sdk"
	run("get", "-modfile="+mod, sdk+"@latest")
	t.Log(run("list", "-modfile="+mod, "-m", sdk))
	run("build", "-modfile="+mod, "./...")
	run("vet", "-modfile="+mod, "./...")
	run("test", "-modfile="+mod, "-timeout=120s", "./...")
}
