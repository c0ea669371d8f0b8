package screen

import (
	"vise/model"
)

// Verified says how far the work is verified and, for an open item, what would verify it. It returns nothing if no check was seen and none
// is required.
func (v Detail) Verified(w int) []string {
	e := v.Detail.Evidence
	if !e.IsKnown() {
		return nil
	}
	mark, ink := v.Glyph.Warning, v.NeedsYou
	if e.State == model.EvidenceVerified {
		mark, ink = v.Glyph.Done, v.Done
	}
	return append(v.marked(mark, ink, e.Words(), w), v.ToVerify(w)...)
}

// ToVerify says what would verify an open item.
func (v Detail) ToVerify(w int) []string {
	e := v.Detail.Evidence
	run := e.ToVerify()
	if run == "" || !e.IsKnown() {
		return nil
	}
	if needs := e.Needs(); needs != "" {
		run += " (" + needs + ")"
	}
	return v.marked(" ", v.Muted, run, w)
}

// checks returns the tests, builds and linters whose end was seen, the newest first: how they ended, when, on which commit, and whether
// files changed since.
func (v Detail) checks(w int) []string {
	if len(v.Detail.Evidence.Checks) == 0 {
		return nil
	}
	out := []string{"", v.Note("Evidence, the newest first")}
	for _, x := range v.Detail.Evidence.Checks {
		mark, ink := v.Glyph.Done, v.Done
		switch {
		case x.ExitStatus == nil:
			mark, ink = "?", v.Text
		case *x.ExitStatus != 0:
			mark, ink = v.Glyph.Warning, v.NeedsYou
		}
		if x.Changed {
			ink = v.Muted
		}
		out = append(out, v.marked(mark, ink, x.Words(), w)...)
		out = append(out, v.marked(" ", v.Muted, model.Text(v.Age(x.At)+" ago, ")+x.On(), w)...)
	}
	return out
}
