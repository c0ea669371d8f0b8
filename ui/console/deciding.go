package console

import (
	"fmt"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
)

// mostAsked is how many linked todos are asked about one by one; those beyond share an answer.
const mostAsked = 20

// The choices about an open todo whose item is completed, as they stand in the dialog.
const (
	undecided = iota
	finished
	wontFix
	moved
	keepOpen
)

var decisions = []string{"undecided", "finished", "won't fix", "moved", "stays open"}

// openLinked are the linked todos of the item under the cursor that are not over.
func (c Console) openLinked() []LinkedTodo {
	d := c.detail()
	if d == nil || c.files.item != d.ID {
		return nil
	}
	var out []LinkedTodo
	for _, l := range c.files.Linked {
		if l.Missing == "" && !l.Todo.Status.Final() {
			out = append(out, l)
		}
	}
	return out
}

// decisionFields are the fields of a completion that ask what becomes of each open linked
// todo. Nothing is closed unless that is said there.
type decisionFields struct {
	groups []([]LinkedTodo)
	// first is the field of the first group; the reason and the item follow the last.
	first int
}

// deciding adds the fields to a completion.
func deciding(x widget.Context, f *widget.Form, open []LinkedTodo) decisionFields {
	d := decisionFields{first: len(f.Fields)}
	for i, l := range open {
		if last := len(d.groups) - 1; i >= mostAsked {
			d.groups[last] = append(d.groups[last], l)
			continue
		}
		d.groups = append(d.groups, []LinkedTodo{l})
	}
	if len(d.groups) == 0 {
		return d
	}
	for _, g := range d.groups {
		label := fmt.Sprintf("%s  %s, %s", g[0].Todo.Ref(), screen.FileWord(g[0].Todo.Status), x.Cut(g[0].Todo.Title, 44))
		if len(g) > 1 {
			label = fmt.Sprintf("%s and %d more linked todos", g[0].Todo.Ref(), len(g)-1)
		}
		f.Fields = append(f.Fields, widget.FormField{Label: label, Name: string(g[0].Todo.Ref()), Options: decisions})
	}
	f.Fields = append(f.Fields,
		widget.FormField{Label: "Why won't it be fixed?", Field: textField(1, model.MaxReason), Shown: d.any(wontFix)},
		widget.FormField{Label: "Moved to which work item?", Field: textField(1, model.MaxReason), Shown: d.any(moved)})
	f.Chord = true
	return d
}

// any reports whether a choice was made for any todo.
func (d decisionFields) any(choice int) func(*widget.Form) bool {
	return func(f *widget.Form) bool {
		for _, ff := range f.Fields[d.first : d.first+len(d.groups)] {
			if ff.Chosen == choice {
				return true
			}
		}
		return false
	}
}

// words are the choices as decisions by todo; trouble says what is missing.
func (d decisionFields) words(f *widget.Form) (words map[string]model.Text, trouble string) {
	if len(d.groups) == 0 {
		return nil, ""
	}
	why, to := f.Text(d.first+len(d.groups)), f.Text(d.first+len(d.groups)+1)
	words = map[string]model.Text{}
	for i, g := range d.groups {
		ref := g[0].Todo.Ref().String()
		word := model.Text("keep")
		switch f.Fields[d.first+i].Chosen {
		case undecided:
			return nil, "say what becomes of " + ref + " ({next-field}, then 2 to 5)"
		case wontFix:
			if why == "" {
				return nil, "say why " + ref + " won't be fixed"
			}
			word = "wont_fix: " + why
		case moved:
			if to == "" {
				return nil, "say which work item takes " + ref + " over"
			}
			word = "moved: " + to
		case finished:
			word = "finished"
		}
		for _, l := range g {
			words[string(l.Todo.Ref())] = word
		}
	}
	return words, ""
}
