package thread

import (
	"slices"

	"vise/model"
)

// Eviction is an entry that was removed because its list was full. The oldest entries go first.
type Eviction struct {
	Field Field
	// Entry is the entry in words, for people. An object is written as JSON.
	Entry model.Text

	value any
}

func (e Eviction) json() object { return object{"field": e.Field, "entry": e.value} }

// Patched is what a patch did in addition to the change itself.
type Patched struct {
	Evicted []Eviction
	// Shortened are the fields whose words exceeded their limit.
	Shortened []Field
	// Redacted are the fields in which a secret was replaced.
	Redacted []Field
}

// Apply applies p to the thread. The entries that Verify and Drop name must exist.
func (t Thread) Apply(p Patch) (Thread, Patched, error) {
	for f, text := range p.Words {
		*t.text(f) = text
	}
	if p.Status != "" {
		t.Status = p.Status
	}
	// Named entries are found before a field is emptied, and verified entries are added after it, so that one patch can do both.
	moved, err := t.verify(p.Verify)
	if err == nil {
		err = t.dropAll(p.Drop)
	}
	if err != nil {
		return t, Patched{}, err
	}
	for _, f := range p.Clear {
		t.empty(f)
	}
	t.Verified = push(t.Verified, moved...)
	for _, f := range listFields {
		*t.list(f) = append(slices.Clone(*t.list(f)), p.Append[f]...)
	}
	t.Uncertainties = append(slices.Clone(t.Uncertainties), p.Uncertainties...)
	t.DeadEnds = append(slices.Clone(t.DeadEnds), p.DeadEnds...)
	t.Gaps = append(slices.Clone(t.Gaps), p.Gaps...)
	var did Patched
	out := t.Tidy(&did)
	return out, did, nil
}

func (t *Thread) empty(f Field) {
	if text := t.text(f); text != nil {
		*text = ""
	}
	if list := t.list(f); list != nil {
		*list = nil
	}
	switch f {
	case uncertainties:
		t.Uncertainties = nil
	case discardedHypotheses:
		t.DeadEnds = nil
	case contractGaps:
		for _, g := range t.Gaps {
			t.settle(g)
		}
		t.Gaps = nil
	}
}

// verify removes entries from the unverified ones.
func (t *Thread) verify(entries []model.Text) (moved []model.Text, err error) {
	for _, e := range entries {
		e = clipped(e)
		if !slices.Contains(t.Unverified, e) {
			return nil, model.NotFound("%q is not among the unverified of %s", e, t.ID).At("verify",
				"vise thread show %s lists them", t.ID)
		}
		t.Unverified = without(t.Unverified, func(u model.Text) bool { return u == e })
		moved = append(moved, e)
	}
	return moved, nil
}

func (t *Thread) dropAll(drop map[Field][]model.Text) error {
	for _, f := range append(slices.Clone(listFields), itemFields...) {
		for _, e := range drop[f] {
			if !t.dropOne(f, clipped(e)) {
				return model.NotFound("%q is not among the %s of %s", e, f, t.ID).At("drop",
					"vise thread show %s lists them", t.ID)
			}
		}
	}
	return nil
}

func (t *Thread) dropOne(f Field, e model.Text) bool {
	switch f {
	case uncertainties:
		return drop(&t.Uncertainties, func(u uncertainty) bool { return u.Claim == e })
	case discardedHypotheses:
		return drop(&t.DeadEnds, func(d deadEnd) bool { return d.Hypothesis == e })
	case contractGaps:
		return drop(&t.Gaps, func(g Gap) bool {
			hit := g.Kind == e.Raw() || g.wants() == e
			if hit {
				t.settle(g)
			}
			return hit
		})
	}
	return drop(t.list(f), func(u model.Text) bool { return u == e })
}

// drop removes the entries that match accepts from a list, and reports whether there were any.
func drop[T any](list *[]T, match func(T) bool) bool {
	before := len(*list)
	*list = without(*list, match)
	return len(*list) < before
}

// Tidy brings a thread within its limits: it shortens words, removes repeated entries, and removes the oldest entries of a full list. did
// notes that.
func (t Thread) Tidy(did *Patched) Thread {
	for _, f := range textFields {
		var c cutter
		*t.text(f) = c.text(*t.text(f), maxText)
		did.note(f, c)
	}
	for _, f := range listFields {
		var c cutter
		var kept []model.Text
		for _, e := range *t.list(f) {
			kept = push(kept, c.text(e, maxText))
		}
		did.note(f, c)
		*t.list(f) = newest(did, f, kept)
	}
	t.Uncertainties = tidyItems(did, uncertainties, t.Uncertainties, uncertainty.same)
	t.DeadEnds = tidyItems(did, discardedHypotheses, t.DeadEnds, deadEnd.same)
	t.Gaps = tidyItems(did, contractGaps, t.Gaps, Gap.Same)
	t.Evidence = tidyItems(did, evidenceField, t.Evidence, evidence.same)
	return t
}

func (p *Patched) note(f Field, c cutter) {
	if c.cut && !f.in(p.Shortened) {
		p.Shortened = append(p.Shortened, f)
	}
	if c.redacted && !f.in(p.Redacted) {
		p.Redacted = append(p.Redacted, f)
	}
}

// tidyItems keeps the first of several equal entries.
func tidyItems[T any](did *Patched, f Field, list []T, same func(T, T) bool) []T {
	var c cutter
	var kept []T
	for _, e := range list {
		c.entry(&e)
		if !slices.ContainsFunc(kept, func(k T) bool { return same(k, e) }) {
			kept = append(kept, e)
		}
	}
	did.note(f, c)
	return newest(did, f, kept)
}

// newest keeps the last entries of a list that exceeds its limit and records the others as evicted.
func newest[T any](did *Patched, f Field, list []T) []T {
	over := max(0, len(list)-f.limit())
	for _, e := range list[:over] {
		words, plain := any(e).(model.Text)
		if !plain {
			words = model.Text(spelled(e))
		}
		did.Evicted = append(did.Evicted, Eviction{Field: f, Entry: words, value: e})
	}
	return list[over:]
}
