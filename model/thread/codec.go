package thread

import (
	"encoding/json"
	"slices"

	"vise/model"
)

// problem is a value in a thread's file that vise does not use. A problem with Stop prevents a save, because the save would lose words of
// the file: the file stays unchanged until somebody repairs it.
type problem struct {
	Kind  string
	Field string
	Stop  bool

	value any // the file's value, of a wrong type
}

const (
	wrongType     = "wrong_type"
	newerVersion  = "newer_version"
	unknownStatus = "unknown_status"
	overLong      = "over_long"
	foreignID     = "foreign_id"
)

// Read reads a thread's file. id comes from the file's name, and counts more than an id in the file. An error has code damaged: nothing in
// the file can be trusted. Otherwise Problems lists what is wrong.
func Read(id ID, raw []byte) (Thread, error) {
	o, err := readObject(raw)
	if err != nil {
		return Thread{}, err
	}
	r := threadReader{members: members{from: o}, into: Thread{ID: id}}
	r.head()
	r.body()
	r.tail()
	if v := r.variant(); v != "" {
		return Thread{}, damaged("the key %q differs from a known one only in the case of its letters", model.Text(v))
	}
	return r.into, nil
}

type threadReader struct {
	members
	into     Thread
	problems []problem
}

func (r *threadReader) problem(kind, field string, stop bool) {
	r.problems = append(r.problems, problem{Kind: kind, Field: field, Stop: stop, value: r.from[field]})
}

func (r *threadReader) head() {
	if n, ok := r.take("version").(json.Number); ok && n.String() != "1" {
		r.problem(newerVersion, "version", true)
	}
	if s, _ := scalar(r.take("task_id")); s != "" && Slug(s) != r.into.ID {
		r.problem(foreignID, "task_id", false)
	}
	s, _ := scalar(r.take(string(statusField)))
	st, ok := ParseStatus(s)
	if !ok {
		st = InProgress
		if s != "" {
			r.problem(unknownStatus, string(statusField), false)
		}
	}
	r.into.Status = st
	r.into.CreatedAt, r.into.UpdatedAt = r.value("created_at"), r.value("updated_at")
}

func (r *threadReader) value(key string) model.Text {
	s, ok := scalar(r.take(key))
	if !ok {
		r.problem(wrongType, key, true)
	}
	return model.Text(trim(s))
}

func (r *threadReader) body() {
	for _, f := range textFields {
		*r.into.text(f) = r.value(string(f))
	}
	for _, f := range listFields {
		list, ok := words(r.take(string(f)))
		r.judge(f, len(list), ok)
		*r.into.list(f) = list
	}
	r.into.Uncertainties = readEntries(r, uncertainties, readUncertainty)
	r.into.DeadEnds = readEntries(r, discardedHypotheses, readDeadEnd)
	r.into.Gaps = readEntries(r, contractGaps, readGap)
	r.into.Evidence = readEntries(r, evidenceField, readEvidence)
}

func (r *threadReader) judge(f Field, n int, ok bool) {
	if !ok {
		r.problem(wrongType, string(f), true)
	}
	if n > f.limit() {
		r.problem(overLong, string(f), false)
	}
}

func readEntries[T any](r *threadReader, f Field, read func(any) (T, bool)) []T {
	v := r.take(string(f))
	list, ok := v.([]any)
	ok = ok || v == nil
	var out []T
	for _, v := range list {
		item, good := read(v)
		if !good {
			ok = false
			continue
		}
		out = append(out, item)
	}
	r.judge(f, len(list), ok)
	return out
}

func (r *threadReader) tail() {
	switch c := r.take("git_context").(type) {
	case nil:
	case object:
		git, ok := readGitContext(c)
		if !ok {
			r.problem(wrongType, "git_context", true)
		}
		if len(c) > 0 {
			r.into.Git = git
		}
	default:
		r.problem(wrongType, "git_context", true)
	}
	r.take("strongest_contract_gap")
	r.into.file = &file{more: r.rest(), problems: r.problems}
}

// Write encodes the thread as its file holds it. It refuses a thread whose file it could not read completely.
func (t Thread) Write() ([]byte, error) {
	if i := slices.IndexFunc(t.Problems(), stops); i >= 0 {
		p := t.Problems()[i]
		return nil, damaged("thread %s: the file's %s is not what vise can keep (%s)", t.ID, p.Field, p.Kind).
			WithHint("see vise thread doctor").At(p.Field)
	}
	out := append(jsonStyle{indent: true}.appendJSON(nil, t.object(), 0), '\n')
	if len(out) > MaxFileBytes {
		return nil, model.Refuse(model.CodeFull, "thread %s would have %d bytes, more than %d", t.ID, len(out), MaxFileBytes)
	}
	return out, nil
}

// writable reports whether a save would keep every word of the thread's file.
func (t Thread) writable() bool { return !slices.ContainsFunc(t.Problems(), stops) }

func stops(p problem) bool { return p.Stop }

// object returns the thread as JSON, with the file's unknown keys.
func (t Thread) object() object {
	o := object{}
	if t.file != nil {
		o = copyOf(t.file.more)
	}
	o["version"], o["task_id"], o["status"] = 1, t.ID, t.Status
	for _, f := range textFields {
		o[string(f)] = *t.text(f)
	}
	for _, f := range listFields {
		o[string(f)] = *t.list(f)
	}
	o[string(uncertainties)], o[string(discardedHypotheses)], o[string(contractGaps)] = t.Uncertainties, t.DeadEnds, t.Gaps
	putList(o, string(evidenceField), t.Evidence)
	if g := t.StrongestGap(); g != nil {
		o["strongest_contract_gap"] = g
	}
	o["created_at"], o["updated_at"] = t.CreatedAt, t.UpdatedAt
	if t.Git != nil {
		o["git_context"] = t.Git
	}
	return o
}

// Pointer is active.json: it names the active thread of a repository.
type Pointer struct {
	// Present: the file exists and can be read.
	Present bool
	// ID is empty if no thread is active.
	ID        ID         `key:"active_task_id" empty:"kept"`
	UpdatedAt model.Text `key:"updated_at" empty:"kept"`
	// Broken is the reason why the file could not be read. Such a pointer names no thread.
	Broken error

	more object
}

// ReadPointer reads active.json. If it cannot be read, the pointer is Broken and there is no error, because only the threads' files count.
func ReadPointer(raw []byte) Pointer {
	o, err := readObject(raw)
	if err != nil {
		return Pointer{Broken: err}
	}
	p, ok := Pointer{Present: true}, false
	p.more, ok = readEntry(o, &p, "version")
	if !ok || p.ID != "" && !ValidID(string(p.ID)) {
		return Pointer{Broken: damaged("active_task_id is no thread id"), more: p.more}
	}
	return p
}

// To returns the pointer moved to id.
func (p Pointer) To(id ID, at model.Text) Pointer {
	return Pointer{Present: true, ID: id, UpdatedAt: at, more: p.more}
}

// Write encodes the pointer as its file holds it.
func (p Pointer) Write() []byte {
	o := spellEntry(p.more, &p)
	o["version"] = 1
	return append(jsonStyle{indent: true}.appendJSON(nil, o, 0), '\n')
}
