// Package action is the one catalogue of what an operator can do: keys, help, palette and the
// hint line are all read from it, so that none of them can say what is not so. It is a value:
// Standard makes it, Remap gives it the operator's keys.
//
// Read table.go first (every action), then why.go (when it is offered), keys.go (which keys it
// has) and filter.go (what filters mean). What an action does is in ui/console/act.go.
package action

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// ID names an action.
type ID string

// Context is where an action's keys hold. Exactly one context has the keys at a time; all but
// Desk are dialogs.
type Context string

// The contexts.
const (
	// Desk is the whole screen while no dialog is open.
	Desk Context = "desk"
	// Text is a dialog that is typed into.
	Text Context = "text dialog"
	// Todos is the todo editor while no todo's text is edited.
	Todos Context = "todo editor"
	// Menu is a list that is searched by typing.
	Menu Context = "menu"
	// Triage is the judging of findings while no reason is typed.
	Triage Context = "triage"
	// Files is the page of file todos while its pane has the keys; in triage they mean the same.
	Files Context = "file todos"
	// Diff is the page of what the work changed while its pane has the keys.
	Diff Context = "changes"
	// ThreadBoard is the threads view.
	ThreadBoard Context = "board of threads"
	// Output is text that is scrolled: what a command wrote.
	Output Context = "output"
	// Reader is a text that is only read.
	Reader Context = "reader"
	// Zero is the run to zero: what needs the operator, one by one.
	Zero Context = "run to zero"
	// Conflict is the choice between two texts of a plan.
	Conflict Context = "conflict"
	// Copy listens for one key after y, Go for one after g.
	Copy Context = "copy"
	Go   Context = "go to"
)

// group gathers actions in help.
type group string

// The groups, in the order of help.
const (
	Work      group = "WORK ITEM"
	look      group = "LOOK"
	Move      group = "MOVE"
	Select    group = "SELECT"
	Places    group = "PLACES"
	always    group = "ALWAYS"
	Customs   group = "YOUR OWN"
	Copying   group = "COPY"
	going     group = "GO TO"
	inText    group = "IN A DIALOG"
	inTodos   group = "IN THE TODO EDITOR"
	inTriage  group = "IN TRIAGE"
	inFiles   group = "ON FILE TODOS, ALSO IN TRIAGE"
	inDiff    group = "ON THE CHANGES OF A WORK ITEM"
	inThreads group = "ON THE BOARD OF THREADS"
	inMenu    group = "IN A MENU"
	inOutput  group = "IN THE OUTPUT OF A COMMAND"
	inReader  group = "IN A READER"
	inZero    group = "IN THE RUN TO ZERO"
	// inConflict gathers what ends a conflict over a plan.
	inConflict group = "IN A CONFLICT"
)

// Action is something an operator can do.
type Action struct {
	ID ID
	// Title is what the palette calls it; Does says it in a line.
	Title, Does string
	// Hint is its word on the hint line; empty: it does not appear there.
	Hint string
	// Keys are Bubble Tea's names of its keys, the one shown first.
	Keys  []string
	In    Context
	Group group
	// Verb is the same act on the command line, empty where there is none.
	Verb string
	// Writes: it changes the ledger. Single: it takes one item, never marked ones.
	Writes, Single bool
	// Typed: what it opens is typed into, so that what is typed after a refusal is no key either.
	Typed bool
	// why says why it cannot be done now; nil or "" when it can.
	why func(State) string
}

// State is what an action may ask before it offers itself.
type State struct {
	// View is what is shown: desk, fleet, activity or reports.
	View string
	// Need is why the item under the cursor needs the operator; nil when it does not.
	// NeedYou is how many entries the inbox has.
	Need    *model.Inboxed
	NeedYou int
	// Item is the row under the cursor, nil on an empty desk.
	Item *model.Row
	// Marked is how many rows are marked.
	Marked int
	// Search: words are looked for in the plan.
	Search bool
	// Agent is whose desk it is, known to the ledger or not yet; Desk what the ledger tells.
	Agent model.AgentID
	Desk  model.Desk
	// Preview: what the cursor is on is shown beside the list.
	Preview bool
	// Agents is how many agents the ledger knows.
	Agents int
	// Demo: nothing is saved, and nothing outside the ledger is there.
	Demo bool
	// ReadOnly is why nothing may be written; empty when it may.
	ReadOnly string
	// FileTodos: there is a session of file todos; Findings is how many of them are pending.
	FileTodos bool
	Findings  int
	// Undo and Redo name the acts that they would take back and carry out again; empty: none.
	Undo, Redo string
	// Filtered: a filter holds that is not typed any more.
	Filtered bool
	// Editor: there is a way to open $EDITOR.
	Editor bool
}

// Catalogue is every action with the keys that hold, in the order of help.
type Catalogue []Action

// Refusal says why an action cannot be done now, in words for the screen; empty when it can.
func (t Catalogue) Refusal(a Action, s State) string {
	switch {
	case a.Writes && s.ReadOnly != "":
		return s.ReadOnly
	case a.Single && s.Marked > 0:
		again := "" // the first one ends the refusal
		if a.Typed {
			again = " twice"
		}
		what := strings.TrimSuffix(strings.ToLower(a.Title), "…")
		return fmt.Sprintf("%s takes one item, and %d are marked: %s%s unmarks", what, s.Marked, t.KeyOf(Back), again)
	case a.why == nil:
		return ""
	}
	return t.Keyed(a.why(s))
}

// Key is the key that help shows for a: its first, or nothing.
func (a Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return Shown(a.Keys[0])
}

// KeyOf is the key of the action called id, as it is shown.
func (t Catalogue) KeyOf(id ID) string { return t.ByID(id).Key() }

// Leader is the key before those of a context; empty where none is.
func (t Catalogue) Leader(in Context) string {
	switch in {
	case Copy:
		return t.KeyOf(CopyOf)
	case Go:
		return t.KeyOf(GoTo)
	}
	return ""
}

// Everyday are the actions whose keys everybody learns, those of a line together; the rest is found behind : and ?.
var Everyday = [][]ID{
	{Do, Pick}, {Open}, {Complete}, {Block}, {Wait}, {Answer}, {Message}, {Review}, {EditPlan}, {TodoList}, {New}, {Changes},
	{NeedsYou, PrevNeed}, {Filter}, {Undo, Redo}, {Agents}, {GoTo}, {Palette},
}

// shown are the keys that people know by another name than Bubble Tea's.
var shown = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}

// Shown spells a key for people.
func Shown(key string) string { return cmp.Or(shown[key], key) }

// Of finds the action that key means in a context. A key of another keyboard layout is
// taken for the one at its place, which the terminal reports or the layouts tell.
func (t Catalogue) Of(in Context, key tea.KeyPressMsg) (Action, bool) {
	if a, ok := t.find(in, key.String()); ok {
		return a, true
	}
	if key.BaseCode != 0 && key.BaseCode != key.Code {
		base := key.Key()
		base.Code, base.Text = key.BaseCode, ""
		if base.Mod == 0 || base.Mod == tea.ModShift {
			base.Text = typed(base)
		}
		return t.find(in, base.String())
	}
	if latin, ok := places()[key.Text]; ok && key.Mod&^tea.ModShift == 0 {
		return t.find(in, latin)
	}
	if latin, ok := places()[string(key.Code)]; ok && key.Mod == tea.ModCtrl {
		return t.find(in, "ctrl+"+latin) // kitty's keyboard, which is not asked for the place
	}
	return Action{}, false
}

// typed is what a letter key types.
func typed(k tea.Key) string {
	if k.Mod == tea.ModShift && k.Code >= 'a' && k.Code <= 'z' {
		return string(k.Code - 'a' + 'A')
	}
	return string(k.Code)
}

func (t Catalogue) find(in Context, key string) (Action, bool) {
	for _, a := range t {
		if a.In == in && slices.Contains(a.Keys, key) {
			return a, true
		}
	}
	return Action{}, false
}

// ByID is the action called id; it exists, because ids are the constants of this package.
func (t Catalogue) ByID(id ID) Action {
	for _, a := range t {
		if a.ID == id {
			return a
		}
	}
	return Action{ID: id, Keys: []string{""}}
}

// The actions of what the operator made: commands, filters, and the output of a command.
const (
	CustomCommands, SaveFilter        ID = "own", "save-filter"
	OutputDown, OutputUp, OutputClose ID = "output-down", "output-up", "output-close"
	OutputPageDown, OutputPageUp      ID = "output-page-down", "output-page-up"
)
