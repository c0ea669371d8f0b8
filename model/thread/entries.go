package thread

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vise/model"
)

// uncertainty is a claim of which its author is not sure.
type uncertainty struct {
	Claim           model.Text `key:"claim" max:"text" empty:"kept"`
	Confidence      model.Text `key:"confidence" max:"label" empty:"kept"`
	NeedsValidation model.Text `key:"needs_validation" max:"text" empty:"kept"`

	more object
}

func readUncertainty(v any) (u uncertainty, ok bool) {
	u.more, ok = readEntry(named(v, "claim"), &u)
	u.Confidence = cmp.Or(model.Text(strings.ToLower(u.Confidence.Raw())), "unknown")
	return u, ok && u.Claim != ""
}

func (u uncertainty) json() object { return spellEntry(u.more, &u) }

// Line is the uncertainty for people, with what would settle it.
func (u uncertainty) Line() model.Text { return u.Claim + because("needs", u.NeedsValidation) }

// deadEnd is an approach that its author recorded as abandoned, and the reason.
type deadEnd struct {
	Hypothesis   model.Text   `key:"hypothesis,summary,claim,path" max:"text"`
	Reason       model.Text   `key:"reason,why" max:"text"`
	Evidence     model.Text   `key:"evidence" max:"text"`
	Confidence   model.Text   `key:"confidence"`
	RelatedPaths []model.Text `key:"related_paths,paths" max:"related"`
	CreatedAt    model.Text   `key:"created_at" max:"moment"`
	// FlaggedAt is vise's own key: when a later hypothesis repeated this one and caused the one warning.
	FlaggedAt model.Text `key:"flagged_at"`

	more object
}

func readDeadEnd(v any) (d deadEnd, ok bool) {
	d.more, ok = readEntry(named(v, "hypothesis"), &d)
	d.Confidence = confidence(d.Confidence)
	return d, ok && d.Hypothesis != ""
}

func (d deadEnd) json() object { return spellEntry(d.more, &d) }

// Line is the dead end for people, with the reason.
func (d deadEnd) Line() model.Text { return d.Hypothesis + because("because", d.Reason) }

// because adds a fact after an entry, or nothing if there is none.
func because(word string, what model.Text) model.Text {
	if what == "" {
		return ""
	}
	return "; " + model.Text(word) + ": " + what
}

func (u uncertainty) same(v uncertainty) bool {
	return u.Claim == v.Claim && u.Confidence == v.Confidence && u.NeedsValidation == v.NeedsValidation
}

func confidence(t model.Text) model.Text {
	switch s := strings.ToLower(t.Raw()); s {
	case "low", "medium", "high":
		return model.Text(s)
	}
	return "unknown"
}

func (d deadEnd) same(e deadEnd) bool { return d.Hypothesis == e.Hypothesis && d.Reason == e.Reason }

// Repeats returns the index of the first dead end without a warning yet that words repeat: they name one of its paths, or contain every
// word of the abandoned hypothesis. It returns -1 if there is none.
//
// Only recorded dead ends count. Nothing is inferred.
func (t Thread) Repeats(words model.Text) int {
	spoken := significant(words)
	return slices.IndexFunc(t.DeadEnds, func(d deadEnd) bool {
		return d.FlaggedAt == "" && d.repeatedBy(words, spoken)
	})
}

func (d deadEnd) repeatedBy(words model.Text, spoken map[string]bool) bool {
	if slices.ContainsFunc(d.RelatedPaths, func(p model.Text) bool { return p != "" && mentions(words.Raw(), p.Raw()) }) {
		return true
	}
	abandoned := significant(d.Hypothesis)
	for w := range abandoned {
		if !spoken[w] {
			return false
		}
	}
	return len(abandoned) > 0
}

// mentions reports whether words contain path as a whole path, not as a part of another.
func mentions(words, path string) bool {
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{},;:", r) }
	return slices.ContainsFunc(strings.FieldsFunc(words, between), func(w string) bool {
		return strings.TrimRight(w, ".!?") == path || w == path
	})
}

// significant returns the words that carry meaning, in lower case. It leaves out words that negate or join, so that "X was not the cause"
// and "X was the cause" are one approach.
func significant(t model.Text) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(t.Raw()), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if !slices.Contains(fillers, w) {
			set[w] = true
		}
	}
	return set
}

var fillers = strings.Fields("a an the is was are were be been not no isn wasn t it this that of for in on to by and or maybe")

// evidence is an execution that a program watched: its exit status and its commit, not a claim that it succeeded.
type evidence struct {
	// Entry is the line of the verified list for this execution.
	Entry       model.Text `key:"entry" max:"text"`
	Command     model.Text `key:"command" max:"text"`
	ExitStatus  int        `key:"exit_status" empty:"kept"`
	Head        string     `key:"head"`
	Dirty       bool       `key:"dirty"`
	At          model.Text `key:"at" max:"moment"`
	ExecutionID model.Text `key:"execution_id" max:"text"`

	more object
}

func readEvidence(v any) (e evidence, ok bool) {
	o, _ := v.(object)
	status, _ := o["exit_status"].(json.Number)
	_, err := strconv.Atoi(status.String())
	e.more, ok = readEntry(v, &e)
	return e, ok && err == nil && e.Entry != ""
}

func (e evidence) json() object { return spellEntry(e.more, &e) }

// grade says how reliable a verified entry is.
type grade string

// The grades, weakest first.
const (
	claimed        grade = "claimed"
	observed       grade = "observed"
	verifiedAtHead grade = "verified_at_head"
)

// GradeOf grades an entry of the verified list against the present repository. It is verified at HEAD only if the command passed on this
// commit, without uncommitted changes then or now.
func (t Thread) GradeOf(entry model.Text, now Git) grade {
	best := claimed
	for _, e := range t.Evidence {
		if e.Entry != entry || e.ExitStatus != 0 {
			continue
		}
		if now.State == GitOK && e.Head == now.Head && e.Head != "" && !e.Dirty && !now.Dirty {
			return verifiedAtHead
		}
		best = observed
	}
	return best
}

// same reports whether e and f are runs of one command on one commit with the same result. The newer one replaces the older.
func (e evidence) same(f evidence) bool {
	return e.Entry == f.Entry && e.Head == f.Head && e.ExitStatus == f.ExitStatus && e.Dirty == f.Dirty
}
