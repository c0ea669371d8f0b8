package action

// dialogs are the actions of the dialogs that are the same wherever they are opened.
func dialogs() Catalogue {
	return Catalogue{
		{ID: ConflictMine, Title: "Keep mine", Does: "your text replaces theirs, which is kept aside", Keys: []string{"m"}, In: Conflict,
			Group: inConflict, Verb: "plan edit"},
		{ID: ConflictTheirs, Title: "Take theirs", Does: "plan.md stays; yours is kept aside", Keys: []string{"t"}, In: Conflict,
			Group: inConflict},
		{ID: ConflictDiff, Title: "Difference", Does: "what each of you changed", Keys: []string{"d"}, In: Conflict, Group: inConflict},
		{ID: ConflictCopy, Title: "Save mine beside it", Does: "as plan.mine-1.md", Keys: []string{"s"}, In: Conflict, Group: inConflict},
		{ID: ConflictDown, Title: "Down", Does: "in the difference", Keys: []string{"j", "down"}, In: Conflict, Group: inConflict},
		{ID: ConflictUp, Title: "Up", Does: "in the difference", Keys: []string{"k", "up"}, In: Conflict, Group: inConflict},
		{ID: ConflictClose, Title: "Close", Does: "both are kept, yours aside", Keys: []string{"esc", "alt+esc"}, In: Conflict,
			Group: inConflict},

		{ID: ReadDown, Title: "Down", Does: "a line", Keys: []string{"j", "down"}, In: Reader, Group: inReader},
		{ID: ReadUp, Title: "Up", Does: "a line", Keys: []string{"k", "up"}, In: Reader, Group: inReader},
		{ID: ReadPageDown, Title: "A page down", Does: "of what is read", Keys: []string{"pgdown", "ctrl+d", "space"}, In: Reader,
			Group: inReader},
		{ID: ReadPageUp, Title: "A page up", Does: "of what is read", Keys: []string{"pgup", "ctrl+u"}, In: Reader, Group: inReader},
		{ID: ReadTop, Title: "To the top", Does: "first line", Keys: []string{"g", "home"}, In: Reader, Group: inReader},
		{ID: ReadBottom, Title: "To the end", Does: "last line", Keys: []string{"G", "end"}, In: Reader, Group: inReader},
		{ID: ReadApply, Title: "Apply", Does: "write what is shown, where it is offered", Keys: []string{"y"}, In: Reader, Group: inReader},
		{ID: ReadSeen, Title: "Seen", Does: "the changes count as looked at", Keys: []string{"A"}, In: Reader, Group: inReader},
		{ID: ReadClose, Title: "Close", Does: "back to the desk", Keys: []string{"esc", "alt+esc", "q", "d"}, In: Reader, Group: inReader},

		{ID: MenuRun, Title: "Run", Does: "the line at the cursor", Keys: []string{"enter"}, In: Menu, Group: inMenu},
		{ID: MenuDown, Title: "Down", Does: "next line", Keys: []string{"down", "ctrl+n", "tab"}, In: Menu, Group: inMenu},
		{ID: MenuUp, Title: "Up", Does: "previous line", Keys: []string{"up", "ctrl+p", "shift+tab"}, In: Menu, Group: inMenu},
		{ID: MenuPageDown, Title: "Read on", Does: "what the line at the cursor offers, where it is long", Keys: []string{"pgdown"},
			In: Menu, Group: inMenu},
		{ID: MenuPageUp, Title: "Read back", Does: "what the line at the cursor offers, where it is long", Keys: []string{"pgup"}, In: Menu,
			Group: inMenu},
		{ID: MenuPosture, Title: "Stop or resume agent", Does: "the one at the cursor, among agents; stopped: no turn begins",
			Keys: []string{"ctrl+t"}, In: Menu, Group: inMenu, Verb: "agents stop", Writes: true},
		{ID: MenuClose, Title: "Close", Does: "run nothing", Keys: []string{"esc", "alt+esc"}, In: Menu, Group: inMenu},
	}
}
