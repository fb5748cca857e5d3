package archtest

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAliases wants the comment of an alias of an internal type to name all that it
// has: go doc shows nothing else of it.
func TestAliases(t *testing.T) {
	seen := 0
	for _, f := range load(t).gofiles {
		if f.module != "." || f.test || strings.HasPrefix(f.pkg, "internal/") {
			continue
		}
		for _, d := range f.syntax.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range decl.Specs {
				spec, ok := s.(*ast.TypeSpec)
				if !ok || !spec.Assign.IsValid() || !spec.Name.IsExported() {
					continue
				}
				sel, ok := spec.Type.(*ast.SelectorExpr)
				if !ok {
					continue
				}
				of := sel.X.(*ast.Ident).Name
				for _, p := range f.imports {
					if !strings.HasPrefix(p, module+"/internal/") || filepath.Base(p) != of {
						continue
					}
					seen++
					for _, name := range exportedOf(t, strings.TrimPrefix(p, module+"/"), sel.Sel.Name) {
						require.Regexp(t, regexp.MustCompile(`\b`+name+`\b`), decl.Doc.Text(), "%s: the comment of %s", f.path, spec.Name)
					}
				}
			}
		}
	}
	require.NotZero(t, seen, "no alias of an internal type found")
}

// exportedOf returns the exported fields and methods of a type.
func exportedOf(t *testing.T, pkg, name string) (names []string) {
	found := false
	for _, f := range load(t).gofiles {
		if f.module != "." || f.test || f.pkg != pkg {
			continue
		}
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.IsExported() && d.Name.Name != "Error" && receiver(d) == name {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					spec, ok := s.(*ast.TypeSpec)
					if !ok || spec.Name.Name != name {
						continue
					}
					found = true
					if st, ok := spec.Type.(*ast.StructType); ok {
						for _, field := range st.Fields.List {
							for _, id := range field.Names {
								if id.IsExported() {
									names = append(names, id.Name)
								}
							}
						}
					}
				}
			}
		}
	}
	require.True(t, found, "%s has no type %s", pkg, name)
	return names
}

func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, _ := typ.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}
