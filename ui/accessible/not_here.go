package accessible

import (
	"context"

	"vise/ui/action"
)

// notHere are the actions of the screen's console that have no menu here, and what is here
// instead. Those in a dialog's contexts are how a dialog is typed into, and so left out: here a
// dialog is a row of questions.
var notHere = map[action.ID]string{
	action.Down: lists, action.Up: lists, action.Top: lists, action.Bottom: lists,
	action.HalfDown: lists, action.HalfUp: lists, action.PageDown: lists, action.PageUp: lists,
	action.PreviewDown: lists, action.PreviewUp: lists, action.Leftwards: lists, action.Rightwards: lists,
	action.TodoDown: lists, action.TodoUp: lists, action.TriageDown: lists, action.TriageUp: lists,
	action.TriageScrollDown: lists, action.TriageScrollUp: lists, action.RadarDown: lists, action.RadarUp: lists,
	action.ConflictDown: lists, action.ConflictUp: lists, action.Unfold: lists,
	action.NextPane: menus, action.PrevPane: menus, action.NextTab: menus, action.PrevTab: menus, action.Zoom: menus,
	action.NextMatch: "a search says every line that it found", action.PrevMatch: "a search says every line that it found",
	action.NextAgent: "the agents are a list", action.PrevAgent: "the agents are a list",
	action.MarkRange: "marking takes spans, as 5-7", action.MarkClass: "marking takes classes, as queued",
	action.Palette: "a choice takes the first words of any line", action.Follow: "what others do is told as it happens",
	action.Refresh: "each menu is read anew", action.Redraw: "nothing is redrawn: ? says a menu again",
	action.Back: goes, action.WayBack: goes, action.Quit: "q", action.ForceQuit: "ctrl+c is the terminal's own", action.Suspend: "ctrl+z is the terminal's own",
	action.CopyBack: goes, action.TodoClose: goes, action.TriageClose: goes, action.RadarClose: goes, action.ConflictClose: goes,
	action.TodoSave: "each change of the checklist is saved at once", action.TodoUndo: "Undo takes the last change of the checklist back",
}

const (
	lists = "a list is said whole, and chosen from by number"
	menus = "there are menus instead of panes and tabs"
	goes  = "b goes back"
)

// typing are the contexts that are only how a dialog is typed into or scrolled.
var typing = map[action.Context]bool{action.Text: true, action.Menu: true, action.Reader: true, action.Output: true}

// help says everything that can be done, in the order of the table, and where the rest went.
func (s *session) help(context.Context) error {
	for _, a := range action.Standard() {
		if _, is := notHere[a.ID]; is || typing[a.In] && a.ID != action.MenuPosture {
			continue
		}
		s.say("%s: %s.%s", title(a), a.Does, where[a.In])
	}
	said := map[string]bool{}
	for _, a := range action.Standard() {
		if why := notHere[a.ID]; why != "" && !said[why] {
			said[why] = true
			s.say("Instead of %s: %s.", title(a), why)
		}
	}
	return nil
}

// where tells the way to what is not in the first menu or an item's.
var where = map[action.Context]string{
	action.Copy: " In Copy.", action.Todos: " In Edit todos.", action.Triage: " In Triage findings.",
	action.Radar: " In Threads and branches.", action.Conflict: " When somebody else wrote the plan meanwhile.", action.Menu: " In Agents.",
}
