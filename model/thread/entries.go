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

// uncertainty is a claim that its author is not sure of.
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

// deadEnd is an approach that its author recorded as abandoned, and why.
type deadEnd struct {
	Hypothesis   model.Text   `key:"hypothesis,summary,claim,path" max:"text"`
	Reason       model.Text   `key:"reason,why" max:"text"`
	Evidence     model.Text   `key:"evidence" max:"text"`
	Confidence   model.Text   `key:"confidence"`
	RelatedPaths []model.Text `key:"related_paths,paths" max:"related"`
	CreatedAt    model.Text   `key:"created_at" max:"moment"`
	// FlaggedAt is ours: when a later hypothesis repeated this one and was warned, once.
	FlaggedAt model.Text `key:"flagged_at"`

	more object
}

func readDeadEnd(v any) (d deadEnd, ok bool) {
	d.more, ok = readEntry(named(v, "hypothesis"), &d)
	d.Confidence = confidence(d.Confidence)
	return d, ok && d.Hypothesis != ""
}

func (d deadEnd) json() object { return spellEntry(d.more, &d) }

// Line is the dead end for people, with why it was one.
func (d deadEnd) Line() model.Text { return d.Hypothesis + because("because", d.Reason) }

// because puts what is known of an entry behind it.
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

// Repeats finds the first dead end that words repeat and that nobody was warned of yet: they
// name one of its paths, or hold every word of what was abandoned. Index -1: none.
//
// Only recorded dead ends count; nothing is inferred.
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

// mentions finds path in words as a whole path, not as a piece of another.
func mentions(words, path string) bool {
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{},;:", r) }
	return slices.ContainsFunc(strings.FieldsFunc(words, between), func(w string) bool {
		return strings.TrimRight(w, ".!?") == path || w == path
	})
}

// significant are the words that carry meaning: lower case, without those that negate or
// join, so that "X was not the cause" and "X was the cause" are one approach.
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

// evidence is an execution that somebody watched: not a claim that it went well, but its
// exit status, and the commit it ran on.
type evidence struct {
	// Entry is the line of the verified list that this execution stands for.
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

// grade says how much a verified entry is worth.
type grade string

// The grades, weakest first.
const (
	claimed        grade = "claimed"
	observed       grade = "observed"
	verifiedAtHead grade = "verified_at_head"
)

// GradeOf grades the entry of the verified list against the repository as it is: verified
// at HEAD only if the command passed on this very commit, with no uncommitted change then
// or now.
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

// same: the newest run of a command on one commit replaces the one before.
func (e evidence) same(f evidence) bool {
	return e.Entry == f.Entry && e.Head == f.Head && e.ExitStatus == f.ExitStatus && e.Dirty == f.Dirty
}
