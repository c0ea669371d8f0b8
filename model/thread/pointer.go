package thread

import (
	"encoding/json"

	"vise/model"
)

// Pointer is active.json: which thread of a repository is active.
type Pointer struct {
	// Present: the file is there and readable.
	Present bool
	// ID is empty when no thread is active.
	ID        ID
	UpdatedAt model.Text
	// Broken is why the file could not be read; such a pointer points nowhere.
	Broken error

	more object
}

// ReadPointer reads active.json. What it cannot read is a Broken pointer, not an error:
// the threads are the truth.
func ReadPointer(raw []byte) Pointer {
	o, err := readObject(raw)
	if err != nil {
		return Pointer{Broken: err}
	}
	m := members{from: o}
	m.take("version")
	id := m.text("active_task_id").Raw()
	p := Pointer{Present: true, UpdatedAt: m.text("updated_at"), more: m.rest()}
	if m.wrong || id != "" && !ValidID(id) {
		return Pointer{Broken: damaged("active_task_id is no thread id"), more: p.more}
	}
	p.ID = ID(id)
	return p
}

// To is the pointer moved to id.
func (p Pointer) To(id ID, at model.Text) Pointer {
	return Pointer{Present: true, ID: id, UpdatedAt: at, more: p.more}
}

// Write spells the pointer as its file holds it.
func (p Pointer) Write() []byte {
	o := copyOf(p.more)
	o["version"] = json.Number("1")
	o["active_task_id"], o["updated_at"] = string(p.ID), p.UpdatedAt.Raw()
	return append(jsonStyle{indent: true}.appendJSON(nil, o, 0), '\n')
}
