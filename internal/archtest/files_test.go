package archtest

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const maxLines = 600

func TestFileLength(t *testing.T) {
	for _, f := range load(t).gofiles {
		if !ast.IsGenerated(f.syntax) {
			require.LessOrEqual(t, f.lines, maxLines, "%s is too long to hold in one's head: split it", f.path)
		}
	}
}

// TestPackageDocs wants a doc.go with the same sections in every package that users import.
func TestPackageDocs(t *testing.T) {
	sections := []string{"Usage", "Concurrency", "Ownership", "Limits", "Errors"}
	docs := map[string]string{}
	for _, f := range load(t).gofiles {
		top, _, _ := strings.Cut(f.pkg, "/")
		if f.module != "." || f.test || top == "internal" || slices.Contains(atTheTop, top) {
			continue
		}
		docs[f.pkg] += ""
		if strings.HasSuffix(f.path, "/doc.go") && f.syntax.Doc != nil {
			docs[f.pkg] = f.syntax.Doc.Text()
		}
	}
	require.NotEmpty(t, docs, "no public package found")
	for pkg, doc := range docs {
		lines := strings.Split(doc, "\n")
		for _, s := range sections {
			require.Contains(t, lines, "# "+s, "package %s: its doc.go lacks a section", pkg)
		}
	}
}

// TestNoSleeps keeps tests from guessing how long something takes: testing/synctest and channels
// know.
func TestNoSleeps(t *testing.T) {
	calls := 0
	for _, f := range load(t).gofiles {
		if !f.test {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			calls++
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && sel.Sel.Name == "Sleep" {
				t.Errorf("%s sleeps: use testing/synctest or wait for the event", f.fset.Position(call.Pos()))
			}
			return true
		})
	}
	require.NotZero(t, calls, "no test code found")
}

// TestNothingOfThisMachine finds paths of a developer's machine and addresses of package
// registries: neither means anything to a reader, and both go stale.
func TestNothingOfThisMachine(t *testing.T) {
	bad := regexp.MustCompile(`/(w[o]rk|t[m]p|r[o]ot|f[a]rm)/[.a-z]` +
		`|(proxy|sum|index)\.g[o]lang\.org|g[o]proxy\.(io|cn)` +
		`|n[p]mjs\.(org|com)|d[e]bian\.(org|net)|p[y]pi\.org`)
	looked := 0
	for _, name := range load(t).files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		looked++
		for i, line := range bytes.Split(text, []byte("\n")) {
			if hit := bad.Find(line); hit != nil {
				t.Errorf("%s:%d: %q", name, i+1, hit)
			}
		}
	}
	require.NotZero(t, looked, "no files found")
}

func TestRootFolder(t *testing.T) {
	ok := slices.Concat(rootEntries, atTheTop)
	for _, row := range table {
		top, _, _ := strings.Cut(row.pkg, "/")
		ok = append(ok, top)
	}
	for _, name := range load(t).files {
		top, _, _ := strings.Cut(name, "/")
		require.Contains(t, ok, top, "the root folder holds the packages and a fixed list of files, nothing else")
	}
}

// TestBuildTags wants every build tag of our own to be in TAGS of the Makefile, which runs the
// tests once with each.
func TestBuildTags(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^TAGS :=(.*)$`).FindSubmatch(makefile)
	require.NotNil(t, line, "the Makefile has no TAGS")
	tested := strings.Fields(string(line[1]))

	used := map[string]string{}
	for _, f := range load(t).gofiles {
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				if !constraint.IsGoBuild(c.Text) || c.Pos() > f.syntax.Package {
					continue
				}
				expr, err := constraint.Parse(c.Text)
				require.NoError(t, err, f.path)
				expr.Eval(func(tag string) bool { used[tag] = f.path; return true })
			}
		}
	}
	ours := 0
	for tag, where := range used {
		if !foreign(tag) {
			ours++
			require.Contains(t, tested, tag, "%s has a build tag that the Makefile never sets", where)
		}
	}
	require.NotZero(t, ours, "no build tag of ours found")
}

// foreign reports whether the toolchain sets the tag.
func foreign(tag string) bool {
	known := strings.Fields("race unix linux darwin windows cgo gc amd64 arm64 386 s390x ignore")
	return slices.Contains(known, tag) || strings.HasPrefix(tag, "go1.") || strings.HasPrefix(tag, "goexperiment.")
}
