package console

import (
	"slices"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// permitMenu shows what an agent's program asks for, and takes the operator's answer.
func permitMenu(c *console, r model.Row) widget.Dialog {
	x := c.context()
	id, _ := r.Permission()
	var p model.Permission
	for _, a := range c.truth.agents {
		if i := slices.IndexFunc(a.Permissions, func(p model.Permission) bool { return p.ID == id }); a.ID == r.AgentID && i >= 0 {
			p = a.Permissions[i]
		}
	}
	program := x.Show(p.Program)
	m := &widget.Menu{Title: program + " of " + string(r.Handle) + " asks for " + x.Cut(p.Tool, 30),
		Foot: "1-3 or {menu-run} choose · {menu-close} close"}
	for _, l := range []struct {
		answer      model.PermissionAnswer
		title, does string
	}{
		{model.PermitOnce, "1 once", "allow this call"},
		{model.PermitAlways, "2 always", "allow it, and what " + program + " remembers with it"},
		{model.PermitDeny, "3 deny", "refuse this call"},
	} {
		line := widget.MenuLine{Title: l.title, Does: l.does, Result: widget.Apply{
			Said:    "Answered " + program + " of " + string(r.Handle) + ": " + string(l.answer),
			Command: model.AnswerPermission{AgentID: r.AgentID, PermissionID: id, Answer: l.answer}}}
		if l.answer == model.PermitAlways && !p.CanAlways {
			line.Off = program + " takes no such answer here"
		}
		m.Lines = append(m.Lines, line)
	}
	say := func(group string, words model.Text) {
		for _, l := range text.Wrap(x.Show(words), max(x.Inner()-6, 8)) {
			m.Lines = append(m.Lines, widget.MenuLine{Group: group, Title: l})
		}
	}
	say("WITH", p.Input)
	say("SESSION", p.Session)
	return m
}
