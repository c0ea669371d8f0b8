package thread

import (
	"cmp"
	"slices"

	"vise/model"
)

// Severity says how much a gap matters. It is guidance: no severity stops any work.
type Severity string

// The severities, weakest first. Blocking is reserved: no rule produces it.
const (
	Info            Severity = "info"
	Caution         Severity = "caution"
	NeedsReview     Severity = "needs-review"
	NeedsValidation Severity = "needs-validation"
	Blocking        Severity = "blocking"
)

// Rank orders severities. An unknown severity ranks as info.
func (s Severity) Rank() int {
	return max(0, slices.Index([]Severity{Info, Caution, NeedsReview, NeedsValidation, Blocking}, s))
}

// The kinds of gaps that the rules know.
const (
	missingValidation   = "missing_validation"
	missingFirstAction  = "missing_first_action"
	editOutsideScope    = "edit_outside_scope"
	entryPointsIgnored  = "structural_entrypoints_ignored"
	prioritize          = "prioritize_before_new_work"
	surfaceFirst        = "surface_before_continuing"
	surfaceAsBackground = "surface_as_context"
)

// Gap is something that a contract required and nobody observed.
type Gap struct {
	Kind         string       `key:"kind" max:"kind"`
	Severity     Severity     `key:"severity" max:"label"`
	Policy       string       `key:"policy" max:"kind"`
	Blocking     bool         `key:"blocking"`
	Summary      model.Text   `key:"summary" max:"text"`
	Expected     model.Text   `key:"expected" max:"text"`
	NextAction   model.Text   `key:"next_action" max:"text"`
	Command      model.Text   `key:"recommended_command" max:"text"`
	RelatedPaths []model.Text `key:"related_paths" max:"paths"`
	ExecutionID  model.Text   `key:"source_execution_id" max:"id"`
	// SourceCode and Observed say where a new gap comes from. A thread does not keep them.
	SourceCode string
	Observed   []model.Text
	// FirstSeen, LastSeen and Count are vise's own keys: a gap of many runs is one entry.
	FirstSeen model.Text `key:"first_seen"`
	LastSeen  model.Text `key:"last_seen"`
	Count     int        `key:"count"`

	more object
}

func readGap(v any) (g Gap, ok bool) {
	g.more, ok = readEntry(v, &g, "source_code", "observed")
	g.Severity = cmp.Or(g.Severity, Info)
	return g, ok && g.Kind != ""
}

func (g Gap) json() object { return spellEntry(g.more, &g) }

// Same reports whether two gaps ask for the same thing, whichever run found them.
func (g Gap) Same(h Gap) bool { return g.Kind == h.Kind && g.wants() == h.wants() }

func (g Gap) wants() model.Text { return cmp.Or(g.Expected, g.Summary) }

// Strongest returns the first of the most severe gaps, or nil.
func Strongest(gaps []Gap) *Gap {
	var best *Gap
	for i := range gaps {
		if best == nil || gaps[i].Severity.Rank() > best.Severity.Rank() {
			best = &gaps[i]
		}
	}
	return best
}

// claim is the line of a gap in the unverified list.
func (g Gap) claim() model.Text {
	return model.Text("Contract gap (" + string(g.Severity) + "): " + g.Summary.Raw())
}

// hypothesis is the hypothesis of a carryover thread for its strongest gap.
func (g Gap) hypothesis() model.Text {
	return model.Text("Carryover: " + string(g.Severity) + " — " + g.Summary.Raw())
}

// open adds a gap to the thread, or counts it once more, and adds its advice. It reports whether the gap is new.
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

// settle removes a gap's advice: the unverified line, the risk, and the next action and hypothesis if they are still the gap's.
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

// clearBy removes the gaps that a run answered and returns them.
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

// answeredBy reports whether a run is evidence against the gap. A command must have been observed to succeed. A path must have been opened
// or edited. Edits out of scope must have been undone.
func (g Gap) answeredBy(o Outcome) bool {
	switch g.Kind {
	case missingValidation:
		return slices.ContainsFunc(o.ran(), func(e Execution) bool { return e.Proves(g.Expected) })
	case missingFirstAction:
		return holds(o.touched(), g.Expected)
	case entryPointsIgnored:
		return anyOf(o.touched(), g.RelatedPaths)
	case editOutsideScope:
		return len(g.RelatedPaths) > 0 && !slices.ContainsFunc(g.RelatedPaths, func(f model.Text) bool {
			return !holds(o.Reverted, f)
		})
	}
	return false
}
