package model

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// An id is accepted only if it is one name in one directory.
func FuzzValidID(f *testing.F) {
	for _, s := range []string{"wi-01k", "", "..", "a/b", "-x", "A", "a\x00", "a\n", "é", strings.Repeat("a", 65)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if ValidID(s) && (s == "" || len(s) > MaxID || strings.ContainsAny(s, "/\\.\x00\n ") || s[0] == '-' || Text(s).String() != s) {
			t.Errorf("%q is taken for an id", s)
		}
	})
}

// A plan's description is of all its bytes, and its preview is text from its beginning.
func FuzzPlanArtifact(f *testing.F) {
	for _, s := range []string{"", "# plan\n", "\xff", "a\x00b", strings.Repeat("é", 2000), "\xef\xbb\xbfx", "\x1b[2J"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p := NewPlanArtifact("ann", "wi-1", raw, time.Unix(0, 0))
		if p.Bytes != int64(len(raw)) || p.Hash != hashOf(raw) {
			t.Errorf("described as %d bytes, %s", p.Bytes, p.Hash)
		}
		preview := p.Preview.Raw()
		if !utf8.ValidString(preview) || p.PreviewComplete && p.Condition == PlanOK && len(preview) > len(raw) {
			t.Errorf("preview %q of %q", preview, raw)
		}
		if p.Condition != PlanOK && preview != "" {
			t.Errorf("a preview of what is no text: %q", preview)
		}
	})
}
