package thread

import (
	"strings"

	"vise/model"
)

// Uncertainty is a claim that its author is not sure of.
type Uncertainty struct {
	Claim           model.Text
	Confidence      model.Text
	NeedsValidation model.Text

	more object
}

// DeadEnd is an approach that its author recorded as abandoned, and why.
type DeadEnd struct {
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

func readUncertainty(v any) (Uncertainty, bool) {
	o, ok := v.(object)
	if !ok {
		s, ok := scalar(v)
		return Uncertainty{Claim: model.Text(trim(s)), Confidence: "unknown"}, ok && trim(s) != ""
	}
	m := members{from: o}
	u := Uncertainty{
		Claim: m.text("claim"), Confidence: model.Text(strings.ToLower(m.text("confidence").Raw())),
		NeedsValidation: m.text("needs_validation"),
	}
	if u.Confidence == "" {
		u.Confidence = "unknown"
	}
	u.more = m.rest()
	return u, u.Claim != "" && !m.wrong
}

func (u Uncertainty) tidy(c *cutter) Uncertainty {
	u.Claim, u.Confidence = c.text(u.Claim, maxText), c.text(u.Confidence, maxLabel)
	u.NeedsValidation = c.text(u.NeedsValidation, maxText)
	return u
}

func (u Uncertainty) same(v Uncertainty) bool {
	return u.Claim == v.Claim && u.Confidence == v.Confidence && u.NeedsValidation == v.NeedsValidation
}

func (u Uncertainty) json() object {
	o := copyOf(u.more)
	o["claim"], o["confidence"], o["needs_validation"] = u.Claim.Raw(), u.Confidence.Raw(), u.NeedsValidation.Raw()
	return o
}

// readDeadEnd accepts the file format's other names of the keys too.
func readDeadEnd(v any) (DeadEnd, bool) {
	o, ok := v.(object)
	if !ok {
		s, ok := scalar(v)
		return DeadEnd{Hypothesis: model.Text(trim(s)), Confidence: "unknown"}, ok && trim(s) != ""
	}
	m := members{from: o}
	d := DeadEnd{
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

func (d DeadEnd) tidy(c *cutter) DeadEnd {
	d.Hypothesis, d.Reason, d.Evidence = c.text(d.Hypothesis, maxText), c.text(d.Reason, maxText), c.text(d.Evidence, maxText)
	d.RelatedPaths, d.CreatedAt = c.list(d.RelatedPaths, maxRelated), c.text(d.CreatedAt, maxMoment)
	return d
}

func (d DeadEnd) same(e DeadEnd) bool { return d.Hypothesis == e.Hypothesis && d.Reason == e.Reason }

func (d DeadEnd) json() object {
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
