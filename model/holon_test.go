package model

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// holonCases are the nine scheduler cases of Holon at 0c1ead56, with vise's decision. differs says how and why vise's
// decision or reason differs from the case's. Cases without a decision of their own cannot differ. docs/lifecycle.md 22
// shows those that differ.
var holonCases = []struct {
	name     string
	decision DecisionKind
	reason   string
	differs  string
}{
	{"agent_wait", DecideWaitForExternal, "active_agent_wait",
		"the reason: an agent's waiting intent is a wait without an item (4)"},
	{"baseline_over_budget_terminal", DecideSleep, "no_pending_scheduler_facts", "nothing"},
	{"basic", DecideStartModelTurn, "queued_input", "nothing"},
	{"blocking_task", DecideSleep, "no_pending_scheduler_facts", "nothing"},
	{"dequeued_replay", DecideStartModelTurn, "queued_input", "nothing"},
	{"pending_wake_hint", DecideStartModelTurn, "queued_input", "nothing"},
	{"queued_available", DecideEmitTick, "queued_available", "nothing"},
	{"timer_wait", DecideWaitForTimer, "active_agent_wait",
		"the reason: a timer is a wait of the agent (4)"},
	{"tool_call_replay_boundary", DecideStartModelTurn, "queued_input", "nothing"},
}

// TestTheManualShowsWhatIsDecidedOtherwise: docs/lifecycle.md 22 has the cases that differ, and no others.
func TestTheManualShowsWhatIsDecidedOtherwise(t *testing.T) {
	raw, err := os.ReadFile("../docs/lifecycle.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, found := strings.Cut(string(raw), "\n## 22 ")
	if !found {
		t.Fatal("docs/lifecycle.md has no point 22")
	}
	for _, c := range holonCases {
		row := fmt.Sprintf("\n| `%s` | %s, %s | %s |\n", c.name, c.decision, c.reason, c.differs)
		if differs := c.differs != "nothing"; strings.Contains(page, row) != differs {
			t.Errorf("docs/lifecycle.md 22, which should show it (%v):%s", differs, row)
		}
	}
}

// holonExpected is the expected result of a case.
type holonExpected struct {
	Current        *ItemID      `json:"current_work_item_id"`
	CurrentRev     *uint64      `json:"current_work_item_revision"`
	Queued         int          `json:"queued_work_items"`
	Tasks          int          `json:"active_tasks"`
	Hint           bool         `json:"pending_wake_hint"`
	Waits          int          `json:"active_waiting_intents"`
	ItemWaits      int          `json:"active_work_item_waiting_intents"`
	AgentWaits     int          `json:"active_agent_waiting_intents"`
	Timers         int          `json:"active_timers"`
	Decision       DecisionKind `json:"decision"`
	DecisionReason string       `json:"decision_reason"`
	Replay         []MessageID  `json:"replay_message_ids"`
}

func TestTheSchedulerCasesOfHolon(t *testing.T) {
	dir := filepath.Join(cmp.Or(os.Getenv("VISE_SHARED"), "../../shared"), "fixtures/holon/scheduler_0c1ead56")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no fixtures here: %v", err)
	}
	for _, c := range holonCases {
		t.Run(c.name, func(t *testing.T) {
			h := &holonCase{t: t, dir: filepath.Join(dir, c.name), book: newBook(), now: time.Date(2026, 5, 27, 9, 0, 0, 0, time.UTC)}
			h.load()
			var want holonExpected
			h.read("expected.json", &want)
			h.facts(want)
			got := Decide(h.book, "default", h.now)
			if got.Kind != c.decision || got.Reason != c.reason {
				t.Errorf("decided %s, %s; want %s, %s", got.Kind, got.Reason, c.decision, c.reason)
			}
			same := want.Decision == "" || want.Decision == c.decision && want.DecisionReason == c.reason
			if same != (c.differs == "nothing") {
				t.Errorf("holon decides %s, %s; said to be different is %s", want.Decision, want.DecisionReason, c.differs)
			}
		})
	}
}

// holonCase puts a case's partial records into a book.
type holonCase struct {
	t    *testing.T
	dir  string
	book *book
	now  time.Time
}

func (h *holonCase) read(name string, v any) {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// each reads the lines of a table.
func (h *holonCase) each(table string, line func([]byte)) {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.dir, "ledger", table+".jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
		line(s.Bytes())
	}
}

func holonLine[R any](h *holonCase, raw []byte) (r R) {
	h.t.Helper()
	if err := json.Unmarshal(raw, &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

type holonItem struct {
	ID        ItemID     `json:"id"`
	Objective Text       `json:"objective"`
	State     State      `json:"state"`
	Plan      PlanStatus `json:"plan_status"`
	Revision  uint64     `json:"revision"`
}

type holonOther struct {
	ID       string `json:"id"`
	Message  string `json:"message_id"`
	Status   string `json:"status"`
	Policy   string `json:"wait_policy"`
	Item     ItemID `json:"work_item_id"`
	Text     Text   `json:"text"`
	Priority string `json:"priority"`
}

func (h *holonCase) load() {
	var agent struct {
		Current ItemID `json:"current_work_item_id"`
		Turns   int    `json:"turn_index"`
		Hint    Text   `json:"pending_wake_hint_reason"`
	}
	h.read("agent.json", &agent)
	a := Agent{ID: "default", Posture: Awake, CurrentWorkItemID: agent.Current, TurnIndex: agent.Turns}
	h.each("work_items", func(raw []byte) {
		x := holonLine[holonItem](h, raw)
		h.book.put(WorkItem{ID: x.ID, AgentID: a.ID, Objective: x.Objective, State: x.State,
			PlanStatus: cmp.Or(x.Plan, Draft), Revision: x.Revision, CreatedAt: h.now, UpdatedAt: h.now})
	})
	h.each("tasks", func(raw []byte) {
		x := holonLine[holonOther](h, raw)
		h.book.put(Task{ID: TaskID(x.ID), AgentID: a.ID, WorkItemID: x.Item, Status: TaskStatus(x.Status),
			Blocking: x.Policy == "blocking"})
	})
	h.waits(a.ID)
	h.messages(&a, agent.Hint)
	h.book.put(a)
}

// waits adds waiting intents as external waits, and timers as waits of the agent.
func (h *holonCase) waits(agent AgentID) {
	h.each("waiting_intents", func(raw []byte) {
		x := holonLine[holonOther](h, raw)
		h.book.put(Wait{ID: WaitID(x.ID), AgentID: agent, WorkItemID: x.Item, Status: WaitActive, Kind: WaitExternal})
	})
	h.each("timers", func(raw []byte) {
		x := holonLine[holonOther](h, raw)
		h.book.put(Wait{ID: WaitID(x.ID), AgentID: agent, Status: WaitActive, Kind: WaitTimer, WakeAt: h.now.Add(time.Hour)})
	})
}

// messages adds the queued messages, those of a turn that never ended, and a pending hint, which is a message here.
// Then the scheduler starts, as after a crash.
func (h *holonCase) messages(a *Agent, hint Text) {
	words := map[string]holonOther{}
	h.each("messages", func(raw []byte) {
		x := holonLine[holonOther](h, raw)
		words[x.ID] = x
	})
	status := map[string]MessageStatus{"queued": MessageQueued, "dequeued": MessageSent, "processed": MessageDone,
		"aborted": MessageDropped, "interjected": MessageDone, "dropped": MessageDropped}
	put := func(id string, text Text, s MessageStatus) {
		h.book.put(Message{ID: MessageID(id), AgentID: a.ID, Priority: Normal, Body: text, Status: s})
		switch s {
		case MessageQueued:
			a.QueuedInput++
		case MessageSent:
			if a.Turn == nil {
				a.TurnIndex++
				a.Turn = &turn{Index: a.TurnIndex, StartedAt: h.now.Add(-time.Hour), ExpiresAt: h.now.Add(-time.Minute)}
			}
			a.Turn.Messages = append(a.Turn.Messages, MessageID(id))
		}
	}
	h.each("queue_entries", func(raw []byte) {
		x := holonLine[holonOther](h, raw)
		put(x.Message, words[x.Message].Text, status[x.Status])
	})
	if hint != "" {
		put("hint", hint, MessageQueued)
	}
	h.book.put(*a)
	if _, err := h.book.apply(Stamp{At: h.now, NewID: "1", Actor: Scheduler}, Tick{AgentID: a.ID}); err != nil {
		h.t.Fatal(err)
	}
	*a = h.book.agent(a.ID)
	a.Offered = nil // the case asks for the next decision, not for a past one
	h.book.drop(KindAttempt)
}

// facts compares the scheduler's input.
func (h *holonCase) facts(want holonExpected) {
	h.t.Helper()
	var waits, ofItems, ofAgent, timers int
	for _, w := range every[Wait](h.book) {
		switch {
		case w.Kind == WaitTimer:
			timers++
		case w.WorkItemID != "":
			waits, ofItems = waits+1, ofItems+1
		default:
			waits, ofAgent = waits+1, ofAgent+1
		}
	}
	_, hint := h.book.Message("hint")
	var replay []MessageID
	for _, m := range h.book.QueuedMessages("default", 100) {
		if m.ID != "hint" {
			replay = append(replay, m.ID)
		}
	}
	slices.Sort(replay)
	slices.Sort(want.Replay)
	for _, c := range []struct {
		fact      string
		got, want any
	}{
		{"queued", h.book.Count("default", ClassTally(QueuedRunnable)), want.Queued},
		{"tasks", len(h.book.RunningTasks("default", 100)), want.Tasks},
		{"waits", waits, want.Waits}, {"waits of items", ofItems, want.ItemWaits}, {"waits of the agent", ofAgent, want.AgentWaits},
		{"timers", timers, want.Timers}, {"hint", hint, want.Hint}, {"replayed", toJSON(replay), toJSON(want.Replay)},
	} {
		if c.got != c.want {
			h.t.Errorf("%s: got %v, want %v", c.fact, c.got, c.want)
		}
	}
	w, focused := Focus(h.book, "default")
	if focused != (want.Current != nil) || focused && (w.ID != *want.Current || w.Revision != *want.CurrentRev) {
		h.t.Errorf("focus %s at %d, want %v", w.ID, w.Revision, want.Current)
	}
}
