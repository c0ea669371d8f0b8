package console

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/text"
)

// permitMenu shows the permission request of an agent's program, and takes the operator's answer.
func permitMenu(c *console, r model.Row) dialog {
	x := c.facts()
	id, _ := r.Permission()
	var p model.Permission
	for _, a := range c.truth.agents {
		if i := slices.IndexFunc(a.Permissions, func(p model.Permission) bool { return p.ID == id }); a.ID == r.AgentID && i >= 0 {
			p = a.Permissions[i]
		}
	}
	m := &menu{Title: x.Show(p.Program) + " of " + string(r.Handle) + " asks for " + x.Cut(p.Tool, 30),
		Foot: "1-3 or {menu-run} choose · {menu-close} close", Lines: permitLines(x, r, p)}
	for i := range m.Lines {
		m.Lines[i].Title = fmt.Sprintf("%d %s", i+1, m.Lines[i].Title)
	}
	say := func(group string, words model.Text) {
		for _, l := range text.Wrap(x.Show(words), max(x.Inner()-6, 8)) {
			m.Lines = append(m.Lines, menuLine{Group: group, Title: l})
		}
	}
	say("WITH", p.Input)
	say("SESSION", p.Session)
	return m
}

// permitLines are the possible answers to a permission request.
func permitLines(x facts, r model.Row, p model.Permission) []menuLine {
	program := x.Show(p.Program)
	var out []menuLine
	for _, l := range []struct {
		answer model.PermissionAnswer
		does   string
	}{
		{model.PermitOnce, "allow this call"}, {model.PermitAlways, "allow it, and what " + program + " remembers with it"},
		{model.PermitDeny, "refuse this call"},
	} {
		line := menuLine{Title: string(l.answer), Does: l.does, Result: apply{
			Said:    "Answered " + program + " of " + string(r.Handle) + ": " + string(l.answer),
			Command: model.AnswerPermission{AgentID: r.AgentID, PermissionID: p.ID, Answer: l.answer}}}
		if l.answer == model.PermitAlways && !p.CanAlways {
			line.Off = program + " takes no such answer here"
		}
		out = append(out, line)
	}
	return out
}
