package thread

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"vise/model"
)

// Severity says how much a gap should weigh. It is guidance: no severity stops anything.
type Severity string

// The severities, weakest first. Blocking is reserved: no rule produces it.
const (
	Info            Severity = "info"
	Caution         Severity = "caution"
	NeedsReview     Severity = "needs-review"
	NeedsValidation Severity = "needs-validation"
	Blocking        Severity = "blocking"
)

// Rank orders severities; an unknown one ranks as info.
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

// Gap is something a contract asked for and nobody observed.
type Gap struct {
	Kind         string
	Severity     Severity
	Policy       string
	Blocking     bool
	Summary      model.Text
	Expected     model.Text
	NextAction   model.Text
	Command      model.Text
	RelatedPaths []model.Text
	ExecutionID  model.Text
	// SourceCode and Observed say where a fresh gap comes from; a thread does not keep them.
	SourceCode string
	Observed   []model.Text
	// FirstSeen, LastSeen and Count are ours: one gap of many runs is one entry.
	FirstSeen, LastSeen model.Text
	Count               int

	more object
}

// Same reports whether two gaps ask for one thing, whichever run found them.
func (g Gap) Same(h Gap) bool { return g.Kind == h.Kind && g.wants() == h.wants() }

func (g Gap) wants() model.Text { return cmp.Or(g.Expected, g.Summary) }

// Strongest is the first of the severest gaps; nil without gaps.
func Strongest(gaps []Gap) *Gap {
	var best *Gap
	for i := range gaps {
		if best == nil || gaps[i].Severity.Rank() > best.Severity.Rank() {
			best = &gaps[i]
		}
	}
	return best
}

// claim is the line that a gap leaves among the unverified.
func (g Gap) claim() model.Text {
	return model.Text("Contract gap (" + string(g.Severity) + "): " + g.Summary.Raw())
}

// hypothesis is what a carryover thread says of its strongest gap.
func (g Gap) hypothesis() model.Text {
	return model.Text("Carryover: " + string(g.Severity) + " — " + g.Summary.Raw())
}

func readGap(v any) (Gap, bool) {
	o, ok := v.(object)
	if !ok {
		return Gap{}, false
	}
	m := members{from: o}
	g := Gap{
		Kind: m.text("kind").Raw(), Severity: cmp.Or(Severity(m.text("severity")), Info), Policy: m.text("policy").Raw(),
		Summary: m.text("summary"), Expected: m.text("expected"), NextAction: m.text("next_action"),
		Command: m.text("recommended_command"), RelatedPaths: m.list("related_paths"),
		ExecutionID: m.text("source_execution_id"),
		FirstSeen:   m.text("first_seen"), LastSeen: m.text("last_seen"),
	}
	g.Blocking, _ = m.take("blocking").(bool)
	if n, ok := m.take("count").(json.Number); ok {
		g.Count, _ = strconv.Atoi(n.String())
	}
	g.more = m.rest("source_code", "observed")
	return g, g.Kind != "" && !m.wrong
}

func (g Gap) tidy(c *cutter) Gap {
	g.Kind, g.Policy = c.text(model.Text(g.Kind), maxKind).Raw(), c.text(model.Text(g.Policy), maxKind).Raw()
	g.Severity = Severity(c.text(model.Text(g.Severity), maxLabel))
	g.Summary, g.Expected = c.text(g.Summary, maxText), c.text(g.Expected, maxText)
	g.NextAction, g.Command = c.text(g.NextAction, maxText), c.text(g.Command, maxText)
	g.RelatedPaths = c.list(g.RelatedPaths, maxGapPaths)
	g.ExecutionID = c.text(g.ExecutionID, maxID)
	return g
}

func (g Gap) json() object {
	o := copyOf(g.more)
	put(o, "kind", g.Kind)
	put(o, "severity", string(g.Severity))
	put(o, "policy", g.Policy)
	o["blocking"] = g.Blocking
	putText(o, "summary", g.Summary)
	putText(o, "expected", g.Expected)
	putText(o, "next_action", g.NextAction)
	putText(o, "recommended_command", g.Command)
	putList(o, "related_paths", g.RelatedPaths)
	putText(o, "source_execution_id", g.ExecutionID)
	putText(o, "first_seen", g.FirstSeen)
	putText(o, "last_seen", g.LastSeen)
	if g.Count > 0 {
		o["count"] = json.Number(strconv.Itoa(g.Count))
	}
	return o
}

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
