package console

import (
	"fmt"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
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
	if d == nil || c.shelf.item != d.ID {
		return nil
	}
	var out []LinkedTodo
	for _, l := range c.shelf.Linked {
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
func deciding(c Console, f *form) decisionFields {
	d := decisionFields{first: len(f.fields)}
	for i, l := range c.openLinked() {
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
		label := fmt.Sprintf("%s  %s, %s", g[0].Todo.Ref(), fileWord(g[0].Todo.Status), text.Cut(c.show(g[0].Todo.Title), 44))
		if len(g) > 1 {
			label = fmt.Sprintf("%s and %d more linked todos", g[0].Todo.Ref(), len(g)-1)
		}
		f.fields = append(f.fields, formField{label: label, name: string(g[0].Todo.Ref()), options: decisions})
	}
	f.fields = append(f.fields,
		formField{label: "Why won't it be fixed?", Field: widget.NewField("", 1, model.MaxReason), shown: d.any(wontFix)},
		formField{label: "Moved to which work item?", Field: widget.NewField("", 1, model.MaxReason), shown: d.any(moved)})
	f.chord = true
	return d
}

// any reports whether a choice was made for any todo.
func (d decisionFields) any(choice int) func(*form) bool {
	return func(f *form) bool {
		for _, ff := range f.fields[d.first : d.first+len(d.groups)] {
			if ff.chosen == choice {
				return true
			}
		}
		return false
	}
}

// words are the choices as decisions by todo; trouble says what is missing.
func (d decisionFields) words(f *form) (words map[string]model.Text, trouble string) {
	if len(d.groups) == 0 {
		return nil, ""
	}
	why, to := f.text(d.first+len(d.groups)), f.text(d.first+len(d.groups)+1)
	words = map[string]model.Text{}
	for i, g := range d.groups {
		ref := g[0].Todo.Ref().String()
		word := model.Text("keep")
		switch f.fields[d.first+i].chosen {
		case undecided:
			return nil, "say what becomes of " + ref + " (tab, then 2 to 5)"
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
