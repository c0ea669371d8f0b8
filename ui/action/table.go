package action

import "slices"

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
	return slices.Concat(
		in(Desk, Work,
			key(Do, "Do the obvious", "what the hint line names: pick, tick a todo, answer, acknowledge", "space").hint("do"),
			key(Pick, "Pick work item…", "make it the agent's focus", "p").hint("pick").writes("pick").single().
				needs(offered("PickWorkItem")),
			key(Complete, "Complete work item…", "with a report; it is final", "c").hint("complete").writes("complete").single().typed().
				needs(offered("CompleteWorkItem")),
			key(Block, "Block or unblock…", "block it with a reason, or unblock it; also marked rows", "b").hint("block").
				writes("block").typed().needs(blockable),
			key(Wait, "Wait for…", "park it until an answer, a task, an event or a time", "w").hint("wait").writes("wait").single().
				typed().needs(offered("WaitFor")),
			key(Answer, "Answer…", "what it asks; the agent decides what to do with it", "i").hint("answer").writes("answer").single().
				typed().needs(offered("Answer")),
			key(Review, "Retry, or review the news…", "a stalled item, a resting agent; else what woke it", "r").hint("review").
				writes("retry").single().needs(aTry),
			key(EditPlan, "Edit plan", "open plan.md in $EDITOR", "e").hint("edit plan").writes("plan edit").single().needs(editable),
			key(TodoList, "Edit todos…", "the whole checklist, saved as one snapshot", "t").hint("todos").writes("update --todos -").
				single().needs(offered("UpdateWorkItem")),
			key(Tick, "Tick the next todo", "the one in progress, else the first that is open").hint("tick").writes("update --todos -").
				single().needs(ticks),
			key(New, "New work item…", "for this agent; the focus stays", "o").hint("new").writes("new").typed().needs(anAgent),
			key(Objective, "Edit objective…", "what the work item is for").writes("update --objective").single().typed().
				needs(offered("UpdateWorkItem")),
			key(Status, "Plan status…", "draft, ready or needs input").writes("update --plan-status").single().
				needs(offered("UpdateWorkItem")),
			key(Priority, "Priority…", "high, normal or low in the agent's queue").writes("update --priority").single().
				needs(offered("UpdateWorkItem")),
			key(Report, "Choose or give a report…", "of an item that was completed without one", "P").hint("report").writes("report").
				single().typed().needs(offered("ReportWorkItem")),
			key(Acknowledge, "Acknowledge", "hide it from the inbox until something new happens; also marked rows", "A").
				hint("acknowledge").writes("ack").needs(aNeed),
			key(Snooze, "Snooze…", "hide it from the inbox until a time or a change, or bring it back", "S").writes("snooze").single().
				needs(aSnooze),
			key(Message, "Message agent…", "for its next turn; it never becomes work by itself", "m").writes("say").typed().
				needs(aKnownAgent)),
		in(Desk, always,
			key(Undo, "Undo", "take your last act back, unless its item moved on", "u").writes("undo").needs(undoable),
			key(Redo, "Redo", "carry out again what was undone", "U").writes("redo").needs(redoable)),
		in(Desk, look,
			key(TriageOpen, "Triage findings…", "judge the file todos that need you, ten at a time",
				"T").hint("triage").verb("todo triage").needs(findings),
			key(Threads, "Threads and branches…", "where work was left, what would wake it, and the ways on",
				"W").verb("thread list --everywhere").needs(inEarnest),
			key(Open, "Open", "go to the detail, or to what the cursor is on", "enter").hint("open").needs(opens),
			key(NextPane, "Next pane", "queue, detail, activity", "tab", "l", "right").hint("pane"),
			key(PrevPane, "Previous pane", "activity, detail, queue", "shift+tab", "h", "left", "alt+shift+tab"),
			key(NextTab, "Next tab", "of the detail", "]").needs(onDesk),
			key(PrevTab, "Previous tab", "of the detail", "[").needs(onDesk),
			key(PreviewDown, "Scroll the detail down", "without leaving the queue", "J").needs(hasPreview),
			key(PreviewUp, "Scroll the detail up", "without leaving the queue", "K").needs(hasPreview),
			key(Zoom, "Zoom pane", "give the pane the whole screen, or take it back", "z"),
			key(Leftwards, "Left", "in wide code and tables of the plan", "H").needs(onDesk),
			key(Rightwards, "Right", "in wide code and tables of the plan", "L").needs(onDesk),
			key(NextMatch, "Next match", "of what is searched for in the plan", "n").needs(searching),
			key(PrevMatch, "Previous match", "of what is searched for in the plan", "N").needs(searching),
			key(Changes, "Changes since I looked", "what came and went in plan.md", "d").needs(onDeskItem),
			key(PlanSeen, "Plan seen", "take the marks of changed lines away").needs(onDeskItem),
			key(Filter, "Filter, or search the plan",
				`in the detail: the plan; else words, "exact", -without, class: has: age: agent: kind: text:`, "/").hint("filter").typed(),
			key(Unfold, "Unfold or fold the queue", "all rows, or the first of each class").needs(onDesk),
			key(Snoozed, "Snoozed entries", "show what is hidden from the inbox, at its end, or hide it again").verb("inbox --snoozed"),
			key(DiffSpace, "White space in changes", "show lines in which it alone changed, or leave them out").needs(onDesk),
			key(Follow, "Follow", "the newest event, or stop there", "f").needs(onActivity),
			key(Earlier, "Earlier save, longer strips", "▁▂▅▇ work  ? asks  ◆ news", "<").needs(timed),
			key(Later, "Later save, shorter strips", "✓ completed  ✗ failed  · nothing", ">").needs(timed),
			key(AllEvents, "Activity all, or work alone", "the scheduler's events too, wherever events are shown"),
			key(Refresh, "Refresh", "read the ledger and the plan again, apply the new order", "R")),
		in(Desk, Move,
			key(Down, "Down", "next row, or a line of the pane", "j", "down"),
			key(Up, "Up", "previous row, or a line of the pane", "k", "up"),
			key(Top, "To the top", "first row or line; also {go} {go-top}", "home"),
			key(Bottom, "To the end", "last row or line", "G", "end"),
			key(HalfDown, "Half a page down", "of the pane in focus", "ctrl+d"),
			key(HalfUp, "Half a page up", "of the pane in focus", "ctrl+u"),
			key(PageDown, "A page down", "of the pane in focus", "pgdown"),
			key(PageUp, "A page up", "of the pane in focus", "pgup")),
		in(Desk, Select,
			key(Mark, "Mark", "this row, or take its mark away, and go on", "v").needs(markable),
			key(MarkRange, "Mark a range", "from here to where it is pressed again", "V").needs(markable),
			key(MarkClass, "Mark the class", "all shown rows of this row's class; in the inbox what needs the same",
				"*").needs(markable)),
		in(Desk, Places,
			key(ViewDesk, "Desk", "one agent's work: queue, detail, activity", "1"),
			key(ViewFleet, "Fleet", "all agents, and what needs you across them", "2"),
			key(ViewActivity, "Activity", "everything that happens, of all agents", "3"),
			key(ViewReports, "Reports", "finished work and its reports, of all agents", "4"),
			key(GoTo, "Go to…", "a view or a tab, by its letter", "g"),
			key(WayBack, "Back to where I was", "the place before the last jump", "ctrl+o"),
			key(NeedsYou, "Run to zero…", "what needs you, of any agent, one by one with what it rests on; from the next one on",
				".").needs(anybodyNeedsYou),
			key(PrevNeed, "Run to zero, backwards…", "the same from the one before", ",").needs(anybodyNeedsYou),
			key(Brief, "Brief", "what happened while you were away, and what needs you").verb("brief"),
			key(Agents, "Choose agent…", "whose desk is shown", "a").verb("agents").typed().needs(anAgent),
			key(NextAgent, "Next agent", "by name", "}").needs(severalAgents),
			key(PrevAgent, "Previous agent", "by name", "{").needs(severalAgents)),
		in(Desk, always,
			key(Palette, "Everything", "what can be done now, work items, agents, themes, settings, by their words; wait timer 16:00",
				":", "ctrl+p").hint("palette"),
			key(Help, "Keys and actions", "search this list, run from it", "?").hint("help"),
			key(CustomCommands, "Your own…", "commands and saved filters of your configuration"),
			key(SaveFilter, "Save filter…", "under a name, for the palette and vise list").typed().needs(all(inEarnest, aFilter)),
			key(CopyOf, "Copy…", "id, plan path, objective, report, Markdown, MCP reference or JSON", "y").needs(anItem),
			key(Back, "Back", "close, clear the message, clear the filter", "esc", "alt+esc"),
			key(Quit, "Quit", "back, or quit; what is being saved is waited for", "q"),
			key(ForceQuit, "Quit from anywhere", "twice: without waiting for what is being saved", "ctrl+c"),
			key(Suspend, "Suspend", "back to the shell; fg returns", "ctrl+z"),
			key(Redraw, "Redraw", "paint the screen afresh", "ctrl+l")),
		in(Go, going,
			key(GoTop, "To the top", "first row or line", "g"),
			key(GoDesk, "Go to the Desk", "one agent's work", "d"),
			key(GoFleet, "Go to the Fleet", "all agents, and what needs you", "f"),
			key(GoActivity, "Go to the Activity", "everything that happens", "a"),
			key(GoReports, "Go to the Reports", "finished work", "r"),
			key(GoPlan, "Go to the tab Plan", "plan.md", "p").needs(onDesk),
			key(GoTodos, "Go to the tab Todos", "the checklist", "t").needs(onDesk),
			key(GoWaits, "Go to the tab Waits", "what it waits for", "w").needs(onDesk),
			key(GoEvents, "Go to the tab Events", "what happened to it", "e").needs(onDesk),
			key(GoWhy, "Go to the tab Why", "why it is where it is", "y").needs(onDesk),
			key(GoReport, "Go to the tab Report", "its report", "c").needs(onDesk),
			key(GoThread, "Go to the tab Thread", "where work was left", "h").needs(onDesk),
			key(GoFiles, "Go to the tab Files", "file todos", "l").needs(onDesk),
			key(GoChanges, "Go to the tab Changes", "what the work changed", "v").needs(onDesk),
			key(GoBack, "Go nowhere", "close", "esc", "alt+esc")),
		in(Copy, Copying,
			key(copyID, "Copy id", "of the work item", "y").needs(anItem),
			key(copyPath, "Copy plan path", "the absolute path of plan.md", "p").needs(anItem),
			key(copyObjective, "Copy objective", "as it was written", "o").needs(anItem),
			key(CopyReport, "Copy report", "the completion report as it was written", "r").needs(reported),
			key(copyJSON, "Copy as JSON", "as vise show --json", "j").verb("show --json").needs(anItem),
			key(copyMarkdown, "Copy as Markdown", "a task list line for each item", "m").needs(anItem),
			key(copyReference, "Copy MCP reference", "of the plan: vise://plan/ID", "c").needs(anItem),
			key(CopyBack, "Copy nothing", "close", "esc", "alt+esc")),
		in(Text, inText,
			key(Submit, "Save", "carry out what the dialog says", "ctrl+s", "ctrl+enter"),
			key(SubmitLine, "Save from a one-line field", "a line break in a field of several lines", "enter"),
			key(NextField, "Next field", "or choice", "tab"),
			key(PrevField, "Previous field", "or choice", "shift+tab", "alt+shift+tab"),
			key(QuestionDown, "Scroll the question down", "when it is longer than what fits", "pgdown"),
			key(QuestionUp, "Scroll the question up", "when it is longer than what fits", "pgup"),
			key(EditOutside, "Edit in $EDITOR", "the text of the field; what you save there comes back", "ctrl+o"),
			key(Close, "Close", "what was typed is kept as a draft", "esc", "alt+esc")),
		in(Todos, inTodos,
			key(TodoState, "Next state", "pending, in progress, completed", "space"),
			key(TodoAdd, "Add a todo", "below the cursor", "o"),
			key(TodoEdit, "Edit the todo", "enter keeps, esc leaves it as it was", "e", "enter"),
			key(TodoDown, "Down", "next todo", "j", "down"),
			key(TodoUp, "Up", "previous todo", "k", "up"),
			key(TodoRowDown, "Move the todo down", "order in the list is its order", "J"),
			key(TodoRowUp, "Move the todo up", "order in the list is its order", "K"),
			key(TodoDrop, "Drop the todo", "u brings it back", "D"),
			key(TodoUndo, "Undo", "the last change to the list", "u"),
			key(TodoSave, "Save the whole list", "as one snapshot", "ctrl+s", "ctrl+enter"),
			key(TodoClose, "Close", "the list stays as a draft", "esc", "alt+esc", "q")),
		in(Triage, inTriage,
			key(TriageApprove, "Approve", "it is to be worked on", "space", "1").verb("todo triage --approve"),
			key(TriageDefer, "Defer", "not now: it stays pending", "2").verb("todo triage --defer"),
			key(TriageFalse, "False positive…", "the finding is not true, because", "3").verb("todo triage --false-positive"),
			key(TriageDuplicate, "Duplicate…", "another todo says the same (merge)", "4").verb("todo triage --duplicate-of"),
			key(TriageScope, "Out of scope…", "true, and not for now, because", "5").verb("todo triage --out-of-scope"),
			key(TriageSuperseded, "Superseded…", "something else replaced it", "6").verb("todo triage --superseded"),
			key(TriageWontFix, "Won't fix…", "true, and accepted, because", "7").verb("todo triage --wont-fix"),
			key(TriageRank, "Priority…", "p1, p2 or p3; it stays undecided", "8").verb("todo triage --priority"),
			key(TriageUndo, "Undo", "take the last decision back", "u").verb("todo triage --undo"),
			key(TriageNext, "Next ten", "of the findings that nobody has decided on", "."),
			key(TriageBoard, "Board", "all todos by status, or back to the findings", "t"),
			key(TriageDown, "Down", "next finding", "j", "down"),
			key(TriageUp, "Up", "previous finding", "k", "up"),
			key(TriageScrollDown, "Scroll down", "what the finding says, and the code", "J", "ctrl+d", "pgdown"),
			key(TriageScrollUp, "Scroll up", "what the finding says, and the code", "K", "ctrl+u", "pgup"),
			key(TriageClose, "Close", "what was decided is saved", "esc", "alt+esc", "q")),
		in(Files, inFiles,
			key(FileOpen, "Open in the editor", "the code at the line, or the todo's file where it names none", "e",
				"enter").hint("open"),
			key(FileStart, "Start", "claim it for you; what is pending is approved by that", "p",
				"space").hint("start").verb("todo start"),
			key(FileComplete, "Complete todo…", "it is fixed; say what fixed it", "c").hint("complete").verb("todo complete"),
			key(FileBlock, "Interrupt or unblock", "lay it down unfinished; what is blocked or interrupted is ready again",
				"b").hint("interrupt").verb("todo interrupt"),
			key(FilePromote, "Promote", "make a work item of it, linked to it; it stays undecided",
				"o").hint("promote").verb("todo promote")),
		in(Diff, inDiff,
			key(DiffNext, "Next file", "that the work changed", "]").hint("next file"),
			key(DiffPrev, "Previous file", "that the work changed", "["),
			key(DiffHunk, "Next hunk", "of any unfolded file", "n").hint("next hunk"),
			key(DiffBack, "Previous hunk", "of any unfolded file", "N"),
			key(DiffFold, "Fold or unfold", "the file at the cursor", "space", "enter").hint("fold"),
			key(DiffComment, "Comment…", "on the line at the cursor, or on the file; kept until it is sent", "o").hint("comment").
				writes("comment").typed().needs(anItem),
			key(DiffSend, "Send comments", "all that were not sent, as one message; without any, another message", "m").hint("send").
				writes("review --send").typed().needs(anItem),
			key(DiffDrop, "Drop the comment", "at the cursor, if it was not sent", "D").writes("undo").needs(anItem)),
		in(ThreadBoard, inThreads,
			key(ThreadGo, "Go on", "the thread becomes the active one", "p", "space", "enter").verb("thread resume"),
			key(threadSwitch, "Switch", "copy the command that goes to where it was saved", "y"),
			key(threadFresh, "Fresh…", "begin another thread here", "o").verb("thread start"),
			key(ThreadRebind, "Rebind…", "take a parked thread over to this branch", "1").verb("thread resume --rebind"),
			key(threadDiff, "Diff", "copy the command that shows what changed since", "d"),
			key(ThreadRun, "Run…", "a command that it recommends, confirmed word by word", "2").verb("thread record"),
			key(ThreadDown, "Down", "next thread", "j", "down"),
			key(ThreadUp, "Up", "previous thread", "k", "up"),
			key(ThreadClose, "Close", "everything stays as it is", "esc", "alt+esc", "q")),
		in(Output, inOutput,
			key(OutputDown, "Down", "next line", "j", "down"),
			key(OutputUp, "Up", "previous line", "k", "up"),
			key(OutputPageDown, "A page down", "as many lines as are shown", "pgdown", "ctrl+d", "space"),
			key(OutputPageUp, "A page up", "as many lines as are shown", "pgup", "ctrl+u"),
			key(OutputClose, "Close", "back to the desk", "esc", "alt+esc", "q", "enter")),
		in(Zero, inZero,
			key(ZeroDo, "Do the obvious", "what the hint line names, and go on to the next", "space"),
			key(ZeroChoose, "Choose", "the line with the digit, and go on to the next", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
			key(ZeroUndo, "Undo", "take the last decision back, and return to it", "u").verb("undo"),
			key(ZeroNext, "Next", "decide nothing here; round the end", "."),
			key(ZeroPrev, "Previous", "the same way back", ","),
			key(ZeroOpen, "Open", "leave the run, to this work item on its Desk", "enter"),
			key(ZeroDown, "Read on", "where it is long", "j", "down", "pgdown", "ctrl+d"),
			key(ZeroUp, "Read back", "where it is long", "k", "up", "pgup", "ctrl+u"),
			key(ZeroClose, "Leave", "back to where the run began", "esc", "alt+esc", "q")),
		in(Conflict, inConflict,
			key(ConflictMine, "Keep mine", "your text replaces theirs, which is kept aside", "m").verb("plan edit"),
			key(ConflictTheirs, "Take theirs", "plan.md stays; yours is kept aside", "t"),
			key(ConflictDiff, "Difference", "what each of you changed", "d"),
			key(ConflictCopy, "Save mine beside it", "as plan.mine-1.md", "s"),
			key(ConflictDown, "Down", "in the difference", "j", "down"),
			key(ConflictUp, "Up", "in the difference", "k", "up"),
			key(ConflictClose, "Close", "both are kept, yours aside", "esc", "alt+esc")),
		in(Reader, inReader,
			key(ReadDown, "Down", "a line", "j", "down"),
			key(ReadUp, "Up", "a line", "k", "up"),
			key(ReadPageDown, "A page down", "of what is read", "pgdown", "ctrl+d", "space"),
			key(ReadPageUp, "A page up", "of what is read", "pgup", "ctrl+u"),
			key(ReadTop, "To the top", "first line", "g", "home"),
			key(ReadBottom, "To the end", "last line", "G", "end"),
			key(ReadRun, "Run to zero", "from the brief", "enter"),
			key(ReadApply, "Apply or copy", "write what is shown, or copy the brief", "y"),
			key(ReadSeen, "Seen", "the changes count as looked at", "A"),
			key(ReadClose, "Close", "back to the desk", "esc", "alt+esc", "q", "d")),
		in(Menu, inMenu,
			key(MenuRun, "Run", "the line at the cursor", "enter"),
			key(MenuDown, "Down", "next line", "down", "ctrl+n", "tab"),
			key(MenuUp, "Up", "previous line", "up", "ctrl+p", "shift+tab"),
			key(MenuPageDown, "Read on", "what the line at the cursor offers, where it is long", "pgdown"),
			key(MenuPageUp, "Read back", "what the line at the cursor offers, where it is long", "pgup"),
			key(MenuPosture, "Stop or resume agent", "the one at the cursor, among agents; stopped: no turn begins", "ctrl+t").
				writes("agents stop"),
			key(MenuClose, "Close", "run nothing", "esc", "alt+esc")))
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

// needs gives an action its condition.
func (a Action) needs(why func(State) string) Action { a.why = why; return a }
