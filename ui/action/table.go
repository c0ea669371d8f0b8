package action

import "slices"

// The actions.
const (
	Down, Up                     ID = "down", "up"
	Top, Bottom                  ID = "top", "bottom"
	PageDown, PageUp             ID = "page-down", "page-up"
	NextPane, PrevPane           ID = "next-pane", "previous-pane"
	NextTab, PrevTab             ID = "next-tab", "previous-tab"
	PreviewDown, PreviewUp       ID = "preview-down", "preview-up"
	Open, Back, Zoom             ID = "open", "back", "zoom"
	Do, Tick                     ID = "do", "tick"
	Pick, Complete, Block        ID = "pick", "complete", "block"
	Wait, New, EditPlan          ID = "wait", "new", "edit-plan"
	Objective, TodoList, Status  ID = "objective", "todos", "plan-status"
	Review, Report, Priority     ID = "review", "report", "priority"
	Answer, Message              ID = "answer", "message"
	Undo, Redo, Drop             ID = "undo", "redo", "drop"
	NextMatch, PrevMatch         ID = "next-match", "previous-match"
	Leftwards, Rightwards        ID = "leftwards", "rightwards"
	Changes, PlanSeen, DiffSpace ID = "changes", "plan-seen", "diff-white-space"
	Earlier, Later               ID = "earlier", "later"
	Mark, MarkClass              ID = "mark", "mark-class"
	Filter, Refresh, Unfold      ID = "filter", "refresh", "unfold"
	Agents, NextAgent, PrevAgent ID = "agents", "next-agent", "previous-agent"
	NeedsYou, PrevNeed, Brief    ID = "next-needs-you", "previous-needs-you", "brief"
	Hide, Hidden, Start          ID = "hide", "hidden", "start"
	ViewDesk, ViewFleet          ID = "view-desk", "view-fleet"
	ViewReports                  ID = "view-reports"
	TriageOpen, Threads          ID = "triage", "threads"
	CopyOf, GoTo, WayBack        ID = "copy", "go", "way-back"
	Help, Palette                ID = "help", "palette"
	SaveFilter                   ID = "save-filter"
	Quit, ForceQuit              ID = "quit", "quit-now"
	Suspend, Redraw              ID = "suspend", "redraw"
	Submit, EditOutside, Posture ID = "submit", "edit-outside", "posture"
)

// Standard returns the catalogue with vise's own keys. The actions of the desk are in the order of the hint line, which is that of likely
// use.
func Standard() Catalogue {
	return slices.Concat(
		in(Desk, Work,
			key(Do, "Next step", "what the hint line names: it opens what needs you, ticks a todo, picks; it never decides", "space").
				hint("do"),
			key(Pick, "Pick work item…", "make it the agent's focus", "p").hint("pick").onItem("pick", "PickWorkItem"),
			key(Complete, "Complete work item…", "with a report; it is final", "c").hint("complete").
				onItem("complete", "CompleteWorkItem").typed(),
			key(Block, "Block or unblock…", "block it with a reason, or unblock it; also marked rows", "b").hint("block").
				writes("block").typed().needs(blockable),
			key(Wait, "Wait for…", "park it until an answer, a task, an event or a time", "w").hint("wait").onItem("wait", "WaitFor").
				typed(),
			key(Answer, "Answer…", "what it asks; the agent decides what to do with it", "i").hint("answer").onItem("answer", "Answer").
				typed(),
			key(Review, "Retry, or review the news…", "a stalled item, a resting agent; else what woke it", "r").hint("review").
				writes("retry").single().needs(aTry),
			key(EditPlan, "Edit plan", "open plan.md in $EDITOR; in a checklist the todo, in triage the code", "e").hint("edit plan").
				writes("plan edit").single().needs(editable),
			key(TodoList, "Edit todos…", "the whole checklist, saved as one snapshot; in triage all todos by status", "t").hint("todos").
				onItem("update --todos -", "UpdateWorkItem"),
			key(Tick, "Tick the next todo", "the one in progress, else the first that is open").hint("tick").writes("update --todos -").
				single().needs(ticks),
			key(New, "New work item…", "for this agent; the focus stays; in a checklist a todo, in Changes a comment", "o").hint("new").
				writes("new").typed().needs(anAgent),
			key(Objective, "Edit objective…", "what the work item is for").onItem("update --objective", "UpdateWorkItem").typed(),
			key(Status, "Plan status…", "draft, ready or needs input").onItem("update --plan-status", "UpdateWorkItem"),
			key(Priority, "Priority…", "high, normal or low in the agent's queue").onItem("update --priority", "UpdateWorkItem"),
			key(Report, "Choose or give a report…", "of an item that was completed without one", "P").hint("report").
				onItem("report", "ReportWorkItem").typed(),
			key(Hide, "Hide until…", "something new happens, an hour, tonight, tomorrow, a time; also marked rows", "A").
				hint("hide").writes("hide").needs(aNeed),
			key(Start, "Start agent", "its program, in a process of its own, on the item at the cursor", "R").
				verb("start").needs(all(inEarnest, anAgent)),
			key(Posture, "Stop or resume agent", "stopped: a running turn ends, and no turn begins", "ctrl+t").writes("agents stop").
				needs(aKnownAgent),
			key(Message, "Message agent…", "for its next turn; it never becomes work by itself; in Changes it sends the comments", "m").
				writes("say").typed().needs(aKnownAgent)),
		in(Desk, always,
			key(Undo, "Undo", "take your last act back, unless its item moved on", "u").writes("undo").needs(undoable),
			key(Redo, "Redo", "carry out again what was undone", "U").writes("undo --redo").needs(redoable),
			key(Submit, "Save", "carry out what the dialog says", "ctrl+s", "ctrl+enter").needs(only("in a dialog"))),
		in(Desk, look,
			key(TriageOpen, "Triage findings…", "judge the file todos that need you, ten at a time",
				"T").hint("triage").verb("todo triage").needs(findings),
			key(Threads, "Threads and branches…", "where work was left, what would wake it, and the ways on",
				"W").verb("thread list --everywhere").needs(inEarnest),
			key(Open, "Open", "go to the detail, or to what the cursor is on; save a line, choose", "enter").hint("open").needs(opens),
			key(NextPane, "Next pane", "the next pane or field; {next-tab} and {previous-tab} turn the tabs of the detail",
				"tab", "l", "right").hint("pane"),
			key(PrevPane, "Previous pane", "or field", "shift+tab", "h", "left", "alt+shift+tab"),
			key(NextTab, "Next tab", "of the detail; in Changes the next file", "]").needs(onDesk),
			key(PrevTab, "Previous tab", "of the detail; in Changes the previous file", "[").needs(onDesk),
			key(PreviewDown, "Scroll the detail down", "without leaving the list; in a checklist the todo moves", "J").needs(hasPreview),
			key(PreviewUp, "Scroll the detail up", "without leaving the list; in a checklist the todo moves", "K").needs(hasPreview),
			key(Zoom, "Zoom pane", "give the pane the whole screen, or take it back", "z"),
			key(Leftwards, "Left", "in wide code and tables of the plan", "H").needs(onDesk),
			key(Rightwards, "Right", "in wide code and tables of the plan", "L").needs(onDesk),
			key(NextMatch, "Next match", "of what is searched for in the plan; in Changes the next hunk, in Session the next turn", "n").
				needs(searching),
			key(PrevMatch, "Previous match", "of what is searched for in the plan; in Changes the previous hunk", "N").needs(searching),
			key(Changes, "What came and went in the plan", "since you looked", "d").needs(onDeskItem),
			key(PlanSeen, "Plan seen", "take the marks of changed lines away").needs(onDeskItem),
			key(Filter, "Filter, or search the plan",
				`in the detail: the plan; else words, "exact", -without, class: has: age: agent: kind: text:`, "/").hint("filter").typed(),
			key(Unfold, "Unfold or fold the queue", "all rows, or the first of each class").needs(onDesk),
			key(Hidden, "Hidden entries", "show what is hidden from the inbox, at its end, or hide it again").verb("inbox --snoozed"),
			key(DiffSpace, "White space in diffs", "show lines in which it alone changed, or leave them out").needs(onDesk),
			key(Earlier, "Earlier save", "of the plan; in Session the earlier session", "<").needs(onDeskItem),
			key(Later, "Later save", "of the plan; in Session the later session", ">").needs(onDeskItem),
			key(Refresh, "Refresh", "read the ledger and the plan again, apply the new order", "ctrl+r")),
		in(Desk, Move,
			key(Down, "Down", "next row, or a line of the pane", "j", "down"),
			key(Up, "Up", "previous row, or a line of the pane", "k", "up"),
			key(Top, "To the top", "first row or line; also {go} {go}", "home"),
			key(Bottom, "To the end", "last row or line", "G", "end"),
			key(PageDown, "A page down", "of the pane in focus", "pgdown", "ctrl+d"),
			key(PageUp, "A page up", "of the pane in focus", "pgup", "ctrl+u")),
		in(Desk, Select,
			key(Mark, "Mark", "this row, or take its mark away, and go on", "v").needs(markable),
			key(MarkClass, "Mark the class", "all shown rows of this row's class; in the inbox what needs the same",
				"*").needs(markable)),
		in(Desk, Places,
			key(ViewDesk, "Desk", "one agent's work", "1"),
			key(ViewFleet, "Fleet", "all agents, and what needs you", "2"),
			key(ViewReports, "Reports", "finished work", "3"),
			key(GoTo, "Go to…", "a view or a tab, by its letter", "g"),
			key(WayBack, "Back to where I was", "the place before the last jump", "ctrl+o"),
			key(NeedsYou, "What needs you…", "of any agent, one by one with what it rests on; in triage the next ten",
				".").needs(anybodyNeedsYou),
			key(PrevNeed, "What needs you, backwards…", "the same from the one before", ",").needs(anybodyNeedsYou),
			key(Brief, "Brief", "what happened while you were away, and what needs you").verb("brief"),
			key(Agents, "Choose agent…", "whose desk is shown", "a").verb("agents").typed().needs(anAgent),
			key(NextAgent, "Next agent", "by name", "}").needs(severalAgents),
			key(PrevAgent, "Previous agent", "by name", "{").needs(severalAgents)),
		in(Desk, always,
			key(Palette, "Everything", "acts, items, agents, settings by their words; also wait timer 16:00",
				":", "ctrl+p").hint("palette"),
			key(Help, "Help", "what these keys do where you are", "?").hint("help"),
			key(SaveFilter, "Save filter…", "under a name, for the palette and vise list").typed().needs(all(inEarnest, aFilter)),
			key(CopyOf, "Copy…", "id, plan path, objective, report, JSON, Markdown, MCP reference", "y").
				needs(anItem),
			key(Back, "Back", "close, or one step back; a dialog keeps what was typed", "esc", "alt+esc"),
			key(Quit, "Quit", "back, or quit; what is being saved is waited for", "q"),
			key(ForceQuit, "Quit from anywhere", "twice: without waiting for what is being saved", "ctrl+c"),
			key(Suspend, "Suspend", "back to the shell; fg returns", "ctrl+z"),
			key(Redraw, "Redraw", "paint the screen afresh", "ctrl+l")),
		in(Page, always, key(Drop, "Drop", "the todo of a checklist, or in Changes a comment that was not sent", "D")),
		in(Text, inText,
			key(EditOutside, "Edit in $EDITOR", "the text of the field; what you save there comes back", "ctrl+o")))
}

// in places the actions of a part of the console in its context, and under a heading of help.
func in(where Context, under group, actions ...Action) Catalogue {
	for i := range actions {
		actions[i].In, actions[i].Group = where, under
	}
	return actions
}

// key is an action with its title, what it does, and its keys.
func key(id ID, title, does string, keys ...string) Action {
	return Action{ID: id, Title: title, Does: does, Keys: keys}
}

func (a Action) hint(word string) Action { a.Hint = word; return a }
func (a Action) single() Action          { a.Single = true; return a }
func (a Action) typed() Action           { a.Typed = true; return a }

// verb names the same action on the command line.
func (a Action) verb(words string) Action { a.Verb = words; return a }

// writes is verb for an action that changes the ledger.
func (a Action) writes(words string) Action { a.Verb, a.Writes = words, true; return a }

// onItem is for an action that changes one item by a command of the ledger, which must make sense for it.
func (a Action) onItem(verb, command string) Action {
	return a.writes(verb).single().needs(offered(command))
}

// needs gives an action its condition.
func (a Action) needs(why func(State) string) Action { a.why = why; return a }
