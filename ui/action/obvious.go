package action

import (
	"slices"

	"vise/model"
)

// Obvious returns the action that most likely comes next at the cursor, for the hint line. It can always be done, since reading on is
// always possible.
func (t Catalogue) Obvious(s State) ID {
	if id := obvious(s); t.Refusal(t.ByID(id), s) == "" {
		return id
	}
	return Open
}

// PickKey returns the key that picks the item under the cursor: the obvious action's key if that picks. It returns "" if nothing can be
// picked.
func (t Catalogue) PickKey(s State) string {
	pick := t.ByID(Pick)
	if t.Refusal(pick, s) != "" {
		return ""
	}
	if do := t.KeyOf(Do); do != "" && t.Obvious(s) == Pick {
		return do
	}
	return pick.Key()
}

func obvious(s State) ID {
	r := s.Item
	switch {
	case s.MarkedNeed:
		return Acknowledge
	case s.Marked > 0:
		return Block
	case r == nil && isDesk(s):
		return New
	case r == nil:
		return Open
	case r.Class == model.CompletedRecent && r.Offered():
		return Report
	case r.Class == model.CompletedRecent:
		return Acknowledge
	case r.AgentFails() || s.stalled():
		return Review
	case model.NotOffered(*r, "Answer") == "":
		return Answer
	case !r.IsCurrent:
		return Pick
	case s.triggered():
		return Review
	case r.BlockedBy != "":
		return Block
	case r.Todo.Done < r.Todo.Total:
		return Tick
	case r.Todo.Total > 0:
		return Complete
	}
	return Open
}

// Preset is the name in the configuration's keys that selects a whole set of keys.
const Preset ID = "preset"

// classic holds the keys of earlier versions that have changed.
var classic = map[ID][]string{
	Objective: {"E"}, Status: {"s"}, Priority: {"#"}, PlanSeen: {"M"}, Unfold: {"="}, AllEvents: {"F"}, CustomCommands: {"!"},
	SaveFilter: {"S"}, GoTo: {}, Top: {"g", "home"},
	Snooze: {}, Do: {}, PrevNeed: {}, Mark: {"space"}, MarkRange: {"v"}, MarkClass: {"V"}, WayBack: {","}, Palette: {":", "ctrl+p", "x"},
	TriageApprove: {"a"}, TriageDefer: {"d"}, TriageFalse: {"f"}, TriageDuplicate: {"m"}, TriageScope: {"o"}, TriageSuperseded: {"s"},
	TriageWontFix: {"w"}, TriageRank: {"1"}, TriageNext: {"n"}, TriageBoard: {"b"},
	FileStart: {"g"}, FileBlock: {"i", "r"}, FilePromote: {"p"},
	ThreadGo: {"g", "enter"}, threadSwitch: {"s"}, threadFresh: {"f"}, ThreadRebind: {"b"}, ThreadRun: {"r"},
}

// set applies a preset's keys, or reports that there is none with that name.
func (t Catalogue) set(preset []string) []KeyTrouble {
	switch {
	case slices.Equal(preset, []string{"classic"}):
		for i := range t {
			if keys, other := classic[t[i].ID]; other {
				t[i].Keys = keys
			}
		}
	case len(preset) > 0 && !slices.Equal(preset, []string{"standard"}):
		return []KeyTrouble{{ID: Preset, Why: "a preset is standard or classic"}}
	}
	return nil
}

// yield removes keys that the operator gave to one action from another action that got them only when the standard keys changed. So earlier
// bindings keep working.
func (t Catalogue) yield(given map[ID][]string) {
	for i, b := range t {
		before, changed := classic[b.ID]
		if _, own := given[b.ID]; own || !changed {
			continue
		}
		t[i].Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(k string) bool {
			wanted := slices.ContainsFunc(t, func(a Action) bool {
				_, own := given[a.ID]
				return a.ID != b.ID && a.In == b.In && (own || a.Group == Customs) && slices.Contains(a.Keys, k)
			})
			return wanted && !slices.Contains(before, k)
		})
	}
}
