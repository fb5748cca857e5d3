package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// ExtensionSkills is the identifier of the extension by which servers offer
// skills: instructions for a model, in files.
const ExtensionSkills = protocol.MetaPrefix + "skills"

// Skill is what a server says of a skill before anything of it is fetched.
type Skill struct {
	URI         string         `json:"uri"` // of the file that the model reads first
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []SkillFile    `json:"resources"` // all of its files
}

// SkillFile is one file of a skill.
type SkillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// ErrUnverified is in the tree of the error for a skill that is not what its
// server has listed.
var ErrUnverified = errors.New("not what was listed")

// Skills lists the server's skills. None of their files is fetched before
// LoadSkill.
func (h *Host) Skills(ctx context.Context) ([]Skill, error) {
	list, err := typed.Call[struct {
		Skills []Skill `json:"skills"`
	}](ctx, h.client, "skills/list", struct{}{})
	return list.Skills, err
}

// LoadSkill fetches a skill and returns the texts of its files by URI, or none of
// them where one is not what was listed.
func (h *Host) LoadSkill(ctx context.Context, s *Skill) (map[string]string, error) {
	texts := map[string]string{}
	load := func(f *SkillFile) error {
		text, err := h.readText(ctx, f.URI)
		if err == nil {
			err = f.verify(text)
		}
		texts[f.URI] = text
		return err
	}
	for first := range 2 { // what is to be loaded first says whether the rest is wanted
		for _, f := range s.Resources {
			if (f.URI == s.URI) != (first == 0) {
				continue
			}
			if err := load(&f); err != nil {
				return nil, fmt.Errorf("skill %s: %w", f.URI, err)
			}
		}
		if first == 0 {
			if err := s.compare(texts[s.URI]); err != nil {
				return nil, fmt.Errorf("skill %s: %w", s.URI, err)
			}
		}
	}
	return texts, nil
}

func (h *Host) readText(ctx context.Context, uri string) (string, error) {
	read, err := typed.Call[struct {
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}](ctx, h.client, protocol.MethodResourcesRead, map[string]string{"uri": uri})
	if err != nil {
		return "", err
	}
	if len(read.Contents) != 1 {
		return "", fmt.Errorf("%w: %d contents", ErrUnverified, len(read.Contents))
	}
	return read.Contents[0].Text, nil
}

// verify compares a text with what was listed of it.
func (f *SkillFile) verify(text string) error {
	if len(text) != f.Size {
		return fmt.Errorf("%w: %d bytes, listed with %d", ErrUnverified, len(text), f.Size)
	}
	if digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); digest != f.Digest {
		return fmt.Errorf("%w: digest %s, listed with %s", ErrUnverified, digest, f.Digest)
	}
	return nil
}

// compare compares the head of a skill's first file with what was listed, field
// by field. Of YAML it knows lines of a name and a text.
func (s *Skill) compare(text string) error {
	head, found := strings.CutPrefix(text, "---\n")
	head, _, ended := strings.Cut(head, "\n---\n")
	if !found || !ended {
		return fmt.Errorf("%w: it has no frontmatter", ErrUnverified)
	}
	fields := 0
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if listed, ok := s.Frontmatter[name]; !ok || fmt.Sprint(listed) != value {
			return fmt.Errorf("%w: %s is %q in its frontmatter", ErrUnverified, name, value)
		}
		fields++
	}
	if fields != len(s.Frontmatter) {
		return fmt.Errorf("%w: fields are missing in its frontmatter", ErrUnverified)
	}
	return nil
}
