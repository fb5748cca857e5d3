package archtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// edge is one package of the module importing another.
type edge struct {
	from, to string
	test     bool // in a test file
}

func TestImportDirection(t *testing.T) {
	var edges []edge
	packages := map[string]bool{}
	for _, f := range load(t).gofiles {
		if f.module != "." {
			continue
		}
		packages[f.pkg] = true
		for _, p := range f.imports {
			if to, ok := strings.CutPrefix(p, module+"/"); ok {
				edges = append(edges, edge{f.pkg, to, f.test})
			}
		}
	}
	for _, p := range golist(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		require.True(t, packages[name], "go list names package %s, the tree has no such folder", name)
	}
	require.NotEmpty(t, edges, "no import between packages of the module found")
	require.Empty(t, forbidden(edges))
	for pkg := range packages {
		_, known := allowed(pkg, false)
		require.True(t, known, "package %s has no row in table: decide what it may import", pkg)
	}
}

// forbidden says what is wrong with each edge that the table does not have.
func forbidden(edges []edge) (wrong []string) {
	for _, e := range edges {
		may, known := allowed(e.from, e.test)
		switch {
		case !known:
			wrong = append(wrong, e.from+" has no row in table")
		case slices.Contains(may, e.to), slices.Contains(may, everything):
		default:
			where := ""
			if e.test {
				where = " in a test"
			}
			wrong = append(wrong, e.from+" imports "+e.to+where+", which its row in table does not allow")
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

func TestImportDirectionBites(t *testing.T) {
	require.Empty(t, forbidden([]edge{
		{"codec", "protocol", false}, {"codec", "internal/scan", false}, {"codec", "codec", true},
		{"cmd/wirespool", "codec", false}, {"fuzz", "framing", true},
	}))
	require.Equal(t, []string{
		"codec imports framing in a test, which its row in table does not allow",
		"codec imports internal/bridge, which its row in table does not allow",
		"protocol imports codec, which its row in table does not allow",
		"stranger has no row in table",
	}, forbidden([]edge{
		{"protocol", "codec", false}, {"codec", "framing", true}, {"stranger", "codec", false},
		{"codec", "internal/bridge", false},
	}))
}

func TestRootRequirements(t *testing.T) {
	out, err := run("go", "mod", "edit", "-json")
	require.NoError(t, err)
	var mod struct {
		Toolchain string
		Require   []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &mod))
	require.Empty(t, mod.Toolchain, "go.mod has a toolchain line")
	var required []string
	for _, r := range mod.Require {
		if !r.Indirect {
			required = append(required, r.Path)
		}
	}
	var want []string
	for m := range direct {
		want = append(want, m)
	}
	require.ElementsMatch(t, want, required, "direct requirements of the root module")

	importers := map[string][]string{}
	for _, p := range golist(t, "-deps", "-test", "./...") {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for _, imp := range p.Imports {
			if m := directModule(imp); m != "" {
				importers[m] = append(importers[m], p.ImportPath)
			}
		}
	}
	for _, m := range want {
		require.NotEmpty(t, importers[m], "nothing imports %s: use it or drop the requirement", m)
	}
}

// directModule returns which of the direct requirements holds the package, "" where none does.
func directModule(pkg string) string {
	for m := range direct {
		if pkg == m || strings.HasPrefix(pkg, m+"/") {
			return m
		}
	}
	return ""
}

// TestForeignImports keeps every dependency where it has its job, and unsafe in internal.
func TestForeignImports(t *testing.T) {
	looked := 0
	for _, f := range load(t).gofiles {
		if f.module != "." {
			continue
		}
		top, _, _ := strings.Cut(f.pkg, "/")
		for _, imp := range f.imports {
			looked++
			if imp == "unsafe" || imp == "C" {
				require.Equal(t, "internal", top, "%s imports %s", f.path, imp)
			}
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imp, module+"/") {
				continue
			}
			m := directModule(imp)
			require.NotEmpty(t, m, "%s imports %s, which is no direct requirement", f.path, imp)
			if f.test {
				continue
			}
			homes := strings.Fields(direct[m])
			require.True(t, slices.Contains(homes, f.pkg) || slices.Contains(homes, top),
				"%s imports %s outside tests; it belongs in %q", f.path, imp, homes)
		}
	}
	require.NotZero(t, looked, "no imports found")
}
