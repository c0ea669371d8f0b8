package screen

import (
	"strings"

	"vise/model"
	"vise/ui/text"
)

// Tab is a page of the detail.
type Tab int

// The tabs.
const (
	TabPlan Tab = iota
	TabSession
	tabTodos
	TabHistory
	TabReport
	TabThread
	TabFiles
	TabChanges
	TabCount
)

// TabNames are the tabs' names on screen.
var TabNames = [TabCount]string{"Plan", "Session", "Todos", "History", "Report", "Thread", "Files", "Changes"}

// TabOf returns the page that shows what an entry of the inbox is about.
func TabOf(n model.Need) Tab {
	switch n {
	case model.NeedAnswer, model.NeedPickup:
		return TabHistory
	case model.NeedChoice, model.NeedReport:
		return TabReport
	}
	return TabPlan
}

// Offers reports whether a tab is shown among the others. Session, Thread, Files and Changes are shown only if they have content, or while
// they are open.
func (v Detail) Offers(t Tab) bool {
	switch {
	case t == v.Tab:
		return true
	case t == TabSession:
		return v.Session != nil
	case t == TabThread:
		return v.Linked || !v.Card.Empty()
	case t == TabFiles:
		return len(v.Files.Linked)+len(v.Files.Todos)+len(v.Files.Damaged) > 0
	case t == TabChanges:
		return v.HasChanges
	}
	return true
}

// tabs names the pages, the open one in brackets. Each can be clicked.
func (v Detail) tabs(pane int) (title string, regions []Region) {
	if v.Preview {
		return v.Strong.Paint(TabNames[v.Tab]), nil
	}
	var names []string
	var tabs []Tab
	shown := 0
	for i, name := range TabNames {
		switch {
		case Tab(i) == v.Tab:
			shown = len(names)
			names = append(names, v.Accent.Paint(v.Mark(name)))
		case v.Offers(Tab(i)):
			names = append(names, v.Muted.Paint(name))
		default:
			continue
		}
		tabs = append(tabs, Tab(i))
	}
	if v.Wide {
		title = v.Strong.Paint("Detail") + "  "
	}
	from, to := around(names, shown, v.W-tabsMargin-text.Width(title))
	if from > 0 {
		title += "… "
	}
	for i := from; i < to; i++ {
		at := Rect{v.X + titleAt + text.Width(title), v.Y, text.Width(names[i]), 1}
		regions = append(regions, Region{Rect: at, Pane: pane, Row: int(tabs[i]), IsTab: true})
		if title += names[i]; i+1 < len(names) {
			title += " "
		}
	}
	if to < len(names) {
		title += "…"
	}
	return title, regions
}

// tabsMargin is how many cells the border takes of the line with the tabs' names; titleAt is the part of them that is before the names.
const tabsMargin, titleAt = 6, 3

// around returns the part of a list of names, from and to, that fits into w cells and contains name i. An ellipsis stands for the names
// that are left out at an end.
func around(names []string, i, w int) (from, to int) {
	to = len(names)
	width := func() int {
		n := text.Width(strings.Join(names[from:to], " "))
		return n + 2*min(from, 1) + 2*min(len(names)-to, 1)
	}
	for width() > w && to-from > 1 {
		if to-1 > i {
			to--
		} else {
			from++
		}
	}
	return from, to
}
