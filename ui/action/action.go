// Package action is the one catalogue of the operator's actions. Keys, help, palette and the hint line are all generated from it, so they
// cannot disagree with it. It is a value: Standard makes it, Remap gives it the operator's keys.
//
// Read table.go first (every action), then why.go (when an action is offered), keys.go (its keys) and filter.go (the meaning of filters).
// The actions are carried out in ui/console/act.go.
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

// Context says whether letters are keys or text. All parts of the console in which they are keys share the Desk's letters: each letter
// means the same, or nothing, in a dialog.
type Context string

// The contexts.
const (
	// Desk is every place in which nothing is typed.
	Desk Context = "desk"
	// Text is a dialog or a search in which text is typed. Of the Desk's keys only those with names, such as enter, are heard there.
	Text Context = "text dialog"
	// Page is the checklist and the page of changes. The Desk's letters are heard there too.
	Page Context = "page"
)

// group is a heading in help.
type group string

// The groups in the order of help.
const (
	Work    group = "WORK ITEM"
	look    group = "LOOK"
	Move    group = "MOVE"
	Select  group = "SELECT"
	Places  group = "PLACES"
	always  group = "ALWAYS"
	Customs group = "YOUR OWN"
	inText  group = "WHERE TEXT IS TYPED"
)

// Action is something that an operator can do.
type Action struct {
	ID ID
	// Title is its name in the palette; Does describes it in one line.
	Title, Does string
	// Hint is its word on the hint line; if empty, it does not appear there.
	Hint string
	// Keys are its keys by Bubble Tea's names. The first is the one that is shown.
	Keys  []string
	In    Context
	Group group
	// Verb is the same action on the command line; empty if there is none.
	Verb string
	// Writes means that it changes the ledger. Single means that it applies to one item, never to marked items.
	Writes, Single bool
	// Typed means that it opens a dialog for typing. After a refusal, what the operator types must not be taken as keys either.
	Typed bool
	// why says why the action cannot be done now; nil or "" means that it can.
	why func(State) string
}

// State is the input of the actions' conditions.
type State struct {
	// View is the current view: desk, fleet or reports.
	View string
	// Need is why the item under the cursor needs the operator; nil if it does not. NeedYou is the number of entries in the inbox.
	Need    *model.Inboxed
	NeedYou int
	// Item is the row under the cursor; nil on an empty desk.
	Item *model.Row
	// Marked is the number of marked rows. MarkedNeed means that one of them needs the operator.
	Marked     int
	MarkedNeed bool
	// Search means that a search in the plan is active.
	Search bool
	// Agent is the agent whose desk is shown, even if the ledger does not know it yet. Desk is what the ledger knows of it.
	Agent model.AgentID
	Desk  model.Desk
	// Preview means that the subject under the cursor is shown beside the list.
	Preview bool
	// Agents is the number of agents in the ledger.
	Agents int
	// Demo means that nothing is saved and that nothing outside the ledger exists.
	Demo bool
	// ReadOnly is why nothing may be written; empty if writing is allowed.
	ReadOnly string
	// FileTodos means that there is a session of file todos.
	FileTodos bool
	// Undo and Redo name the actions that they would undo and redo; empty if there is none.
	Undo, Redo string
	// Filtered means that a filter is active and is not being typed.
	Filtered bool
	// Editor means that $EDITOR can be opened.
	Editor bool
}

// Catalogue is the list of all actions with their current keys, in the order of help.
type Catalogue []Action

// Refusal says why an action cannot be done now, in words for the screen; it returns "" if it can.
func (t Catalogue) Refusal(a Action, s State) string {
	switch {
	case a.Writes && s.ReadOnly != "":
		return s.ReadOnly
	case a.Single && s.Marked > 0:
		again := "" // the first one closes the refusal's message
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

// Key returns the key that help shows for a: its first key, or "".
func (a Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return Shown(a.Keys[0])
}

// KeyOf returns the key of an action as it is shown.
func (t Catalogue) KeyOf(id ID) string { return t.ByID(id).Key() }

// Core lists the actions that are taught, in the order of help. All others are found with the palette.
var Core = []ID{Do, NeedsYou, Complete, New, EditPlan, Message, Filter, Undo, Palette, Help, Down, Up, Open, Back, NextPane,
	ViewDesk, ViewFleet, ViewReports}

// shown are the keys that people know under another name than Bubble Tea's.
var shown = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}

// Shown spells a key for people.
func Shown(key string) string { return cmp.Or(shown[key], key) }

// Of returns the action of a key in a context. A key of a non-Latin keyboard layout counts as the Latin key at the same place, which comes
// from the terminal or from layouts.
func (t Catalogue) Of(in Context, key tea.KeyPressMsg) (Action, bool) {
	if a, ok := t.find(in, key.String()); ok {
		return a, true
	}
	return t.find(in, Latin(key))
}

// Latin returns the name of the Latin key at a key's place; empty for a key of a Latin layout.
func Latin(key tea.KeyPressMsg) string {
	if key.BaseCode != 0 && key.BaseCode != key.Code {
		base := key.Key()
		base.Code, base.Text = key.BaseCode, ""
		if base.Mod == 0 || base.Mod == tea.ModShift {
			base.Text = typed(base)
		}
		return base.String()
	}
	if latin, ok := places()[key.Text]; ok && key.Mod&^tea.ModShift == 0 {
		return latin
	}
	if latin, ok := places()[string(key.Code)]; ok && key.Mod == tea.ModCtrl {
		return "ctrl+" + latin // for kitty's keyboard protocol, in which vise does not request the place of a key
	}
	return ""
}

// typed returns the text that a letter key types.
func typed(k tea.Key) string {
	if k.Mod == tea.ModShift && k.Code >= 'a' && k.Code <= 'z' {
		return string(k.Code - 'a' + 'A')
	}
	return string(k.Code)
}

func (t Catalogue) find(in Context, key string) (Action, bool) {
	for _, a := range t {
		if slices.Contains(a.Keys, key) && a.heard(key, in) {
			return a, true
		}
	}
	return Action{}, false
}

// ByID returns the action with an id. It always exists, because ids are the constants of this package.
func (t Catalogue) ByID(id ID) Action {
	for _, a := range t {
		if a.ID == id {
			return a
		}
	}
	return Action{ID: id}
}
