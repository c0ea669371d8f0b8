package console

import (
	"time"

	"vise/ui/action"
	"vise/ui/console/screen"
)

// goShown is the time before the list of places appears.
const goShown = 300 * time.Millisecond

// openGo waits for the letter of a place, and lists the letters after a while.
func openGo(c *console) {
	m := &menu{Title: "Go to", Lines: goLines(c), hidden: true, Foot: "a letter goes there · {back} close"}
	c.open(m)
	c.start(c.fx.after(goShown, func(*console) { m.hidden = false }))
}

// goLines are the places with their letters.
func goLines(c *console) []menuLine {
	line := func(key, title, does string, do act) menuLine {
		return menuLine{Key: key, Title: title, Does: does, Result: do, Group: "GO TO"}
	}
	out := []menuLine{
		line("g", "To the top", "first row or line", func(c *console) { c.act(action.Top) }),
		line("d", "Go to the Desk", "one agent's work", toView(viewDesk)),
		line("f", "Go to the Fleet", "all agents, and what needs you", toView(viewFleet)),
		line("a", "Go to the Activity", "everything that happens", toActivity),
		line("r", "Go to the Reports", "finished work", toView(viewReports)),
	}
	for tab, x := range tabLetters {
		if c.view == viewDesk {
			out = append(out, line(x.key, "Go to the tab "+screen.TabNames[tab], x.does, goTab(screen.Tab(tab))))
		}
	}
	if c.view == viewDesk {
		out = append(out, line("y", "Unfold or fold why", "it is where it is, in its header", unfoldWhy))
	}
	return out
}

// tabLetters are the letters of the tabs, and what those that are not always there come with.
var tabLetters = [screen.TabCount]struct{ key, does, comes string }{
	{"p", "plan.md", ""}, {"s", "what the agent's program says and does", "a session of its program"}, {"t", "the checklist", ""},
	{"h", "its waits and what happened to it", ""}, {"c", "its report", ""}, {"b", "where work was left", "a thread of its repository"},
	{"l", "file todos", "file todos that are linked, or that need you"},
	{"v", "review: what the work changed; comments on its lines send the agent back", "a git repository where its agent works"},
}

// unfoldWhy unfolds the reasons in the header of the detail, or folds them. They are read only while they are shown.
func unfoldWhy(c *console) {
	c.reasons = !c.reasons
	openDetail(c)
	c.read()
}

// goTab goes into a tab of the detail, if the item has it.
func goTab(tab screen.Tab) act {
	return func(c *console) {
		if !c.detailView().Offers(tab) {
			c.say("There is no tab " + screen.TabNames[tab] + " here; it comes with " + tabLetters[tab].comes + ".")
			return
		}
		openDetail(c)
		showTab(c, tab)
	}
}

func copyMenu(*console) dialog {
	return &menu{Title: "Copy", Lines: copyLines(), Foot: "a letter copies · {back} close"}
}

// copyLines are the parts of an item that can be copied, with their letters.
func copyLines() (out []menuLine) {
	for _, x := range action.CopyChoices() {
		out = append(out, menuLine{Group: "COPY", Key: x.Key, Title: "Copy " + x.Title, Does: x.Does, Result: copying(x)})
	}
	return out
}
