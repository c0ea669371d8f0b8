package thread

import (
	"slices"

	"vise/model"
)

// open adds a gap to the thread, or counts it once more, and leaves the advice that goes
// with it. It reports whether the gap is new.
func (t *Thread) open(g Gap, at model.Text) bool {
	t.Unverified = push(t.Unverified, g.claim())
	if g.Severity.Rank() == NeedsReview.Rank() || g.Severity == Blocking {
		t.Risks = push(t.Risks, g.claim())
	}
	t.Commands = push(t.Commands, g.Command)
	if t.NextAction == "" {
		t.NextAction = g.NextAction
	}
	if i := slices.IndexFunc(t.Gaps, g.Same); i >= 0 {
		t.Gaps = slices.Clone(t.Gaps)
		t.Gaps[i].LastSeen, t.Gaps[i].Count = at, max(1, t.Gaps[i].Count)+1
		return false
	}
	g.FirstSeen, g.LastSeen, g.Count = at, at, 1
	t.Gaps = append(slices.Clone(t.Gaps), g)
	return true
}

// settle takes a gap's advice back: the line among the unverified, the risk, and the
// next action and hypothesis where they are still the gap's own.
func (t *Thread) settle(g Gap) {
	own := func(s model.Text) bool { return s == g.claim() }
	t.Unverified, t.Risks = without(t.Unverified, own), without(t.Risks, own)
	if t.NextAction == g.NextAction {
		t.NextAction = ""
	}
	if t.Hypothesis == g.hypothesis() {
		t.Hypothesis = ""
	}
}

// clearBy drops the gaps that a run answered and returns them.
func (t *Thread) clearBy(o Outcome) []Gap {
	var cleared []Gap
	t.Gaps = without(t.Gaps, func(g Gap) bool {
		done := g.answeredBy(o)
		if done {
			cleared = append(cleared, g)
		}
		return done
	})
	for _, g := range cleared {
		t.settle(g)
	}
	if next := t.StrongestGap(); next != nil && t.NextAction == "" && len(cleared) > 0 {
		t.NextAction = next.NextAction
	}
	return cleared
}

// answeredBy reports whether a run is evidence against the gap. A command must have been
// watched to succeed; a path must have been opened or edited; edits out of scope must be
// gone.
func (g Gap) answeredBy(o Outcome) bool {
	switch g.Kind {
	case MissingValidation:
		return slices.ContainsFunc(o.ran(), func(e Execution) bool { return e.Proves(g.Expected) })
	case MissingFirstAction:
		return holds(o.touched(), g.Expected)
	case EntryPointsIgnored:
		return anyOf(o.touched(), g.RelatedPaths)
	case EditOutsideScope:
		return len(g.RelatedPaths) > 0 && !slices.ContainsFunc(g.RelatedPaths, func(f model.Text) bool {
			return !holds(o.Reverted, f)
		})
	}
	return false
}
