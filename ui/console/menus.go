package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/widget"
)

// runMenu is a menu that is searched, whose lines are run.
func runMenu(title string, lines []widget.MenuLine) *widget.Menu {
	return &widget.Menu{Title: title, Searchable: true, Keyed: true, Lines: lines, Foot: "{menu-run} run · {menu-close} close"}
}

// helpMenu lists every key: those of this moment first.
func helpMenu(c Console) widget.Dialog {
	return runMenu("Keys and actions", actionLines(c, func(action.Action) bool { return true }))
}

// palette lists what can be asked of the desk, by name.
func palette(c Console) widget.Dialog {
	lines := actionLines(c, func(a action.Action) bool {
		return (a.In == action.Desk || a.In == action.Copy) && a.Group != action.Move && a.ID != action.CopyBack
	})
	return runMenu("Commands", append(lines, filterLines(c.opt.Settings)...))
}

// actsMenu lists what can be done to the item under the cursor, and why the rest cannot.
func actsMenu(c Console) widget.Dialog {
	r := *c.row()
	return runMenu(fmt.Sprintf("Actions of %s  %s", r.Handle, c.context().Cut(r.Objective, 40)),
		actionLines(c, func(a action.Action) bool { return a.Group == action.Work || a.Group == action.Copying }))
}

func actionLines(c Console, want func(action.Action) bool) []widget.MenuLine {
	var out []widget.MenuLine
	state := c.state()
	for _, a := range c.keys {
		if !want(a) {
			continue
		}
		l := widget.MenuLine{Group: string(a.Group), Title: a.Title, Does: a.Does, Key: keysOf(c.keys, a)}
		if a.In == action.Desk || a.In == action.Copy {
			l.Off, l.Result = c.keys.Refusal(a, state), widget.Run(a.ID)
		}
		out = append(out, l)
	}
	return out
}

// keysOf spells an action's keys: y p for one behind the copy key.
func keysOf(all action.Catalogue, a action.Action) string {
	var keys []string
	if a.In == action.Copy {
		keys = append(keys, all.KeyOf(action.CopyOf))
	}
	for _, k := range a.Keys {
		if !strings.HasPrefix(k, "alt+") {
			keys = append(keys, action.Shown(k))
		}
	}
	return strings.Join(keys, " ")
}

// filterLines are the saved filters as lines of a menu.
func filterLines(s config.Settings) []widget.MenuLine {
	var out []widget.MenuLine
	for _, name := range config.Names(s.Filters) {
		out = append(out, widget.MenuLine{Group: "SAVED FILTERS", Title: "Filter: " + name, Does: s.Filters[name],
			Result: widget.Intent{Msg: filterMsg(s.Filters[name])}})
	}
	return out
}

// agentMenu chooses whose desk is shown.
func agentMenu(c Console) widget.Dialog {
	m := &widget.Menu{Title: "Agents", Searchable: true, Foot: "{menu-run} show desk · {menu-posture} stop or resume · {menu-close} close"}
	for i, a := range c.truth.agents {
		if a.ID == c.place.agent {
			m.At = i
		}
		m.Lines = append(m.Lines, widget.MenuLine{Title: string(a.ID), Does: agentWords(a, c.now), Result: widget.Intent{Msg: visitMsg(a.ID)}, Other: posture(a)})
	}
	return m
}

// statusMenu sets the plan status.
func statusMenu(c Console) widget.Dialog {
	r := *c.row()
	m := &widget.Menu{Title: "Plan status of " + string(r.Handle), Foot: "1-3 or {menu-run} choose · {menu-close} close"}
	for i, p := range []struct {
		status model.PlanStatus
		does   string
	}{
		{model.Draft, "the plan is being written"}, {model.Ready, "the plan can be carried out"},
		{model.NeedsInput, "the operator must say something first; releases the focus"},
	} {
		l := widget.MenuLine{Title: fmt.Sprintf("%d %s", i+1, spaced(string(p.status))), Does: p.does,
			Result: widget.Apply{Said: "Plan status is " + spaced(string(p.status)),
				Command: model.UpdateWorkItem{WorkItemID: r.ID, PlanStatus: &p.status, SeenRevision: r.Revision}}}
		if p.status == r.PlanStatus {
			l.Off, m.At = "it is so already", i
		}
		m.Lines = append(m.Lines, l)
	}
	return m
}
