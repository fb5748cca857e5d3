package archtest

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeExample has the client in the README start the server in it, and wants the
// output that the README shows.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	blocks := func(language string, n int) (texts []string) {
		all := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(readme, -1)
		require.Len(t, all, n, "blocks of %s in the README", language)
		for _, b := range all {
			texts = append(texts, string(b[1]))
		}
		return texts
	}
	output := blocks("text", 1)[0]
	var built []string
	for i, text := range blocks("go", 2) {
		formatted, err := format.Source([]byte(text))
		require.NoError(t, err)
		require.Equal(t, string(formatted), text, "gofmt would change it")
		dir := filepath.Join(t.TempDir(), string(rune('a'+i)))
		require.NoError(t, os.Mkdir(dir, 0o700))
		file := filepath.Join(dir, "main.go")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		built = append(built, filepath.Join(dir, "example"))
		cmd := exec.Command("go", "build", "-o", built[i], file)
		cmd.Dir = root // its imports are resolved by the root module
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	out, err := exec.Command(built[0], built[1]).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, output, string(out))
}
