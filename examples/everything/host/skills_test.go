package host_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

type pipe struct{ near transport.Conn }

func (p pipe) Dial(context.Context) (transport.Conn, error) { return p.near, nil }

func TestSkills(t *testing.T) {
	const first, second = "skill://a/SKILL.md", "skill://a/more.md"
	texts := map[string]string{first: "---\nname: a\ndescription: \"does it\"\n---\n\nBody.\n", second: "More.\n"}
	file := func(uri string) host.SkillFile {
		return host.SkillFile{URI: uri, Size: len(texts[uri]), Digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(texts[uri])))}
	}
	listed := host.Skill{
		URI: first, Frontmatter: map[string]any{"name": "a", "description": "does it"},
		Resources: []host.SkillFile{file(second), file(first)},
	}
	var read []string
	srv := dispatch.NewServer(nil)
	srv.Handle("skills/list", typed.Handler(func(context.Context, *dispatch.Request, struct{}) (any, error) {
		return map[string]any{"skills": []host.Skill{listed}}, nil
	}))
	srv.Handle(protocol.MethodResourcesRead, typed.Handler(func(_ context.Context, r *dispatch.Request, in struct {
		URI string `json:"uri"`
	}) (any, error) {
		read = append(read, in.URI)
		return map[string]any{"contents": []any{map[string]string{"uri": in.URI, "text": texts[in.URI]}}}, nil
	}))
	near, far := transport.Pipe(nil)
	go func() { _ = srv.Serve(context.Background(), far) }() // it ends with the host
	h, err := host.Connect(t.Context(), pipe{near}, &host.Options{Era: dispatch.EraLegacy, Skills: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()

	skills, err := h.Skills(t.Context())
	require.NoError(t, err)
	require.Empty(t, read, "nothing is fetched ahead of need")
	got, err := h.LoadSkill(t.Context(), &skills[0])
	require.NoError(t, err)
	require.Equal(t, texts, got)
	require.Equal(t, []string{first, second}, read)

	for name, change := range map[string]func(s *host.Skill){
		"size":             func(s *host.Skill) { s.Resources[1].Size++ },
		"digest":           func(s *host.Skill) { s.Resources[1].Digest = "sha256:00" },
		"field":            func(s *host.Skill) { s.Frontmatter["description"] = "does something else" },
		"field not listed": func(s *host.Skill) { delete(s.Frontmatter, "name") },
		"field not there":  func(s *host.Skill) { s.Frontmatter["license"] = "x" },
	} {
		read = nil
		skills, err := h.Skills(t.Context())
		require.NoError(t, err)
		change(&skills[0])
		got, err := h.LoadSkill(t.Context(), &skills[0])
		require.ErrorIs(t, err, host.ErrUnverified, name)
		require.Nil(t, got)
		require.Equal(t, []string{first}, read, "%s: nothing more of it is fetched", name)
	}
	texts[first] = "Body."
	skills[0].Resources[1] = file(first)
	_, err = h.LoadSkill(t.Context(), &skills[0])
	require.ErrorContains(t, err, "no frontmatter")
}
