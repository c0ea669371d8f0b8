package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/mcp"
)

func refusalOf(t *testing.T, a answer) model.Code {
	t.Helper()
	var r result
	if err := json.Unmarshal(a.Result, &r); err != nil {
		t.Fatal(err)
	}
	return r.code()
}

func TestSevenToolsWithinTheirBudget(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	a := c.read()
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       struct {
				Additional *bool `json:"additionalProperties"`
			} `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(a.Result, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range list.Tools {
		names = append(names, x.Name)
		if x.InputSchema.Additional == nil || *x.InputSchema.Additional || x.Description == "" {
			t.Errorf("%s takes unknown fields, or says nothing of itself", x.Name)
		}
	}
	if got := strings.Join(names, " "); got != "CompleteWorkItem CreateWorkItem GetWorkItem ListWorkItems PickWorkItem UpdateWorkItem WaitFor" {
		t.Errorf("tools are %s", got)
	}
	if n := prompt.Tokens(string(a.Result)); n > 1500 {
		t.Errorf("the definitions are %d tokens", n)
	} else {
		t.Logf("the definitions are %d tokens", n)
	}
}

func TestAnItemFromCreationToCompletion(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	w := c.create("Split the limiter")
	if w.Revision != 1 || w.Class != model.QueuedRunnable || w.Scheduling != model.Runnable || w.ReasonCode != "runnable" || w.Plan.Path == "" {
		t.Errorf("created %+v", w)
	}
	picked := c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.Handle)).item(t)
	if !picked.IsCurrent || picked.Class != model.CurrentRunnable {
		t.Errorf("picked %+v", picked)
	}
	if err := os.WriteFile(w.Plan.Path, []byte("# Plan\nMove it.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"blocked_by":"the schema","todo_list":null}`, w.ID)).item(t)
	if blocked.BlockedBy != "the schema" || blocked.IsCurrent || blocked.Plan.Preview == "" {
		t.Errorf("blocked %+v", blocked)
	}
	same := c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"objective":"Split it"}`, w.ID)).item(t)
	if same.BlockedBy == "" {
		t.Error("an absent blocked_by cleared the blocker")
	}
	free := c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"blocked_by":null}`, w.ID)).item(t)
	if free.BlockedBy != "" || free.Scheduling != model.Runnable {
		t.Errorf("null left the blocker: %+v", free)
	}
	c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID))
	waiting := c.call("WaitFor", `{"reason":"a decision","wake":"operator_input","question":"LFU?"}`).item(t)
	if waiting.Scheduling != model.WaitingOperator {
		t.Errorf("waiting %+v", waiting)
	}
	next := c.call("CreateWorkItem", `{"objective":"Use the cache"}`).item(t)
	after := c.call("WaitFor", fmt.Sprintf(`{"work_item_id":%q,"reason":"the cache","wake":"external","resource":"item:%s"}`, next.ID, w.Handle)).item(t)
	if after.Scheduling != "waiting_external" || string(after.ActiveWaits[0].After()) != string(w.ID) {
		t.Errorf("waiting for %s: %+v", w.ID, after)
	}
	done := c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID))
	if next := c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, next.ID)).item(t); next.Class != model.TriggeredBlocked {
		t.Errorf("after the completion %+v", next)
	}
	if !strings.Contains(string(done.Structured), `"completed_transition":true`) {
		t.Errorf("completed %s", done.Structured)
	}
	if again := c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)); again.code() != model.CodeCompleted || !strings.Contains(string(again.Structured), "CreateWorkItem") {
		t.Errorf("got %s", again.Structured)
	}
}

func TestRetriedCallHappensOnce(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	meta := `{"claudecode/toolUseId":"toolu_01"}`
	first := c.callWith("CreateWorkItem", `{"objective":"once"}`, meta).item(t)
	after := c.revision()
	second := c.callWith("CreateWorkItem", `{"objective":"once"}`, meta)
	if second.item(t).ID != first.ID || c.revision() != after || !strings.Contains(string(second.Structured), `"replayed":true`) {
		t.Errorf("the retry made %s", second.Structured)
	}
}

func TestAgentCannotActOnAnothersItem(t *testing.T) {
	c := serve(t, "", map[string]string{"VISE_AGENT": "ann"})
	c.initialize()
	w := c.create("Ann's")
	id := fmt.Sprintf(`{"work_item_id":%q}`, w.ID)
	for _, tool := range []string{"PickWorkItem", "CompleteWorkItem", "UpdateWorkItem"} {
		if got := c.callWith(tool, id, `{"vise/agent":"bob"}`).code(); got != model.CodeNotOwner {
			t.Errorf("%s as bob: code %q", tool, got)
		}
	}
	if got := c.callWith("WaitFor", fmt.Sprintf(`{"work_item_id":%q,"reason":"r","wake":"system"}`, w.ID), `{"vise/agent":"bob"}`).code(); got != model.CodeNotOwner {
		t.Errorf("WaitFor as bob: code %q", got)
	}
	bobs := c.callWith("ListWorkItems", `{}`, `{"vise/agent":"bob"}`)
	if strings.Contains(string(bobs.Structured), "Ann's") {
		t.Error("bob's list shows ann's item")
	}
}

// A server that was started for an agent serves only that one, or the one that the environment names instead.
func TestPinnedServerServesNobodyElse(t *testing.T) {
	for env, agent := range map[string]model.AgentID{"": "ann", "bob": "bob"} {
		c := serve(t, "ann", map[string]string{"VISE_AGENT": env})
		c.initialize()
		if w := c.create("pinned"); w.AgentID != agent {
			t.Errorf("environment %q: the item is %s's", env, w.AgentID)
		}
		if got := c.callWith("ListWorkItems", `{}`, `{"vise/agent":"cid"}`).code(); got != model.CodeNotOwner {
			t.Errorf("environment %q: code %q", env, got)
		}
	}
}

// TestRepliesKeepWithinTwoThousandTokens fills an item to its limits and reads it in all ways.
func TestRepliesKeepWithinTwoThousandTokens(t *testing.T) {
	storetest.Slow(t)
	c := serve(t, "ann", nil)
	c.initialize()
	long := repeat("ж", 2000)
	var todos []string
	for i := range 200 {
		todos = append(todos, fmt.Sprintf(`{"text":"%03d %s","state":"pending"}`, i, repeat("t", 400)))
	}
	for range 12 {
		w := c.create(long)
		if err := os.WriteFile(w.Plan.Path, []byte(repeat("p", 5000)), 0o600); err != nil {
			t.Fatal(err)
		}
		small(t, c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"todo_list":[%s]}`, w.ID, strings.Join(todos, ","))))
		small(t, c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q,"reason":"r"}`, w.ID)))
		small(t, c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q,"include_todo_list":true}`, w.ID)))
		small(t, c.call("WaitFor", fmt.Sprintf(`{"work_item_id":%q,"reason":%q,"wake":"external","resource":%q,"condition":%q}`, w.ID, long, long, long)))
	}
	within(t, c.call("ListWorkItems", `{"limit":100,"include_todo_list":true}`), 9600)
	small(t, c.call("PickWorkItem", `{"work_item_id":"`+repeat("x", 100_000)+`"}`))
}

func small(t *testing.T, r result) {
	t.Helper()
	within(t, r, 8000)
}

func within(t *testing.T, r result, most int) {
	t.Helper()
	if n := len([]rune(r.Content[0].Text)); n > most || r.Content[0].Text != string(r.Structured) {
		t.Errorf("an answer of %d characters: %.300s", n, r.Structured)
	}
}

func TestPagesOfAListMissNothing(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	for i := range 45 {
		c.create(fmt.Sprint("objective ", i))
	}
	seen := map[model.ItemID]bool{}
	args, pages := `{"limit":40}`, 0
	for args != "" {
		var l home.ListResult
		r := c.call("ListWorkItems", args)
		if err := json.Unmarshal(r.Structured, &l); err != nil {
			t.Fatal(err)
		}
		if l.Total != 45 || l.Returned != len(l.WorkItems) || l.Limit != 40 {
			t.Errorf("page %d says %d of %d, limit %d", pages, l.Returned, l.Total, l.Limit)
		}
		for _, w := range l.WorkItems {
			seen[w.ID] = true
		}
		args, pages = "", pages+1
		if l.Cursor != "" {
			args = fmt.Sprintf(`{"limit":40,"cursor":%q}`, l.Cursor)
		}
	}
	if len(seen) != 45 {
		t.Errorf("%d items on %d pages", len(seen), pages)
	}
	t.Logf("45 items on %d pages", pages)
}

func TestLongTodoListIsPaged(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	var todos []string
	for i := range 200 {
		todos = append(todos, fmt.Sprintf(`{"text":"%03d %s","state":"pending"}`, i, repeat("t", 200)))
	}
	w := c.create("long")
	c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"todo_list":[%s]}`, w.ID, strings.Join(todos, ",")))
	from := 0
	for from < 200 {
		got := c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q,"include_todo_list":true,"todo_offset":%d}`, w.ID, from)).item(t)
		if len(got.TodoList) == 0 || !strings.HasPrefix(got.TodoList[0].Text.Raw(), fmt.Sprintf("%03d ", from)) {
			t.Fatalf("from %d: %d todos", from, len(got.TodoList))
		}
		from += len(got.TodoList)
	}
}

// TestOneHintGoesOnWhereTheListEnds: the hint skips no todos of a list that was cut twice.
func TestOneHintGoesOnWhereTheListEnds(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	var todos []string
	for i := range 60 {
		todos = append(todos, fmt.Sprintf(`{"text":"%03d %s","state":"pending"}`, i, repeat("t", 400)))
	}
	w := c.create("long")
	c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"todo_list":[%s]}`, w.ID, strings.Join(todos, ",")))
	got := c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q,"include_todo_list":true}`, w.ID))
	var said struct{ Omitted []string }
	if err := json.Unmarshal(got.Structured, &said); err != nil {
		t.Fatal(err)
	}
	hints := slices.DeleteFunc(said.Omitted, func(s string) bool { return !strings.Contains(s, "todo_offset") })
	if want := fmt.Sprintf("todo_offset=%d)", len(got.item(t).TodoList)); len(hints) != 1 || !strings.Contains(hints[0], want) {
		t.Errorf("%d todos are shown, and the hints are %q", len(got.item(t).TodoList), hints)
	}
}

// TestRowsCarryTheirPlans within the answer's bound: previews are left out before rows.
func TestRowsCarryTheirPlans(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	type row struct {
		Plan *model.PlanArtifact `json:"plan_artifact"`
	}
	list := func() (rows []row) {
		r := c.call("ListWorkItems", `{}`)
		within(t, r, 9600)
		var page struct {
			Rows []row `json:"work_items"`
		}
		if err := json.Unmarshal(r.Structured, &page); err != nil {
			t.Fatal(err)
		}
		return page.Rows
	}
	for n := range 6 {
		w := c.call("CreateWorkItem", fmt.Sprintf(`{"objective":"item %d","plan":"# Plan %d\n%s"}`, n, n, repeat("step ", 60))).item(t)
		if n == 0 {
			rows := list()
			if p := rows[0].Plan; p.Path != "" || p.Hash != w.Plan.Hash[:19] || p.Bytes != w.Plan.Bytes ||
				p.UpdatedAt.IsZero() || len(p.Preview) != 160 || p.Preview[:9] != "# Plan 0\n" || p.PreviewComplete {
				t.Errorf("the row's plan is %+v", p)
			}
		}
	}
	rows := list()
	if len(rows) != 6 {
		t.Errorf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Plan == nil || r.Plan.Hash == "" || r.Plan.PreviewComplete {
			t.Errorf("a row's plan is %+v", r.Plan)
		}
	}
}

// A preview is complete if it is the whole plan, with or without a line break at its end.
func TestAPreviewIsCompleteOnlyIfItIsTheWholePlan(t *testing.T) {
	for text, complete := range map[string]bool{
		"one line\n": true, "one line": true, "two\nlines\n\n": true, "": true, repeat("x", 160) + "\n": true, repeat("x", 161): false,
	} {
		c := serve(t, "ann", nil)
		c.initialize()
		if err := os.WriteFile(c.create("one").Plan.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`"preview_complete":%v`, complete)
		if got := c.call("ListWorkItems", `{}`).Content[0].Text; !strings.Contains(got, want) {
			t.Errorf("%.20q: %s", text, got)
		}
	}
}

// post queues a message to ann, and returns a function for its state.
func (c *client) post(key, words string, priority model.Priority) func() model.MessageStatus {
	c.t.Helper()
	in, err := c.ledger.Apply(c.t.Context(), model.Envelope{Key: key, Actor: model.Operator, Command: model.Say{AgentID: "ann", Text: model.Text(words), Priority: priority}})
	if err != nil {
		c.t.Fatal(err)
	}
	return func() (s model.MessageStatus) {
		if err := c.ledger.View(c.t.Context(), func(r model.Reader) error {
			m, _ := r.Message(in.Messages[0])
			s = m.Status
			return nil
		}); err != nil {
			c.t.Fatal(err)
		}
		return s
	}
}

// TestAMessageComesWithTheNextAnswer: it is queued, then sent with the next call of the agent, and seen when the agent
// reads again, but not by a call of the same moment.
func TestAMessageComesWithTheNextAnswer(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	c.create("anything")
	now := time.Now()
	c.ledger.Now = func() time.Time { return now }
	status := c.post("1", "Use LFU.", model.Normal)
	if status() != model.MessageQueued {
		t.Errorf("status %s", status())
	}
	if got := c.call("ListWorkItems", `{}`); !strings.Contains(string(got.Structured), `"messages":[{"from":"operator"`) || !strings.Contains(string(got.Structured), "Use LFU.") {
		t.Errorf("got %s", got.Structured)
	}
	if got := c.call("ListWorkItems", `{}`); strings.Contains(string(got.Structured), "Use LFU.") || status() != model.MessageSent {
		t.Errorf("a call of the same moment: status %s, got %s", status(), got.Structured)
	}
	now = now.Add(3 * time.Second)
	c.call("ListWorkItems", `{}`)
	if status() != model.MessageDone {
		t.Errorf("status %s after the agent read", status())
	}
}

// TestAMessageThatAKilledServerHandedComesAgain, once, from the next server, which cannot have read it. An agent with hooks gets it
// from the hook of its session's start.
func TestAMessageThatAKilledServerHandedComesAgain(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(false))
	c.initialize()
	c.create("anything")
	status := c.post("1", "Use LFU.", model.Normal)
	c.call("ListWorkItems", `{}`) // and the server is killed
	minute := time.Now().Add(time.Minute)
	next := func(hooks bool) *client {
		n := serve(t, "ann", nil, hooksSeen(hooks), func(o *mcp.Options) {
			o.Open = func() (*home.Home, error) {
				h, err := home.Open(c.dir, home.Options{})
				if err == nil {
					h.Ledger.Now = func() time.Time { return minute }
				}
				return h, err
			}
		})
		n.initialize()
		return n
	}
	n := next(false)
	if got := n.call("ListWorkItems", `{}`); !strings.Contains(string(got.Structured), "Use LFU.") || status() != model.MessageSent {
		t.Errorf("status %s, got %s", status(), got.Structured)
	}
	if got := n.call("ListWorkItems", `{}`); strings.Contains(string(got.Structured), "Use LFU.") || status() != model.MessageSent {
		t.Errorf("a second call: status %s, got %s", status(), got.Structured)
	}
	n.initialize() // another session
	if got := n.call("ListWorkItems", `{}`); !strings.Contains(string(got.Structured), "Use LFU.") {
		t.Errorf("another session got %s", got.Structured)
	}
	minute = minute.Add(time.Minute)
	if got := next(true).call("ListWorkItems", `{}`); strings.Contains(string(got.Structured), "Use LFU.") || status() != model.MessageDone {
		t.Errorf("with hooks: status %s, got %s", status(), got.Structured)
	}
}

// TestAMessageAboutAnItemThatAnotherSessionHoldsIsNotHandedHere, until that session has ended.
func TestAMessageAboutAnItemThatAnotherSessionHoldsIsNotHandedHere(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	c.create("anything")
	held := c.create("held elsewhere").ID
	h, err := home.Open(c.dir, home.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.NoteSession(home.Session{Program: "claude", ID: "s2", Agent: "ann", Item: held, State: home.SessionWorks})
	say := model.Say{AgentID: "ann", WorkItemID: held, Text: "Use LFU."}
	if _, err := c.ledger.Apply(t.Context(), model.Envelope{Key: "say", Actor: model.Operator, Command: say}); err != nil {
		t.Fatal(err)
	}
	if got := c.call("ListWorkItems", `{}`); strings.Contains(string(got.Structured), "Use LFU.") {
		t.Errorf("got %s", got.Structured)
	}
	h.EndSession("ann", "claude", "s2")
	if got := c.call("ListWorkItems", `{}`); !strings.Contains(string(got.Structured), "Use LFU.") {
		t.Errorf("nobody holds it, and it did not come: %s", got.Structured)
	}
}

// TestLongMessagesComeInPartAndLie in full in a resource; what does not fit waits.
func TestLongMessagesComeInPart(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	c.create("anything")
	long, next := c.post("1", strings.Repeat("word ", 2000)+"END", model.Next), c.post("2", "And hurry.", model.Normal)
	got := string(c.call("ListWorkItems", `{}`).Structured)
	if len(got) > 6000 || long() != model.MessageSent || next() != model.MessageQueued {
		t.Errorf("%d bytes, statuses %s and %s", len(got), long(), next())
	}
	_, rest, _ := strings.Cut(got, "vise://message/")
	uri, _, _ := strings.Cut(rest, `"`)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"vise://message/%s"}}`, uri))
	if whole := c.read(); !strings.Contains(string(whole.Result), "word END") {
		t.Errorf("the resource has %.200s", whole.Result)
	}
	if got := string(c.call("ListWorkItems", `{}`).Structured); !strings.Contains(got, "And hurry.") {
		t.Errorf("the next answer has %s", got)
	}
}

func TestResourcesAreTheContextAndEachPlan(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	w := c.create("Split the limiter")
	if err := os.WriteFile(w.Plan.Path, []byte("# The plan\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]string{"vise://context": "Current work item: none", "vise://plan/" + string(w.ID): "# The plan"} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		if a := c.read(); a.Error != nil || !strings.Contains(string(a.Result), want) {
			t.Errorf("%s: %s", uri, a.Result)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	if a := c.read(); !strings.Contains(string(a.Result), "vise://plan/"+string(w.ID)) {
		t.Errorf("the list is %s", a.Result)
	}
	for _, uri := range []string{"vise://plan/wi-none", "vise://plan/..%2f..", "file:///etc/passwd"} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		if a := c.read(); a.Error == nil {
			t.Errorf("%s was read: %s", uri, a.Result)
		}
	}
}
