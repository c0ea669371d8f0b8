package action

// The actions.
const (
	Down, Up                     ID = "down", "up"
	Top, Bottom                  ID = "top", "bottom"
	PageDown, PageUp             ID = "page-down", "page-up"
	HalfDown, HalfUp             ID = "half-down", "half-up"
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
	Undo, Redo                   ID = "undo", "redo"
	NextMatch, PrevMatch         ID = "next-match", "previous-match"
	Leftwards, Rightwards        ID = "leftwards", "rightwards"
	Changes, PlanSeen            ID = "changes", "plan-seen"
	Earlier, Later               ID = "earlier", "later"
	Mark, MarkRange, MarkClass   ID = "mark", "mark-range", "mark-class"
	Filter, Refresh, Unfold      ID = "filter", "refresh", "unfold"
	Agents, NextAgent, PrevAgent ID = "agents", "next-agent", "previous-agent"
	NeedsYou, PrevNeed, Brief    ID = "next-needs-you", "previous-needs-you", "brief"
	ZeroDo, ZeroChoose, ZeroUndo ID = "zero-do", "zero-choose", "zero-undo"
	ZeroNext, ZeroPrev, ZeroOpen ID = "zero-next", "zero-previous", "zero-open"
	ZeroDown, ZeroUp, ZeroClose  ID = "zero-down", "zero-up", "zero-close"
	Acknowledge                  ID = "acknowledge"
	Snooze, Snoozed              ID = "snooze", "snoozed"
	ViewDesk, ViewFleet          ID = "view-desk", "view-fleet"
	ViewActivity, ViewReports    ID = "view-activity", "view-reports"
	Follow, AllEvents, WayBack   ID = "follow", "activity-all", "way-back"
	Help, Palette, CopyOf, GoTo  ID = "help", "palette", "copy", "go"
	Quit, ForceQuit              ID = "quit", "quit-now"
	Suspend, Redraw              ID = "suspend", "redraw"

	copyID, copyPath, copyObjective ID = "copy-id", "copy-path", "copy-objective"
	CopyReport, copyJSON, CopyBack  ID = "copy-report", "copy-json", "copy-back"

	GoTop, GoBack                          ID = "go-top", "go-back"
	GoDesk, GoFleet, GoActivity, GoReports ID = "go-desk", "go-fleet", "go-activity", "go-reports"
	GoPlan, GoTodos, GoWaits, GoEvents     ID = "go-plan", "go-todos", "go-waits", "go-events"
	GoWhy, GoReport, GoThread, GoFiles     ID = "go-why", "go-report", "go-thread", "go-files"
	GoChanges                              ID = "go-changes"
	copyMarkdown, copyReference            ID = "copy-markdown", "copy-reference"

	Submit, SubmitLine, NextField, PrevField, Close ID = "submit", "submit-line", "next-field", "previous-field", "close"

	TodoState, TodoAdd, TodoEdit               ID = "todo-state", "todo-add", "todo-edit"
	TodoRowDown, TodoRowUp, TodoDrop           ID = "todo-row-down", "todo-row-up", "todo-drop"
	TodoUndo, TodoSave, TodoClose              ID = "todo-undo", "todo-save", "todo-close"
	TodoDown, TodoUp                           ID = "todo-down", "todo-up"
	TriageOpen, TriageClose, TriageBoard       ID = "triage", "triage-close", "triage-board"
	TriageApprove, TriageDefer                 ID = "triage-approve", "triage-defer"
	TriageFalse, TriageDuplicate               ID = "triage-false-positive", "triage-duplicate"
	TriageScope, TriageSuperseded              ID = "triage-out-of-scope", "triage-superseded"
	TriageWontFix, TriageUndo, TriageNext      ID = "triage-wont-fix", "triage-undo", "triage-next"
	TriageRank                                 ID = "triage-rank"
	FileOpen, FileStart, FileComplete          ID = "file-open", "file-start", "file-complete"
	FileBlock, FilePromote                     ID = "file-block", "file-promote"
	DiffNext, DiffPrev                         ID = "diff-next-file", "diff-previous-file"
	DiffHunk, DiffBack                         ID = "diff-next-hunk", "diff-previous-hunk"
	DiffFold, DiffSpace                        ID = "diff-fold", "diff-white-space"
	DiffComment, DiffDrop, DiffSend            ID = "diff-comment", "diff-drop", "diff-send"
	TriageDown, TriageUp                       ID = "triage-down", "triage-up"
	TriageScrollDown, TriageScrollUp           ID = "triage-scroll-down", "triage-scroll-up"
	MenuRun, MenuDown, MenuUp, MenuClose       ID = "menu-run", "menu-down", "menu-up", "menu-close"
	MenuPageDown, MenuPageUp                   ID = "menu-page-down", "menu-page-up"
	MenuPosture                                ID = "menu-posture"
	Threads, ThreadClose, ThreadDown, ThreadUp ID = "threads", "threads-close", "threads-down", "threads-up"
	ThreadGo, threadSwitch, threadFresh        ID = "thread-go-on", "thread-switch", "thread-fresh"
	ThreadRebind, threadDiff, ThreadRun        ID = "thread-rebind", "thread-diff", "thread-run"
	QuestionDown, QuestionUp                   ID = "question-down", "question-up"
	EditOutside                                ID = "edit-outside"
	ConflictMine, ConflictTheirs               ID = "conflict-mine", "conflict-theirs"
	ConflictDiff, ConflictCopy                 ID = "conflict-diff", "conflict-beside"
	ConflictDown, ConflictUp                   ID = "conflict-down", "conflict-up"
	ConflictClose                              ID = "conflict-close"
	ReadDown, ReadUp                           ID = "read-down", "read-up"
	ReadPageDown, ReadPageUp                   ID = "read-page-down", "read-page-up"
	ReadTop, ReadBottom                        ID = "read-top", "read-bottom"
	ReadSeen, ReadClose                        ID = "read-seen", "read-close"
	ReadApply, ReadRun                         ID = "read-apply", "read-run"
)

// Standard returns the catalogue with vise's own keys. The actions of the desk are in the order of the hint line, which is that of likely
// use.
func Standard() Catalogue {
	return append(Catalogue{
		{ID: Do, Title: "Do the obvious", Does: "what the hint line names: pick, tick a todo, answer, acknowledge", Hint: "do",
			Keys: []string{"space"}, In: Desk, Group: Work},
		{ID: Pick, Title: "Pick work item…", Does: "make it the agent's focus", Hint: "pick", Keys: []string{"p"}, In: Desk, Group: Work,
			Verb: "pick", Writes: true, Single: true, why: offered("PickWorkItem")},
		{ID: Complete, Title: "Complete work item…", Does: "with a report; it is final", Hint: "complete", Keys: []string{"c"}, In: Desk,
			Group: Work, Verb: "complete", Writes: true, Single: true, Typed: true, why: offered("CompleteWorkItem")},
		{ID: Block, Title: "Block or unblock…", Does: "block it with a reason, or unblock it; also marked rows", Hint: "block",
			Keys: []string{"b"}, In: Desk, Group: Work, Verb: "block", Writes: true, Typed: true, why: blockable},
		{ID: Wait, Title: "Wait for…", Does: "park it until an answer, a task, an event or a time", Hint: "wait", Keys: []string{"w"},
			In: Desk, Group: Work, Verb: "wait", Writes: true, Single: true, Typed: true, why: offered("WaitFor")},
		{ID: Answer, Title: "Answer…", Does: "what it asks; the agent decides what to do with it", Hint: "answer", Keys: []string{"i"},
			In: Desk, Group: Work, Verb: "answer", Writes: true, Single: true, Typed: true, why: offered("Answer")},
		{ID: Review, Title: "Retry, or review trigger…", Does: "a stalled item, a resting agent; else what woke it", Hint: "review",
			Keys: []string{"r"}, In: Desk, Group: Work, Verb: "retry", Writes: true, Single: true, why: aTry},
		{ID: EditPlan, Title: "Edit plan", Does: "open plan.md in $EDITOR", Hint: "edit plan", Keys: []string{"e"}, In: Desk, Group: Work,
			Verb: "plan edit", Writes: true, Single: true, why: editable},
		{ID: TodoList, Title: "Edit todos…", Does: "the whole checklist, saved as one snapshot", Hint: "todos", Keys: []string{"t"},
			In: Desk, Group: Work, Verb: "update --todos -", Writes: true, Single: true, why: offered("UpdateWorkItem")},
		{ID: Tick, Title: "Tick the next todo", Does: "the one in progress, else the first that is open", Hint: "tick", In: Desk,
			Group: Work, Verb: "update --todos -", Writes: true, Single: true, why: ticks},
		{ID: New, Title: "New work item…", Does: "for this agent; the focus stays", Hint: "new", Keys: []string{"o"}, In: Desk, Group: Work,
			Verb: "new", Writes: true, Typed: true, why: anAgent},
		{ID: Objective, Title: "Edit objective…", Does: "what the work item is for", In: Desk, Group: Work,
			Verb: "update --objective", Writes: true, Single: true, Typed: true, why: offered("UpdateWorkItem")},
		{ID: Status, Title: "Plan status…", Does: "draft, ready or needs input", In: Desk, Group: Work,
			Verb: "update --plan-status", Writes: true, Single: true, why: offered("UpdateWorkItem")},
		{ID: Priority, Title: "Priority…", Does: "high, normal or low in the agent's queue", In: Desk, Group: Work,
			Verb: "update --priority", Writes: true, Single: true, why: offered("UpdateWorkItem")},
		{ID: Report, Title: "Choose or give a report…", Does: "of an item that was completed without one", Hint: "report",
			Keys: []string{"P"}, In: Desk, Group: Work, Verb: "report", Writes: true, Single: true,
			Typed: true, why: offered("ReportWorkItem")},
		{ID: Acknowledge, Title: "Acknowledge", Does: "hide it from the inbox until something new happens; also marked rows",
			Hint: "acknowledge", Keys: []string{"A"}, In: Desk, Group: Work, Verb: "ack", Writes: true, why: aNeed},
		{ID: Snooze, Title: "Snooze…", Does: "hide it from the inbox until a time or a change, or bring it back", Keys: []string{"S"},
			In: Desk, Group: Work, Verb: "snooze", Writes: true, Single: true, why: aSnooze},
		{ID: Message, Title: "Message agent…", Does: "for its next turn; it never becomes work by itself", Keys: []string{"m"}, In: Desk,
			Group: Work, Verb: "say", Writes: true, Typed: true, why: aKnownAgent},

		{ID: Undo, Title: "Undo", Does: "take your last act back, unless its item moved on", Keys: []string{"u"}, In: Desk, Group: always,
			Verb: "undo", Writes: true, why: undoable},
		{ID: Redo, Title: "Redo", Does: "carry out again what was undone", Keys: []string{"U"}, In: Desk, Group: always, Verb: "redo",
			Writes: true, why: redoable},
		{ID: TriageOpen, Title: "Triage findings…", Does: "judge the file todos that need you, ten at a time", Hint: "triage",
			Keys: []string{"T"}, In: Desk, Group: look, Verb: "todo triage", why: findings},
		{ID: Threads, Title: "Threads and branches…", Does: "where work was left, what would wake it, and the ways on", Keys: []string{"W"},
			In: Desk, Group: look, Verb: "thread list --everywhere", why: inEarnest},
		{ID: Open, Title: "Open", Does: "go to the detail, or to what the cursor is on", Hint: "open", Keys: []string{"enter"}, In: Desk,
			Group: look, why: opens},
		{ID: NextPane, Title: "Next pane", Does: "queue, detail, activity", Hint: "pane", Keys: []string{"tab", "l", "right"}, In: Desk,
			Group: look},
		{ID: PrevPane, Title: "Previous pane", Does: "activity, detail, queue", Keys: []string{"shift+tab", "h", "left", "alt+shift+tab"},
			In: Desk, Group: look},
		{ID: NextTab, Title: "Next tab", Does: "of the detail", Keys: []string{"]"}, In: Desk, Group: look, why: onDesk},
		{ID: PrevTab, Title: "Previous tab", Does: "of the detail", Keys: []string{"["}, In: Desk, Group: look, why: onDesk},
		{ID: PreviewDown, Title: "Scroll the detail down", Does: "without leaving the queue", Keys: []string{"J"}, In: Desk, Group: look,
			why: hasPreview},
		{ID: PreviewUp, Title: "Scroll the detail up", Does: "without leaving the queue", Keys: []string{"K"}, In: Desk, Group: look,
			why: hasPreview},
		{ID: Zoom, Title: "Zoom pane", Does: "give the pane the whole screen, or take it back", Keys: []string{"z"}, In: Desk, Group: look},
		{ID: Leftwards, Title: "Left", Does: "in wide code and tables of the plan", Keys: []string{"H"}, In: Desk, Group: look,
			why: onDesk},
		{ID: Rightwards, Title: "Right", Does: "in wide code and tables of the plan", Keys: []string{"L"}, In: Desk, Group: look,
			why: onDesk},
		{ID: NextMatch, Title: "Next match", Does: "of what is searched for in the plan", Keys: []string{"n"}, In: Desk, Group: look,
			why: searching},
		{ID: PrevMatch, Title: "Previous match", Does: "of what is searched for in the plan", Keys: []string{"N"}, In: Desk, Group: look,
			why: searching},
		{ID: Changes, Title: "Changes since I looked", Does: "what came and went in plan.md", Keys: []string{"d"}, In: Desk, Group: look,
			why: onDeskItem},
		{ID: PlanSeen, Title: "Plan seen", Does: "take the marks of changed lines away", In: Desk, Group: look,
			why: onDeskItem},
		{ID: Filter, Title: "Filter, or search the plan",
			Does: `in the detail: the plan; else words, "exact", -without, class: has: age: agent: kind: text:`, Hint: "filter",
			Keys: []string{"/"}, In: Desk, Group: look, Typed: true},
		{ID: Unfold, Title: "Unfold or fold the queue", Does: "all rows, or the first of each class", In: Desk,
			Group: look, why: onDesk},
		{ID: Snoozed, Title: "Snoozed entries", Does: "show what is hidden from the inbox, at its end, or hide it again", In: Desk,
			Group: look, Verb: "inbox --snoozed"},
		{ID: DiffSpace, Title: "White space in changes", Does: "show lines in which it alone changed, or leave them out", In: Desk,
			Group: look, why: onDesk},
		{ID: Follow, Title: "Follow", Does: "the newest event, or stop there", Keys: []string{"f"}, In: Desk, Group: look, why: onActivity},
		{ID: Earlier, Title: "Earlier save, longer strips", Does: "▁▂▅▇ work  ? asks  ◆ triggered", Keys: []string{"<"}, In: Desk,
			Group: look, why: timed},
		{ID: Later, Title: "Later save, shorter strips", Does: "✓ completed  ✗ failed  · nothing", Keys: []string{">"}, In: Desk,
			Group: look, why: timed},
		{ID: AllEvents, Title: "Activity all, or work alone", Does: "the scheduler's events too, wherever events are shown",
			In: Desk, Group: look},
		{ID: Refresh, Title: "Refresh", Does: "read the ledger and the plan again, apply the new order", Keys: []string{"R"}, In: Desk,
			Group: look},

		{ID: Down, Title: "Down", Does: "next row, or a line of the pane", Keys: []string{"j", "down"}, In: Desk, Group: Move},
		{ID: Up, Title: "Up", Does: "previous row, or a line of the pane", Keys: []string{"k", "up"}, In: Desk, Group: Move},
		{ID: Top, Title: "To the top", Does: "first row or line; also {go} {go-top}", Keys: []string{"home"}, In: Desk, Group: Move},
		{ID: Bottom, Title: "To the end", Does: "last row or line", Keys: []string{"G", "end"}, In: Desk, Group: Move},
		{ID: HalfDown, Title: "Half a page down", Does: "of the pane in focus", Keys: []string{"ctrl+d"}, In: Desk, Group: Move},
		{ID: HalfUp, Title: "Half a page up", Does: "of the pane in focus", Keys: []string{"ctrl+u"}, In: Desk, Group: Move},
		{ID: PageDown, Title: "A page down", Does: "of the pane in focus", Keys: []string{"pgdown"}, In: Desk, Group: Move},
		{ID: PageUp, Title: "A page up", Does: "of the pane in focus", Keys: []string{"pgup"}, In: Desk, Group: Move},

		{ID: Mark, Title: "Mark", Does: "this row, or take its mark away, and go on", Keys: []string{"v"}, In: Desk, Group: Select,
			why: markable},
		{ID: MarkRange, Title: "Mark a range", Does: "from here to where it is pressed again", Keys: []string{"V"}, In: Desk, Group: Select,
			why: markable},
		{ID: MarkClass, Title: "Mark the class", Does: "all shown rows of this row's class; in the inbox what needs the same",
			Keys: []string{"*"}, In: Desk, Group: Select, why: markable},

		{ID: ViewDesk, Title: "Desk", Does: "one agent's work: queue, detail, activity", Keys: []string{"1"}, In: Desk, Group: Places},
		{ID: ViewFleet, Title: "Fleet", Does: "all agents, and what needs you across them", Keys: []string{"2"}, In: Desk, Group: Places},
		{ID: ViewActivity, Title: "Activity", Does: "everything that happens, of all agents", Keys: []string{"3"}, In: Desk, Group: Places},
		{ID: ViewReports, Title: "Reports", Does: "finished work and its reports, of all agents", Keys: []string{"4"}, In: Desk,
			Group: Places},
		{ID: GoTo, Title: "Go to…", Does: "a view or a tab, by its letter", Keys: []string{"g"}, In: Desk, Group: Places},
		{ID: WayBack, Title: "Back to where I was",
			Does: "the place before the last jump", Keys: []string{"ctrl+o"}, In: Desk, Group: Places},
		{ID: NeedsYou, Title: "Run to zero…", Does: "what needs you, of any agent, one by one with what it rests on; from the next one on",
			Keys: []string{"."}, In: Desk, Group: Places, why: anybodyNeedsYou},
		{ID: PrevNeed, Title: "Run to zero, backwards…", Does: "the same from the one before", Keys: []string{","}, In: Desk, Group: Places,
			why: anybodyNeedsYou},
		{ID: Brief, Title: "Brief", Does: "what happened while you were away, and what needs you", In: Desk, Group: Places, Verb: "brief"},
		{ID: Agents, Title: "Choose agent…", Does: "whose desk is shown", Keys: []string{"a"}, In: Desk, Group: Places, Verb: "agents",
			Typed: true, why: anAgent},
		{ID: NextAgent, Title: "Next agent", Does: "by name", Keys: []string{"}"}, In: Desk, Group: Places, why: severalAgents},
		{ID: PrevAgent, Title: "Previous agent", Does: "by name", Keys: []string{"{"}, In: Desk, Group: Places, why: severalAgents},

		{ID: Palette, Title: "Everything",
			Does: "what can be done now, work items, agents, themes, settings, by their words; wait timer 16:00",
			Hint: "palette", Keys: []string{":", "ctrl+p"}, In: Desk,
			Group: always},
		{ID: Help, Title: "Keys and actions", Does: "search this list, run from it", Hint: "help", Keys: []string{"?"}, In: Desk,
			Group: always},
		{ID: CustomCommands, Title: "Your own…", Does: "commands and saved filters of your configuration", In: Desk,
			Group: always},
		{ID: SaveFilter, Title: "Save filter…", Does: "under a name, for the palette and vise list", In: Desk,
			Group: always, Typed: true, why: all(inEarnest, aFilter)},
		{ID: CopyOf, Title: "Copy…", Does: "id, plan path, objective, report, Markdown, MCP reference or JSON", Keys: []string{"y"},
			In: Desk, Group: always, why: anItem},
		{ID: Back, Title: "Back", Does: "close, clear the message, clear the filter", Keys: []string{"esc", "alt+esc"}, In: Desk,
			Group: always},
		{ID: Quit, Title: "Quit", Does: "back, or quit; what is being saved is waited for", Keys: []string{"q"}, In: Desk, Group: always},
		{ID: ForceQuit, Title: "Quit from anywhere", Does: "twice: without waiting for what is being saved", Keys: []string{"ctrl+c"},
			In: Desk, Group: always},
		{ID: Suspend, Title: "Suspend", Does: "back to the shell; fg returns", Keys: []string{"ctrl+z"}, In: Desk, Group: always},
		{ID: Redraw, Title: "Redraw", Does: "paint the screen afresh", Keys: []string{"ctrl+l"}, In: Desk, Group: always},

		{ID: GoTop, Title: "To the top", Does: "first row or line", Keys: []string{"g"}, In: Go, Group: going},
		{ID: GoDesk, Title: "Go to the Desk", Does: "one agent's work", Keys: []string{"d"}, In: Go, Group: going},
		{ID: GoFleet, Title: "Go to the Fleet", Does: "all agents, and what needs you", Keys: []string{"f"}, In: Go, Group: going},
		{ID: GoActivity, Title: "Go to the Activity", Does: "everything that happens", Keys: []string{"a"}, In: Go, Group: going},
		{ID: GoReports, Title: "Go to the Reports", Does: "finished work", Keys: []string{"r"}, In: Go, Group: going},
		{ID: GoPlan, Title: "Go to the tab Plan", Does: "plan.md", Keys: []string{"p"}, In: Go, Group: going, why: onDesk},
		{ID: GoTodos, Title: "Go to the tab Todos", Does: "the checklist", Keys: []string{"t"}, In: Go, Group: going, why: onDesk},
		{ID: GoWaits, Title: "Go to the tab Waits", Does: "what it waits for", Keys: []string{"w"}, In: Go, Group: going, why: onDesk},
		{ID: GoEvents, Title: "Go to the tab Events", Does: "what happened to it", Keys: []string{"e"}, In: Go, Group: going, why: onDesk},
		{ID: GoWhy, Title: "Go to the tab Why", Does: "why it is where it is", Keys: []string{"y"}, In: Go, Group: going, why: onDesk},
		{ID: GoReport, Title: "Go to the tab Report", Does: "its report", Keys: []string{"c"}, In: Go, Group: going, why: onDesk},
		{ID: GoThread, Title: "Go to the tab Thread", Does: "where work was left", Keys: []string{"h"}, In: Go, Group: going, why: onDesk},
		{ID: GoFiles, Title: "Go to the tab Files", Does: "file todos", Keys: []string{"l"}, In: Go, Group: going, why: onDesk},
		{ID: GoChanges, Title: "Go to the tab Changes", Does: "what the work changed", Keys: []string{"v"}, In: Go, Group: going,
			why: onDesk},
		{ID: GoBack, Title: "Go nowhere", Does: "close", Keys: []string{"esc", "alt+esc"}, In: Go, Group: going},

		{ID: copyID, Title: "Copy id", Does: "of the work item", Keys: []string{"y"}, In: Copy, Group: Copying, why: anItem},
		{ID: copyPath, Title: "Copy plan path", Does: "the absolute path of plan.md", Keys: []string{"p"}, In: Copy, Group: Copying,
			why: anItem},
		{ID: copyObjective, Title: "Copy objective", Does: "as it was written", Keys: []string{"o"}, In: Copy, Group: Copying, why: anItem},
		{ID: CopyReport, Title: "Copy report", Does: "the completion report as it was written", Keys: []string{"r"}, In: Copy,
			Group: Copying, why: reported},
		{ID: copyJSON, Title: "Copy as JSON", Does: "as vise show --json", Keys: []string{"j"}, In: Copy, Group: Copying,
			Verb: "show --json", why: anItem},
		{ID: copyMarkdown, Title: "Copy as Markdown", Does: "a task list line for each item", Keys: []string{"m"}, In: Copy, Group: Copying,
			why: anItem},
		{ID: copyReference, Title: "Copy MCP reference", Does: "of the plan: vise://plan/ID", Keys: []string{"c"}, In: Copy, Group: Copying,
			why: anItem},
		{ID: CopyBack, Title: "Copy nothing", Does: "close", Keys: []string{"esc", "alt+esc"}, In: Copy, Group: Copying},

		{ID: Submit, Title: "Save", Does: "carry out what the dialog says", Keys: []string{"ctrl+s", "ctrl+enter"}, In: Text,
			Group: inText},
		{ID: SubmitLine, Title: "Save from a one-line field", Does: "a line break in a field of several lines", Keys: []string{"enter"},
			In: Text, Group: inText},
		{ID: NextField, Title: "Next field", Does: "or choice", Keys: []string{"tab"}, In: Text, Group: inText},
		{ID: PrevField, Title: "Previous field", Does: "or choice", Keys: []string{"shift+tab", "alt+shift+tab"}, In: Text, Group: inText},
		{ID: QuestionDown, Title: "Scroll the question down", Does: "when it is longer than what fits", Keys: []string{"pgdown"}, In: Text,
			Group: inText},
		{ID: QuestionUp, Title: "Scroll the question up", Does: "when it is longer than what fits", Keys: []string{"pgup"}, In: Text,
			Group: inText},
		{ID: EditOutside, Title: "Edit in $EDITOR", Does: "the text of the field; what you save there comes back", Keys: []string{"ctrl+o"},
			In: Text, Group: inText},
		{ID: Close, Title: "Close", Does: "what was typed is kept as a draft", Keys: []string{"esc", "alt+esc"}, In: Text, Group: inText},

		{ID: TodoState, Title: "Next state", Does: "pending, in progress, completed", Keys: []string{"space"}, In: Todos, Group: inTodos},
		{ID: TodoAdd, Title: "Add a todo", Does: "below the cursor", Keys: []string{"o"}, In: Todos, Group: inTodos},
		{ID: TodoEdit, Title: "Edit the todo", Does: "enter keeps, esc leaves it as it was", Keys: []string{"e", "enter"}, In: Todos,
			Group: inTodos},
		{ID: TodoDown, Title: "Down", Does: "next todo", Keys: []string{"j", "down"}, In: Todos, Group: inTodos},
		{ID: TodoUp, Title: "Up", Does: "previous todo", Keys: []string{"k", "up"}, In: Todos, Group: inTodos},
		{ID: TodoRowDown, Title: "Move the todo down", Does: "order in the list is its order", Keys: []string{"J"}, In: Todos,
			Group: inTodos},
		{ID: TodoRowUp, Title: "Move the todo up", Does: "order in the list is its order", Keys: []string{"K"}, In: Todos, Group: inTodos},
		{ID: TodoDrop, Title: "Drop the todo", Does: "u brings it back", Keys: []string{"D"}, In: Todos, Group: inTodos},
		{ID: TodoUndo, Title: "Undo", Does: "the last change to the list", Keys: []string{"u"}, In: Todos, Group: inTodos},
		{ID: TodoSave, Title: "Save the whole list", Does: "as one snapshot", Keys: []string{"ctrl+s", "ctrl+enter"}, In: Todos,
			Group: inTodos},
		{ID: TodoClose, Title: "Close", Does: "the list stays as a draft", Keys: []string{"esc", "alt+esc", "q"}, In: Todos,
			Group: inTodos},

		{ID: TriageApprove, Title: "Approve", Does: "it is to be worked on", Keys: []string{"space", "1"}, In: Triage, Group: inTriage,
			Verb: "todo triage --approve"},
		{ID: TriageDefer, Title: "Defer", Does: "not now: it stays pending", Keys: []string{"2"}, In: Triage, Group: inTriage,
			Verb: "todo triage --defer"},
		{ID: TriageFalse, Title: "False positive…", Does: "the finding is not true, because", Keys: []string{"3"}, In: Triage,
			Group: inTriage, Verb: "todo triage --false-positive"},
		{ID: TriageDuplicate, Title: "Duplicate…", Does: "another todo says the same (merge)", Keys: []string{"4"}, In: Triage,
			Group: inTriage, Verb: "todo triage --duplicate-of"},
		{ID: TriageScope, Title: "Out of scope…", Does: "true, and not for now, because", Keys: []string{"5"}, In: Triage, Group: inTriage,
			Verb: "todo triage --out-of-scope"},
		{ID: TriageSuperseded, Title: "Superseded…", Does: "something else replaced it", Keys: []string{"6"}, In: Triage, Group: inTriage,
			Verb: "todo triage --superseded"},
		{ID: TriageWontFix, Title: "Won't fix…", Does: "true, and accepted, because", Keys: []string{"7"}, In: Triage, Group: inTriage,
			Verb: "todo triage --wont-fix"},
		{ID: TriageRank, Title: "Priority…", Does: "p1, p2 or p3; it stays undecided", Keys: []string{"8"}, In: Triage,
			Group: inTriage, Verb: "todo triage --priority"},
		{ID: TriageUndo, Title: "Undo", Does: "take the last decision back", Keys: []string{"u"}, In: Triage, Group: inTriage,
			Verb: "todo triage --undo"},
		{ID: TriageNext, Title: "Next ten", Does: "of the findings that nobody has decided on", Keys: []string{"."}, In: Triage,
			Group: inTriage},
		{ID: TriageBoard, Title: "Board", Does: "all todos by status, or back to the findings", Keys: []string{"t"}, In: Triage,
			Group: inTriage},
		{ID: TriageDown, Title: "Down", Does: "next finding", Keys: []string{"j", "down"}, In: Triage, Group: inTriage},
		{ID: TriageUp, Title: "Up", Does: "previous finding", Keys: []string{"k", "up"}, In: Triage, Group: inTriage},
		{ID: TriageScrollDown, Title: "Scroll down", Does: "what the finding says, and the code", Keys: []string{"J", "ctrl+d", "pgdown"},
			In: Triage, Group: inTriage},
		{ID: TriageScrollUp, Title: "Scroll up", Does: "what the finding says, and the code", Keys: []string{"K", "ctrl+u", "pgup"},
			In: Triage, Group: inTriage},
		{ID: TriageClose, Title: "Close", Does: "what was decided is saved", Keys: []string{"esc", "alt+esc", "q"}, In: Triage,
			Group: inTriage},

		{ID: FileOpen, Title: "Open in the editor", Does: "the code at the line, or the todo's file where it names none", Hint: "open",
			Keys: []string{"e", "enter"}, In: Files, Group: inFiles},
		{ID: FileStart, Title: "Start", Does: "claim it for you; what is pending is approved by that", Hint: "start",
			Keys: []string{"p", "space"},
			In:   Files, Group: inFiles, Verb: "todo start"},
		{ID: FileComplete, Title: "Complete todo…", Does: "it is fixed; say what fixed it", Hint: "complete", Keys: []string{"c"},
			In: Files, Group: inFiles, Verb: "todo complete"},
		{ID: FileBlock, Title: "Interrupt or unblock", Does: "lay it down unfinished; what is blocked or interrupted is ready again",
			Hint: "interrupt", Keys: []string{"b"}, In: Files,
			Group: inFiles, Verb: "todo interrupt"},
		{ID: FilePromote, Title: "Promote", Does: "make a work item of it, linked to it; it stays undecided", Hint: "promote",
			Keys: []string{"o"}, In: Files, Group: inFiles, Verb: "todo promote"},

		{ID: DiffNext, Title: "Next file", Does: "that the work changed", Hint: "next file", Keys: []string{"]"}, In: Diff, Group: inDiff},
		{ID: DiffPrev, Title: "Previous file", Does: "that the work changed", Keys: []string{"["}, In: Diff, Group: inDiff},
		{ID: DiffHunk, Title: "Next hunk", Does: "of any unfolded file", Hint: "next hunk", Keys: []string{"n"}, In: Diff, Group: inDiff},
		{ID: DiffBack, Title: "Previous hunk", Does: "of any unfolded file", Keys: []string{"N"}, In: Diff, Group: inDiff},
		{ID: DiffFold, Title: "Fold or unfold", Does: "the file at the cursor", Hint: "fold", Keys: []string{"space", "enter"}, In: Diff,
			Group: inDiff},
		{ID: DiffComment, Title: "Comment…", Does: "on the line at the cursor, or on the file; kept until it is sent", Hint: "comment",
			Keys: []string{"o"}, In: Diff, Group: inDiff, Verb: "comment", Writes: true, Typed: true, why: anItem},
		{ID: DiffSend, Title: "Send comments", Does: "all that were not sent, as one message; without any, another message",
			Hint: "send", Keys: []string{"m"}, In: Diff, Group: inDiff, Verb: "review --send", Writes: true, Typed: true, why: anItem},
		{ID: DiffDrop, Title: "Drop the comment", Does: "at the cursor, if it was not sent", Keys: []string{"D"}, In: Diff, Group: inDiff,
			Verb: "undo", Writes: true, why: anItem},

		{ID: ThreadGo, Title: "Go on", Does: "the thread becomes the active one", Keys: []string{"p", "space", "enter"}, In: ThreadBoard,
			Group: inThreads, Verb: "thread resume"},
		{ID: threadSwitch, Title: "Switch", Does: "copy the command that goes to where it was saved", Keys: []string{"y"}, In: ThreadBoard,
			Group: inThreads},
		{ID: threadFresh, Title: "Fresh…", Does: "begin another thread here", Keys: []string{"o"}, In: ThreadBoard, Group: inThreads,
			Verb: "thread start"},
		{ID: ThreadRebind, Title: "Rebind…", Does: "take a parked thread over to this branch", Keys: []string{"1"}, In: ThreadBoard,
			Group: inThreads, Verb: "thread resume --rebind"},
		{ID: threadDiff, Title: "Diff", Does: "copy the command that shows what changed since", Keys: []string{"d"}, In: ThreadBoard,
			Group: inThreads},
		{ID: ThreadRun, Title: "Run…", Does: "a command that it recommends, confirmed word by word", Keys: []string{"2"}, In: ThreadBoard,
			Group: inThreads, Verb: "thread record"},
		{ID: ThreadDown, Title: "Down", Does: "next thread", Keys: []string{"j", "down"}, In: ThreadBoard, Group: inThreads},
		{ID: ThreadUp, Title: "Up", Does: "previous thread", Keys: []string{"k", "up"}, In: ThreadBoard, Group: inThreads},
		{ID: ThreadClose, Title: "Close", Does: "everything stays as it is", Keys: []string{"esc", "alt+esc", "q"}, In: ThreadBoard,
			Group: inThreads},
	}, reading()...)
}
