package mcp_test

import (
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
	"vise/store/storetest"
	"vise/ui/mcp"
)

// serveFaults serves a home whose ledger fails when the test says so, with an item and a message.
func serveFaults(t *testing.T) (*client, *storetest.Faults, model.ItemID) {
	t.Helper()
	f := &storetest.Faults{Backend: store.NewMemory()}
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
	made, err := h.Apply(t.Context(), model.Envelope{Key: "one", Actor: model.Operator, Agent: "ann", Command: model.CreateWorkItem{Objective: "One"}})
	if err == nil {
		_, err = h.Apply(t.Context(), model.Envelope{Key: "say", Actor: model.Operator, Command: model.Say{AgentID: "ann", Text: "hello"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, "ann", nil, func(o *mcp.Options) { o.Open = func() (*home.Home, error) { return h, nil } })
	c.initialize()
	return c, f, made.WorkItemID
}

// TestWhatIsSavedIsSaidToBeSaved lets each transaction of each tool that acts fail, once and from
// then on: whether its command was committed, the answer says.
func TestWhatIsSavedIsSaidToBeSaved(t *testing.T) {
	tries := 0
	for tool, args := range map[string]string{
		"CreateWorkItem": `{"objective":"Two"}`, "UpdateWorkItem": `{"work_item_id":%q,"objective":"x"}`,
		"CompleteWorkItem": `{"work_item_id":%q}`, "PickWorkItem": `{"work_item_id":%q,"reason":"r"}`,
		"WaitFor": `{"work_item_id":%q,"reason":"ci","wake":"external","resource":"ci"}`,
	} {
		for at := 1; at <= 8; at++ {
			for code, trouble := range storetest.Troubles {
				if !storetest.Long && (at+len(code))%2 == 0 {
					continue
				}
				for _, onward := range []bool{false, true} {
					c, f, id := serveFaults(t)
					f.Arm(0, func(n int, _ bool) error {
						if n == at || onward && n > at {
							return trouble
						}
						return nil
					})
					input := args
					if strings.Contains(args, "%q") {
						input = fmt.Sprintf(args, id)
					}
					r := c.call(tool, input)
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

// TestAnUnknownOutcomeIsLearntByCallingAgain loses the answer of a commit: the same call, and one
// with the key that the error names, do nothing twice, and say so.
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

// TestAMessageIsNotHandedWithoutBeingShown lets every transaction after the handing fail: what the
// ledger counts as sent stands in the answer.
func TestAMessageIsNotHandedWithoutBeingShown(t *testing.T) {
	for at := 1; at <= 8; at++ {
		c, f, id := serveFaults(t)
		f.Arm(0, func(n int, _ bool) error {
			if n >= at {
				return storetest.Troubles[model.CodeBusy]
			}
			return nil
		})
		r := c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, id))
		names, _ := f.Committed()
		if handed := slices.Contains(names, "HandMessages"); handed != strings.Contains(string(r.Structured), "hello") {
			t.Errorf("at %d: handed %v, and answers %s", at, handed, r.Structured)
		}
	}
}
