package mcp

import (
	"context"
	"strings"
	"sync"

	"github.com/wirespool/wirespool/dispatch"
)

// Resource is one resource. Its exported fields are what resources/list says.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description"`
	MimeType    string `json:"mimeType"`

	// Read returns its content, a [TextContents] or [BlobContents].
	Read func(ctx context.Context) (any, error) `json:"-"`
}

// Template stands for resources whose URIs differ in one place. Its exported
// fields are what resources/templates/list says.
type Template struct {
	URITemplate string `json:"uriTemplate"` // with one {variable}
	Name        string `json:"name"`
	Description string `json:"description"`
	MimeType    string `json:"mimeType"`

	// Read returns the content of the resource with this value.
	Read func(ctx context.Context, uri, value string) (any, error) `json:"-"`
	// Complete proposes values that begin with a prefix.
	Complete func(prefix string) []string `json:"-"`
}

// match returns what stands in the variable's place.
func (t *Template) match(uri string) (value string, ok bool) {
	before, rest, _ := strings.Cut(t.URITemplate, "{")
	_, after, _ := strings.Cut(rest, "}")
	if len(uri) <= len(before)+len(after) || !strings.HasPrefix(uri, before) || !strings.HasSuffix(uri, after) {
		return "", false
	}
	value = uri[len(before) : len(uri)-len(after)]
	return value, !strings.Contains(value, "/")
}

// Resources is the list of resources and templates.
type Resources struct {
	mu        sync.Mutex
	list      []*Resource
	templates []*Template
}

// Add adds a resource.
func (l *Resources) Add(r *Resource) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
}

// AddTemplate adds a template.
func (l *Resources) AddTemplate(t *Template) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.templates = append(l.templates, t)
}

func (l *Resources) all() ([]*Resource, []*Template) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list, l.templates
}

// reader returns what reads the resource, nil if there is none.
func (l *Resources) reader(uri string) func(context.Context) (any, error) {
	list, templates := l.all()
	for _, r := range list {
		if r.URI == uri {
			return r.Read
		}
	}
	for _, t := range templates {
		if value, ok := t.match(uri); ok {
			return func(ctx context.Context) (any, error) { return t.Read(ctx, uri, value) }
		}
	}
	return nil
}

type resourceList struct {
	Resources []*Resource `json:"resources"`
}

func (s *Server) listResources(_ context.Context, _ *dispatch.Request, in page) (resourceList, error) {
	list, _ := s.Resources.all()
	return resourceList{list}, in.check()
}

type templateList struct {
	Templates []*Template `json:"resourceTemplates"`
}

func (s *Server) listTemplates(_ context.Context, _ *dispatch.Request, in page) (templateList, error) {
	_, templates := s.Resources.all()
	return templateList{templates}, in.check()
}

type resourceURI struct {
	URI string `json:"uri"`
}

type readResult struct {
	Contents []any `json:"contents"`
}

func (s *Server) readResource(ctx context.Context, r *dispatch.Request, in resourceURI) (readResult, error) {
	read := s.Resources.reader(in.URI)
	if read == nil {
		return readResult{}, resourceNotFound(r.Revision(), in.URI)
	}
	contents, err := read(ctx)
	return readResult{[]any{contents}}, err
}

func (s *Server) subscribe(_ context.Context, r *dispatch.Request, in resourceURI) (empty, error) {
	if s.Resources.reader(in.URI) == nil {
		return empty{}, resourceNotFound(r.Revision(), in.URI)
	}
	return empty{}, r.Peer().Subscribe(in.URI)
}

func (s *Server) unsubscribe(_ context.Context, r *dispatch.Request, in resourceURI) (empty, error) {
	r.Peer().Unsubscribe(in.URI)
	return empty{}, nil
}
