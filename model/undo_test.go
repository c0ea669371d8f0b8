package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTheInverseInAReceiptTakesItsCommandBack, and the inverse of the inverse does it again.
func TestTheInverseInAReceiptTakesItsCommandBack(t *testing.T) {
	b, n := newBook(), 0
	do := func(by Actor, c Command) Receipt {
		t.Helper()
		n++
		at := Stamp{At: time.Unix(int64(n), 0), NewID: "id" + string(rune('a'+n)), Actor: by, Agent: "ann"}
		ch, err := b.apply(at, c)
		if err != nil {
			t.Fatalf("%s: %v", CommandName(c), err)
		}
		return ch.Receipt
	}
	one := do(Operator, CreateWorkItem{Objective: "One"}).WorkItemID
	two := do(Operator, CreateWorkItem{Objective: "Two"}).WorkItemID
	asks := do(Operator, CreateWorkItem{Objective: "Asks"}).WorkItemID
	do(AgentActor("ann"), WaitFor{WorkItemID: asks, Reason: "which?", Wake: WakeOperatorInput, Question: "Which?"})
	state := func() string {
		seen, _ := b.Seen("ann", asks)
		raw, err := json.Marshal([]any{standingOf(b, b.item(one)), standingOf(b, b.item(two)), b.agent("ann").CurrentWorkItemID, seen.Matter, seen.Snooze})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	objective := Text("Another")
	for _, c := range []Command{
		PickWorkItem{WorkItemID: one}, PickWorkItem{WorkItemID: two, Reason: "sooner"},
		UpdateWorkItem{WorkItemID: two, Objective: &objective}, UpdateWorkItem{WorkItemID: two, BlockedBy: SetTo("ops")},
		WaitFor{WorkItemID: one, Reason: "CI", Wake: WakeExternal, Source: "ci", Resource: "run/1"},
		Batch{Calls: []Call{{UpdateWorkItem{WorkItemID: one, BlockedBy: SetTo("ops")}}, {UpdateWorkItem{WorkItemID: two, Objective: &objective}}}},
		Snooze{WorkItemID: asks}, Snooze{WorkItemID: asks, Until: time.Unix(9000, 0)}, Snooze{WorkItemID: asks, Withdraw: true},
		Acknowledge{WorkItemID: asks}, Batch{Calls: []Call{{Acknowledge{WorkItemID: asks, Withdraw: true}}}},
		Snooze{WorkItemID: asks, Until: time.Unix(9000, 0)}, Acknowledge{WorkItemID: asks}, Acknowledge{WorkItemID: asks, Withdraw: true},
		Snooze{WorkItemID: asks}, Batch{Calls: []Call{{Acknowledge{WorkItemID: asks}}, {UpdateWorkItem{WorkItemID: one, BlockedBy: SetTo("ops")}}}},
	} {
		before := state()
		in := do(Operator, c)
		after := state()
		if in.Inverse == nil {
			if before != after {
				t.Errorf("%s has no inverse, and changed %s to %s", CommandName(c), before, after)
			}
			continue
		}
		undo := *in.Inverse
		undo.What = "it"
		again := do(Operator, undo).Inverse
		if got := state(); got != before {
			t.Errorf("%s undone is %s, want %s", CommandName(c), got, before)
		}
		do(Operator, *again)
		if got := state(); got != after {
			t.Errorf("%s done again is %s, want %s", CommandName(c), got, after)
		}
	}
	if in := do(AgentActor("ann"), PickWorkItem{WorkItemID: one, Reason: "next"}); in.Inverse != nil {
		t.Error("an agent's act has an inverse, which only the operator may send")
	}
}

func TestAReceiptOfBeforeHasNoInverse(t *testing.T) {
	var in Receipt
	if err := json.Unmarshal([]byte(`{"command":"PickWorkItem","revision":7,"agent_id":"ann","work_item_id":"wi-1"}`), &in); err != nil || in.Inverse != nil {
		t.Errorf("got %+v, %v", in, err)
	}
}

// TestLastUndo reads a history newest first; u and r are undo and redo, - is an act without an inverse, t a command that follows from others.
func TestLastUndo(t *testing.T) {
	for _, x := range []struct{ history, undo, before, redo string }{
		{"", "", "", ""}, {"a", "a", "", ""}, {"ab", "b", "a", ""}, {"abu", "a", "", "u2"}, {"abuu", "", "", "u3"},
		{"aur", "r2", "", ""}, {"abuur", "r4", "", "u2"}, {"abuuru", "", "", "u5"}, {"auc", "c", "", ""},
		{"a-", "-", "a", ""}, {"au-", "-", "", "u1"}, {"-", "-", "", ""}, {"a--", "-", "a", ""}, {"ab-u", "-", "a", "u3"},
		{"at", "a", "", ""}, {"a-t", "-", "a", ""}, {"t", "", "", ""},
	} {
		for _, again := range []bool{false, true} {
			want, wantBefore := x.undo, x.before
			if again {
				want, wantBefore = x.redo, ""
			}
			last, before := LastUndo(func(yield func(Receipt) bool) {
				for i := len(x.history) - 1; i >= 0; i-- {
					in := Receipt{Command: "PickWorkItem", Revision: uint64(i), Inverse: &Undo{}}
					switch x.history[i] {
					case 'u':
						in.Command, in.Inverse = "Undo", &Undo{Again: true}
					case 'r':
						in.Command = "Undo"
					case '-':
						in.Inverse = nil
					case 't':
						in.Command, in.Inverse = "RefreshPlan", nil
					}
					if !yield(in) {
						return
					}
				}
			}, again)
			name := func(in Receipt) string {
				switch in.Command {
				case "":
					return ""
				case "Undo":
					return string(x.history[in.Revision]) + strconv.FormatUint(in.Revision, 10)
				}
				return string(x.history[in.Revision])
			}
			if name(last) != want || !again && name(before) != wantBefore {
				t.Errorf("%q, again %v: got %q and %q, want %q and %q", x.history, again, name(last), name(before), want, wantBefore)
			}
		}
	}
}

// TestAllCommandsThatFollowFromOthersExist: a renamed one would count as a person's act.
func TestAllCommandsThatFollowFromOthersExist(t *testing.T) {
	n := 0
	for _, r := range Rights {
		for _, name := range strings.Fields(r.Commands) {
			if r.Only == "" && (Receipt{Command: name}).follows() {
				n++
			}
		}
	}
	if n != 18 {
		t.Errorf("%d commands follow from others, want 18", n)
	}
}
