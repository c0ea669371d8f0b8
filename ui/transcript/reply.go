package transcript

import (
	"encoding/json"
	"slices"

	"vise/model"
)

// reply is one reply of a model: its words and its calls of tools.
type reply struct {
	id    string
	text  []string
	calls []call
}

// call is a call of a tool. item is what it asks to complete; empty for any other.
type call struct {
	id, item            string
	answered, completed bool
}

func (r *reply) call(id, tool string, input json.RawMessage) {
	r.calls = append(r.calls, call{id: id, item: Completes(tool, input)})
}

// answer notes how a call ended. An answer to a call of another reply is none here.
func (r *reply) answer(id string, failed bool, content json.RawMessage) {
	for i := range r.calls {
		if c := &r.calls[i]; c.id == id && !c.answered {
			c.answered, c.completed = true, c.item != "" && !failed && Succeeded(content)
		}
	}
}

// over: all calls have answers.
func (r *reply) over() bool {
	return !slices.ContainsFunc(r.calls, func(c call) bool { return !c.answered })
}

func (r *reply) round(of model.ReportOf) Round {
	out := Round{ID: r.id, Text: Words(r.text...), Provenance: of}
	for _, c := range r.calls {
		if c.completed && !slices.Contains(out.Completed, c.item) {
			out.Completed, out.Tools = append(out.Completed, c.item), append(out.Tools, c.id)
		}
	}
	return out
}
