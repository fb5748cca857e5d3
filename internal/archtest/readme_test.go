package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeExample runs the program in the README and wants the output that the README shows.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	block := func(language string) string {
		all := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(readme, -1)
		require.Len(t, all, 1, "blocks of %s in the README", language)
		return string(all[0][1])
	}
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(block("go")), 0o600))

	cmd := exec.Command("go", "run", file)
	cmd.Dir = root // its imports are resolved by the root module
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, block("text"), string(out))
}
