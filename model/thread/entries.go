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
	Claim           model.Text
	Confidence      model.Text
	NeedsValidation model.Text

	more object
}

// deadEnd is an approach that its author recorded as abandoned, and why.
type deadEnd struct {
	Hypothesis   model.Text
	Reason       model.Text
	Evidence     model.Text
	Confidence   model.Text
	RelatedPaths []model.Text
	CreatedAt    model.Text
	// FlaggedAt is ours: when a later hypothesis repeated this one and was told so, once.
	FlaggedAt model.Text

	more object
}

func readUncertainty(v any) (uncertainty, bool) {
	o, ok := v.(object)
	if !ok {
		s, ok := scalar(v)
		return uncertainty{Claim: model.Text(trim(s)), Confidence: "unknown"}, ok && trim(s) != ""
	}
	m := members{from: o}
	u := uncertainty{
		Claim: m.text("claim"), NeedsValidation: m.text("needs_validation"),
		Confidence: cmp.Or(model.Text(strings.ToLower(m.text("confidence").Raw())), "unknown"),
	}
	u.more = m.rest()
	return u, u.Claim != "" && !m.wrong
}

func (u uncertainty) tidy(c *cutter) uncertainty {
	u.Claim, u.Confidence = c.text(u.Claim, maxText), c.text(u.Confidence, maxLabel)
	u.NeedsValidation = c.text(u.NeedsValidation, maxText)
	return u
}

func (u uncertainty) same(v uncertainty) bool {
	return u.Claim == v.Claim && u.Confidence == v.Confidence && u.NeedsValidation == v.NeedsValidation
}

func (u uncertainty) json() object {
	o := copyOf(u.more)
	o["claim"], o["confidence"], o["needs_validation"] = u.Claim.Raw(), u.Confidence.Raw(), u.NeedsValidation.Raw()
	return o
}

// readDeadEnd accepts the file format's other names of the keys too.
func readDeadEnd(v any) (deadEnd, bool) {
	o, ok := v.(object)
	if !ok {
		s, ok := scalar(v)
		return deadEnd{Hypothesis: model.Text(trim(s)), Confidence: "unknown"}, ok && trim(s) != ""
	}
	m := members{from: o}
	d := deadEnd{
		Hypothesis: m.text("hypothesis", "summary", "claim", "path"), Reason: m.text("reason", "why"),
		Evidence: m.text("evidence"), Confidence: confidence(m.text("confidence")),
		RelatedPaths: m.list("related_paths", "paths"), CreatedAt: m.text("created_at"), FlaggedAt: m.text("flagged_at"),
	}
	d.more = m.rest()
	return d, d.Hypothesis != "" && !m.wrong
}

func confidence(t model.Text) model.Text {
	switch s := strings.ToLower(t.Raw()); s {
	case "low", "medium", "high":
		return model.Text(s)
	}
	return "unknown"
}

func (d deadEnd) tidy(c *cutter) deadEnd {
	d.Hypothesis, d.Reason, d.Evidence = c.text(d.Hypothesis, maxText), c.text(d.Reason, maxText), c.text(d.Evidence, maxText)
	d.RelatedPaths, d.CreatedAt = c.list(d.RelatedPaths, maxRelated), c.text(d.CreatedAt, maxMoment)
	return d
}

func (d deadEnd) same(e deadEnd) bool { return d.Hypothesis == e.Hypothesis && d.Reason == e.Reason }

func (d deadEnd) json() object {
	o := copyOf(d.more)
	putText(o, "hypothesis", d.Hypothesis)
	putText(o, "reason", d.Reason)
	putText(o, "evidence", d.Evidence)
	putText(o, "confidence", d.Confidence)
	putList(o, "related_paths", d.RelatedPaths)
	putText(o, "created_at", d.CreatedAt)
	putText(o, "flagged_at", d.FlaggedAt)
	return o
}

// Repeats finds the first dead end that words repeat and that nobody was told of yet: they
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
	Entry       model.Text
	Command     model.Text
	ExitStatus  int
	Head        string
	Dirty       bool
	At          model.Text
	ExecutionID model.Text

	more object
}

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

func readEvidence(v any) (evidence, bool) {
	o, ok := v.(object)
	if !ok {
		return evidence{}, false
	}
	m := members{from: o}
	e := evidence{
		Entry: m.text("entry"), Command: m.text("command"), Head: m.text("head").Raw(),
		At: m.text("at"), ExecutionID: m.text("execution_id"),
	}
	e.Dirty, _ = m.take("dirty").(bool)
	n, ok := m.take("exit_status").(json.Number)
	if !ok {
		return evidence{}, false
	}
	status, err := strconv.Atoi(n.String())
	e.ExitStatus = status
	e.more = m.rest()
	return e, err == nil && !m.wrong && e.Entry != ""
}

func (e evidence) tidy(c *cutter) evidence {
	e.Entry, e.Command = c.text(e.Entry, maxText), c.text(e.Command, maxText)
	e.At, e.ExecutionID = c.text(e.At, maxMoment), c.text(e.ExecutionID, maxText)
	return e
}

// same: the newest run of a command on one commit replaces the one before.
func (e evidence) same(f evidence) bool {
	return e.Entry == f.Entry && e.Head == f.Head && e.ExitStatus == f.ExitStatus && e.Dirty == f.Dirty
}

func (e evidence) json() object {
	o := copyOf(e.more)
	putText(o, "entry", e.Entry)
	putText(o, "command", e.Command)
	o["exit_status"] = json.Number(strconv.Itoa(e.ExitStatus))
	put(o, "head", e.Head)
	o["dirty"] = e.Dirty
	putText(o, "at", e.At)
	putText(o, "execution_id", e.ExecutionID)
	return o
}
