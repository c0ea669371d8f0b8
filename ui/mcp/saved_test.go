package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/store/storetest"
	"vise/ui/mcp"
)

// serveFaults serves a home whose ledger fails at the test's command, with an item in focus, a completed one and a
// message. ids names the two items in the arguments of calls.
func serveFaults(t *testing.T) (c *client, f *storetest.Faults, ids *strings.Replacer) {
	t.Helper()
	f = &storetest.Faults{Backend: kv.NewMemory()}
	plans, err := files.NewHome(filepath.Join(t.TempDir(), "home"))
	if err == nil {
		err = os.Mkdir(plans.Dir(), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.NewLedger(t.Context(), f, plans)
	if err != nil {
		t.Fatal(err)
	}
	h := home.On(l, plans, home.Options{})
	apply := func(key string, cmd model.Command) model.Receipt {
		in, err := h.Apply(t.Context(), model.Envelope{Key: key, Actor: model.Operator, Agent: "ann", Command: cmd})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	done := apply("done", model.CreateWorkItem{Objective: "Done"}).WorkItemID
	apply("complete", model.CompleteWorkItem{WorkItemID: done})
	open := apply("one", model.CreateWorkItem{Objective: "One"}).WorkItemID
	apply("pick", model.PickWorkItem{WorkItemID: open})
	other := apply("other", model.CreateWorkItem{Objective: "Other"}).WorkItemID
	apply("say", model.Say{AgentID: "ann", Text: "hello"})
	c = serve(t, "ann", nil, func(o *mcp.Options) {
		o.Open, o.All = func() (*home.Home, error) { return h, nil }, true
		o.HooksSeen = func(model.AgentID) bool { return false }
		o.StartTask = func(ctx context.Context, r mcp.TaskRequest) (model.TaskID, error) { // in a process of its own
			in, err := h.Apply(ctx, model.Envelope{Key: home.NewKey(), Actor: "agent:ann", Agent: "ann",
				Command: model.StartTask{Summary: "a test", WorkItemID: r.WorkItemID}})
			return in.TaskID, err
		}
	})
	c.initialize()
	return c, f, strings.NewReplacer("$open", string(open), "$done", string(done), "$other", string(other))
}

// TestWhatIsSavedIsSaidToBeSaved makes each transaction of each tool that acts fail, once and from then on: the answer
// says whether the tool's command was committed.
func TestWhatIsSavedIsSaidToBeSaved(t *testing.T) {
	storetest.Slow(t)
	acting := map[string]string{
		"CreateWorkItem": `{"objective":"Two"}`, "UpdateWorkItem": `{"work_item_id":"$open","objective":"x"}`,
		"CompleteWorkItem": `{"work_item_id":"$open"}`, "PickWorkItem": `{"work_item_id":"$other","reason":"r"}`,
		"WaitFor":        `{"work_item_id":"$open","reason":"ci","wake":"external","resource":"ci"}`,
		"ReportWorkItem": `{"work_item_id":"$done","text":"It works."}`, "NotifyOperator": `{"text":"CI is red."}`,
		"OpenDelegation": `{"work_item_id":"$open","to":"bob","objective":"Check"}`, "SpawnAgent": `{"initial_message":"Find it"}`,
		"StartTask": `{"command":["true"],"work_item_id":"$open"}`,
	}
	c, _, _ := serveFaults(t)
	for _, tool := range c.listed() {
		if _, ok := acting[tool]; !ok && tool != "GetWorkItem" && tool != "ListWorkItems" && tool != "UpdateThread" { // a thread is no part of the ledger
			t.Errorf("%s is tried nowhere", tool)
		}
	}
	tries := 0
	for tool, args := range acting {
		for at := 1; at <= 8; at++ {
			for code, trouble := range storetest.Troubles {
				if !storetest.Long && (at+len(code))%2 == 0 {
					continue
				}
				for _, onward := range []bool{false, true} {
					c, f, ids := serveFaults(t)
					f.Arm(0, func(n int, _ bool) error {
						if n == at || onward && n > at {
							return trouble
						}
						return nil
					})
					r := c.call(tool, ids.Replace(args))
					names, _ := f.Committed()
					tries++
					if saved := slices.Contains(names, tool); saved == r.IsError || r.code() == model.CodeUnknownOutcome {
						t.Errorf("%s, %s at %d, onward %v: saved %v, and answers %s", tool, code, at, onward, saved, r.Structured)
					}
				}
			}
		}
	}
	t.Logf("%d calls", tries)
}

// TestAnUnknownOutcomeIsLearntByCallingAgain loses the answer of a commit: the same call, and one with the key from the
// error, do nothing twice, and say so.
func TestAnUnknownOutcomeIsLearntByCallingAgain(t *testing.T) {
	for _, named := range []bool{false, true} {
		c, f, _ := serveFaults(t)
		f.Arm(1, func(_ int, committed bool) error {
			if committed {
				return storetest.Troubles[model.CodeBusy]
			}
			return nil
		})
		r := c.call("CreateWorkItem", `{"objective":"Two"}`)
		var x struct{ Error model.Error }
		if err := json.Unmarshal(r.Structured, &x); err != nil || r.code() != model.CodeUnknownOutcome || x.Error.Key == "" {
			t.Fatalf("got %s", r.Structured)
		}
		f.Arm(0, nil)
		meta := ""
		if named {
			meta = fmt.Sprintf(`{"vise/idempotency_key":%q}`, x.Error.Key)
		}
		again := c.callWith("CreateWorkItem", `{"objective":"Two"}`, meta)
		names, _ := f.Committed()
		said := string(again.Structured)
		if again.IsError || slices.Contains(names, "CreateWorkItem") || !strings.Contains(said, `"replayed":true`) || !strings.Contains(said, `"kind":"replayed"`) {
			t.Errorf("named %v: committed %q: %s", named, names, said)
		}
	}
}

// TestAMessageIsNotHandedWithoutBeingShown makes every transaction after the handing fail: the answer shows every
// message that the ledger counts as sent.
func TestAMessageIsNotHandedWithoutBeingShown(t *testing.T) {
	for at := 1; at <= 8; at++ {
		c, f, ids := serveFaults(t)
		f.Arm(0, func(n int, _ bool) error {
			if n >= at {
				return storetest.Troubles[model.CodeBusy]
			}
			return nil
		})
		r := c.call("GetWorkItem", ids.Replace(`{"work_item_id":"$open"}`))
		names, _ := f.Committed()
		if handed := slices.Contains(names, "HandMessages"); handed != strings.Contains(string(r.Structured), "hello") {
			t.Errorf("at %d: handed %v, and answers %s", at, handed, r.Structured)
		}
	}
}
