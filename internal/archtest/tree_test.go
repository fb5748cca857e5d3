// Package archtest holds the rules of the repository that no compiler checks: which package may
// import which, what the root module requires, and how files look. It has tests only.
//
// Every check counts what it looked at and fails when that is nothing, so that none of them can
// quietly stop checking.
package archtest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the folder of the root module, seen from this package.
const root = "../.."

// goFile is one parsed Go file, whatever its build constraint.
type goFile struct {
	path    string // slash-separated, relative to the root
	pkg     string // its folder
	module  string // the folder of the module it is in, "." for the root
	test    bool
	lines   int
	imports []string
	syntax  *ast.File
	fset    *token.FileSet
}

// tree is every file of the checkout, and the Go files among them parsed.
type tree struct {
	files   []string
	modules []string // the folders that have a go.mod
	gofiles []goFile
}

// repo reads the tree once, in this process: go test notes which files a test opened and may reuse
// its result only while they are the same, which it could not know of files that a command reads.
var repo = sync.OnceValues(func() (*tree, error) {
	t := &tree{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		rel = filepath.ToSlash(rel)
		t.files = append(t.files, rel)
		if d.Name() == "go.mod" {
			t.modules = append(t.modules, path.Dir(rel))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.files, err = tracked(t.files); err != nil {
		return nil, err
	}
	for _, name := range t.files {
		if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		f, err := parse(name)
		if err != nil {
			return nil, err
		}
		f.module = t.moduleOf(name)
		t.gofiles = append(t.gofiles, f)
	}
	return t, nil
})

// tracked drops from all what git ignores; outside a git checkout it returns all.
func tracked(all []string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	out, err := run("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for name := range strings.SplitSeq(out, "\x00") {
		ours[name] = true
	}
	var kept []string
	for _, name := range all {
		if ours[name] {
			kept = append(kept, name)
		}
	}
	return kept, nil
}

// moduleOf returns the folder of the innermost module that holds name.
func (t *tree) moduleOf(name string) string {
	best := "."
	for _, m := range t.modules {
		if strings.HasPrefix(name, m+"/") && len(m) > len(best) {
			best = m
		}
	}
	return best
}

func parse(name string) (goFile, error) {
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return goFile{}, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, err
	}
	f := goFile{
		path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		lines: strings.Count(string(src), "\n"), syntax: syntax, fset: fset,
	}
	for _, spec := range syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return goFile{}, err
		}
		f.imports = append(f.imports, p)
	}
	return f, nil
}

// listed is what go list says about a package.
type listed struct {
	ImportPath string
	Imports    []string
	Module     *struct {
		Path string
		Main bool
	}
}

// golist runs go list for the platform where every dependency has an importer.
func golist(t *testing.T, args ...string) []listed {
	t.Helper()
	out, err := run("go", append([]string{"list", "-buildvcs=false", "-json=ImportPath,Imports,Module"}, args...)...)
	require.NoError(t, err)
	var pkgs []listed
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		require.NoError(t, err)
		pkgs = append(pkgs, p)
	}
}

// run runs a command in the root folder and returns its standard output.
func run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", errors.New(name + " " + strings.Join(args, " ") + ": " + string(exit.Stderr))
	}
	return string(out), err
}

// load returns the tree and fails the test where there is none.
func load(t *testing.T) *tree {
	t.Helper()
	r, err := repo()
	require.NoError(t, err)
	require.NotEmpty(t, r.gofiles, "no Go files found")
	return r
}
