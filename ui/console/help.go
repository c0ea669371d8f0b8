package console

import (
	"cmp"
	"strconv"
	"strings"

	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// helping shows the core of the keys, each with what it does where the operator is.
func helping(c *console) dialog {
	type line struct{ key, words, off string }
	var all []line
	core, title := action.Core, "Keys here: "+whereWords(c)
	if _, ok := c.layers.top().(*triage); ok {
		core, title = nil, "Keys of the triage"
		for i, v := range action.Verdicts {
			all = append(all, line{key: strconv.Itoa(i + 1), words: v.Title + ": " + strings.TrimSuffix(v.Does, ", because")})
		}
		for _, x := range action.OfFiles {
			all = append(all, line{key: c.keys.KeyOf(x.ID), words: x.Title + ": " + x.Does})
		}
		all = append(all, line{words: c.keys.Keyed("{down} {up} next finding, the one before · {preview-down} {preview-up} scroll it · " +
			"{next-needs-you} the next ten · {undo} take your last decision back · {todos} all todos by status")})
	}
	for _, id := range core {
		l := line{key: c.keys.KeyOf(id)}
		l.words, l.off = does(c, id)
		all = append(all, l)
	}
	return &pager{
		Title: title, Narrow: true, Foot: "{palette} all other acts · {back} close",
		Keys: map[action.ID]message{action.Palette: run(action.Palette), action.Help: nil},
		Lines: func(x facts, w int) (out []string) {
			const keyCells = 8
			for _, l := range all {
				ink := x.Text
				if l.off != "" {
					ink, l.words = x.Faint, "not now: "+l.off
				}
				out = append(out, x.Hang(" "+x.Key.Paint(text.Pad(l.key, keyCells)), ink, x.Safe(l.words), w-keyCells-2)...)
			}
			return append(out, "", x.Note("all other acts: ")+x.Key.Paint(x.KeyOf(action.Palette)))
		},
	}
}

// whereWords names the place whose keys are meant.
func whereWords(c *console) string {
	switch {
	case c.view != viewDesk:
		return viewNames[c.view]
	case c.focus == paneDetail:
		return "the tab " + screen.TabNames[c.tab]
	}
	return "Desk"
}

// doesHere says what acts of the core do to the ITEM at the cursor, or for its AGENT.
var doesHere = map[action.ID]string{
	action.NeedsYou: "what needs you, one by one", action.Pick: "pick ITEM, make it the focus of AGENT",
	action.Tick: "tick the next todo of ITEM", action.Complete: "complete ITEM, with a report; it is final",
	action.New: "a new work item for AGENT; the focus stays", action.EditPlan: "edit plan.md of ITEM",
	action.Message: "say something to AGENT, for its next turn",
}

// does says what an action of the core would do now, or why it cannot be done.
func does(c *console, id action.ID) (words, off string) {
	a, s, item := c.keys.ByID(id), c.state(), ""
	if s.Item != nil {
		item = string(s.Item.Handle)
	}
	if x, ok := onPage(c, id); ok && x.word != "" {
		return x.word, ""
	}
	if off := c.keys.Refusal(a, s); off != "" {
		return "", off
	}
	words = strings.NewReplacer("ITEM", item, "AGENT", clean(c.agent)).Replace(cmp.Or(doesHere[id], c.keys.Keyed(a.Does)))
	switch id {
	case action.Do:
		words, _ = does(c, c.keys.Obvious(s))
		words = "the next step: " + words
	case action.Filter:
		words = findWords(c)
	case action.Undo:
		words = "take back: " + s.Undo
	case action.Open:
		words = openWords(c)
	}
	return words, ""
}

// findWords say what is searched here.
func findWords(c *console) string {
	switch {
	case c.view == viewReports:
		return "find finished work by words"
	case c.view == viewFleet && c.fleet.Focus == screen.FleetActivity:
		return "find events by words"
	case c.view == viewFleet:
		return "find work items of all agents by words"
	case c.focus == paneDetail:
		return "search the plan"
	}
	return "find work items of " + clean(c.agent) + " by words"
}

// openWords say what enter opens.
func openWords(c *console) string {
	switch {
	case c.view == viewFleet && c.fleet.Focus == screen.FleetAgents:
		return "the Desk of " + clean(c.agent)
	case c.view == viewReports:
		return "go on to the report"
	case c.view == viewDesk:
		return "go into the detail"
	}
	return "its work item on its Desk"
}
