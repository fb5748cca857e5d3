package mcpgo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sdkModule = "github.com/mark3labs/mcp-go"

// The adapter works with the newest release of mcp-go, too. The test asks the Go
// module proxy, so it runs only where WIRESPOOL_COMPAT is set.
func TestNewestRelease(t *testing.T) {
	if os.Getenv("WIRESPOOL_COMPAT") == "" {
		t.Skip("WIRESPOOL_COMPAT is not set")
	}
	goTool := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Env = append(os.Environ(), "WIRESPOOL_COMPAT=") // the tests must not run this one
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	newest, err := goTool("list", "-m", "-f", "{{.Version}}", sdkModule+"@latest")
	require.NoError(t, err, newest)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod := filepath.Join(t.TempDir(), "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(strings.TrimSuffix(mod, "mod")+strings.TrimPrefix(name, "go."), text, 0o600))
	}
	for _, args := range [][]string{
		{"mod", "edit", "-require=" + sdkModule + "@" + newest, "-replace=github.com/wirespool/wirespool=" + root, mod},
		{"build", "-mod=mod", "-modfile=" + mod, "./..."},
		{"vet", "-mod=mod", "-modfile=" + mod, "./..."},
		{"test", "-mod=mod", "-modfile=" + mod, "-timeout=120s", "./..."},
	} {
		out, err := goTool(args...)
		require.NoError(t, err, "with %s: go %s: %s", newest, strings.Join(args, " "), out)
	}
}
