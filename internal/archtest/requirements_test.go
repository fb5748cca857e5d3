package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	requirement  = regexp.MustCompile(`\b(C[ALO]|FR|H[DS]|L[GO]|M[ER]|P[GR]|RS|S[ELSTU]|SC(?:26)?|SH26|T[KR]|VN|XH)-([0-9]{2})\b`)
	requirements = regexp.MustCompile(requirement.String() + `\s+(?://\s*)?to\s+(?://\s*)?` + requirement.String())
	defined      = regexp.MustCompile(`(?m)^\| ` + requirement.String() + ` \|`)
)

// TestRequirements holds docs/requirements.md to the code: what is cited is defined, once, and what is
// defined is cited.
func TestRequirements(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/requirements.md"))
	require.NoError(t, err)
	cited := map[string]bool{} // false until it is seen
	for _, m := range defined.FindAllStringSubmatch(string(page), -1) {
		id := m[1] + "-" + m[2]
		_, twice := cited[id]
		require.False(t, twice, "%s is defined twice", id)
		cited[id] = false
	}
	require.NotEmpty(t, cited)
	for _, f := range load(t).gofiles {
		text, err := os.ReadFile(filepath.Join(root, f.path))
		require.NoError(t, err)
		cite := func(id string) {
			_, known := cited[id]
			require.True(t, known, "%s cites %s, which docs/requirements.md does not define", f.path, id)
			cited[id] = true
		}
		for _, m := range requirement.FindAllString(string(text), -1) {
			cite(m)
		}
		for _, m := range requirements.FindAllStringSubmatch(string(text), -1) {
			first, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			last, err := strconv.Atoi(m[4])
			require.NoError(t, err)
			require.Equal(t, m[1], m[3], "%s: %s", f.path, m[0])
			for n := first; n <= last; n++ {
				cite(fmt.Sprintf("%s-%02d", m[1], n))
			}
		}
	}
	for id, yes := range cited {
		require.True(t, yes, "nothing cites %s", id)
	}
}
