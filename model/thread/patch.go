package thread

import (
	"maps"
	"slices"

	"vise/model"
)

// Patch is a requested change of a thread. Words replace; entries are appended. Only Verify, Drop and Clear remove an entry.
type Patch struct {
	// Words replaces text fields. An empty text clears the field.
	Words map[Field]model.Text
	// Status is empty if the patch does not set it.
	Status Status
	Append map[Field][]model.Text

	Uncertainties []uncertainty
	DeadEnds      []deadEnd
	Gaps          []Gap

	// Verify moves entries from unverified to verified.
	Verify []model.Text
	// Drop removes entries from lists. An uncertainty is named by its claim, a dead end by its hypothesis, a gap by its kind or by what it
	// expects.
	Drop map[Field][]model.Text
	// Clear empties fields.
	Clear []Field

	// Task is the thread that the patch itself names. A command's own target has precedence.
	Task ID
	// Ignored lists the keys that no patch can change.
	Ignored []model.Text
}

// ParsePatch reads JSON patches and merges them: a later one's keys win. It refuses a value of the wrong type and names it, such as a
// string in place of a list.
func ParsePatch(layers ...[]byte) (Patch, error) {
	merged := object{}
	for _, raw := range layers {
		o, err := readObject(raw)
		if err != nil {
			return Patch{}, invalid("the patch cannot be read").Because(err)
		}
		maps.Copy(merged, o)
	}
	return patchOf(merged)
}

func patchOf(o object) (Patch, error) {
	p := Patch{Words: map[Field]model.Text{}, Append: map[Field][]model.Text{}, Drop: map[Field][]model.Text{}}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if err := p.member(key, o[key]); err != nil {
			return Patch{}, err
		}
	}
	return p, nil
}

func (p *Patch) member(key string, v any) error {
	f := Field(key)
	switch {
	case f == statusField:
		return p.status(v)
	case f.in(textFields):
		s, ok := scalar(v)
		p.Words[f] = model.Text(trim(s))
		return want(ok, key, "text or null")
	case f.in(listFields):
		list, ok := words(v)
		p.Append[f] = list
		return want(ok, key, "a list of texts")
	case f.in(itemFields):
		return p.items(f, v)
	case key == "verify":
		list, ok := words(v)
		p.Verify = list
		return want(ok, key, "a list of texts")
	case key == "clear":
		return p.clear(v)
	case key == "drop":
		return p.drop(v)
	case key == "task_id":
		s, ok := scalar(v)
		if s != "" {
			p.Task = Slug(s)
		}
		return want(ok, key, "text")
	}
	p.Ignored = append(p.Ignored, model.Text(key))
	return nil
}

func (p *Patch) status(v any) error {
	s, ok := scalar(v)
	if v == nil || !ok {
		return want(v == nil, "status", "a status")
	}
	if p.Status, ok = ParseStatus(s); !ok {
		return invalid("there is no status %q", model.Text(s)).
			WithHint("one of in_progress, resolved, abandoned, blocked, paused").At("status")
	}
	return nil
}

func (p *Patch) items(f Field, v any) error {
	var ok bool
	switch f {
	case uncertainties:
		p.Uncertainties, ok = readAll(v, readUncertainty)
		return want(ok, string(f), "a list of texts or of {claim, confidence, needs_validation}")
	case discardedHypotheses:
		p.DeadEnds, ok = readAll(v, readDeadEnd)
		return want(ok, string(f), "a list of texts or of {hypothesis, reason, …}")
	}
	p.Gaps, ok = readAll(v, readGap)
	return want(ok, string(f), "a list of {kind, summary, …}")
}

// readAll skips entries without content, as the file format does, and refuses others that it cannot read.
func readAll[T any](v any, read func(any) (T, bool)) ([]T, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, v == nil
	}
	var out []T
	for _, v := range list {
		if _, isList := v.([]any); isList {
			return nil, false
		}
		if item, good := read(v); good {
			out = append(out, item)
		}
	}
	return out, true
}

func (p *Patch) clear(v any) error {
	names, ok := words(v)
	if err := want(ok, "clear", "a list of field names"); err != nil {
		return err
	}
	for _, n := range names {
		f := Field(n)
		if !f.in(textFields) && !f.in(listFields) && !f.in(itemFields) {
			return unknownField(n, "clear")
		}
		p.Clear = append(p.Clear, f)
	}
	return nil
}

func (p *Patch) drop(v any) error {
	o, ok := v.(object)
	if err := want(ok || v == nil, "drop", "an object of lists by field name"); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		f := Field(key)
		if !f.in(listFields) && !f.in(itemFields) {
			return unknownField(model.Text(key), "drop")
		}
		list, ok := words(o[key])
		if err := want(ok, "drop", "an object of lists by field name"); err != nil {
			return err
		}
		p.Drop[f] = list
	}
	return nil
}

func want(ok bool, field, shape string) error {
	if ok {
		return nil
	}
	return invalid("%q must be %s", model.Text(field), shape).At(field)
}

func unknownField(name model.Text, verb string) error {
	return invalid("a thread has no list or text %q to %s", name, verb).At(verb)
}

func invalid(format string, args ...any) *model.Error {
	return model.Invalid(format, args...)
}
