package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/store"
	"vise/store/storetest"
)

// scripted is the variable that makes this test binary the program of an agent.
const scripted = "VISE_TEST_WORK"

// The objectives of the fleet's items tell the agent what to do: 33 items, 198 in a soak.
var fleet = func() map[model.AgentID][]model.Text {
	out := map[model.AgentID][]model.Text{}
	for round := range storetest.Amount(1, 6) {
		for agent, list := range map[model.AgentID]string{
			"ann": "plain timer operator external slow task recheck slow delegate plain",
			"bob": "plain external operator quiet timer plain system edits task plain recheck plain fails",
			"cid": "plain plain plain plain plain plain plain plain plain plain",
		} {
			for objective := range strings.FieldsSeq(list) {
				if objective == "slow" && round > 0 {
					objective = "quiet" // in each of these of the first round the driver is killed
				}
				out[agent] = append(out[agent], model.Text(objective))
			}
		}
	}
	return out
}()

// planned returns the number of items with an objective, of all items for "".
func planned(objective model.Text) (n int) {
	for _, list := range fleet {
		for _, x := range list {
			if objective == "" || x == objective {
				n++
			}
		}
	}
	return n
}

// playWork is an agent that does with each item what its objective says: it waits in that way, once, and then completes
// the item.
func playWork() int {
	if os.Getenv(scripted) == "acp" {
		return playClaude()
	}
	a := &agent{in: bufio.NewReader(os.Stdin)}
	line, err := a.in.ReadString('\n')
	var got struct {
		Context prompt.Context `json:"context"`
	}
	if err != nil || json.Unmarshal([]byte(line), &got) != nil {
		return 3
	}
	for _, x := range mine(got.Context) {
		if code := a.work(x); code != 0 {
			return code
		}
	}
	return 0
}

type agent struct{ in *bufio.Reader }

// mine returns the items that a turn is about.
func mine(c prompt.Context) []prompt.Item {
	var out []prompt.Item
	if c.Current != nil {
		out = append(out, *c.Current)
	} else if c.Offered != nil {
		out = append(out, *c.Offered)
	}
	return append(out, c.Rechecks...)
}

// say reports a round and returns the answer.
func (a *agent) say(text string, calls ...model.Command) bool {
	r := model.Round{Text: model.Text(text)}
	for _, c := range calls {
		r.Calls = append(r.Calls, model.Call{Command: c})
	}
	raw, err := json.Marshal(map[string]any{"text": r.Text, "calls": r.Calls})
	if err != nil {
		return false
	}
	fmt.Println(string(raw))
	answer, err := a.in.ReadString('\n')
	if err != nil || !strings.Contains(answer, `"receipt"`) {
		fmt.Fprintf(os.Stderr, "said %s, heard %s %v\n", raw, answer, err)
		return false
	}
	return true
}

// again reports whether an earlier turn had this item, and records this turn.
func again(x prompt.Item) bool {
	f, err := os.OpenFile(filepath.Join(os.Getenv("VISE_HOME"), "once-"+string(x.ID)), os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		f.Close()
	}
	return err != nil
}

func (a *agent) work(x prompt.Item) int {
	switch {
	case x.Objective == "quiet" && !again(x):
		return 0
	case x.Objective == "fails" && !again(x):
		fmt.Fprintln(os.Stderr, "no such model")
		return 3
	}
	pick := model.PickWorkItem{WorkItemID: x.ID, Reason: "it is my turn to"}
	begun := len(x.TodoList) > 0 || x.Plan.Bytes > 0
	if begun {
		pick.ClearBlocker = x.BlockedBy != ""
	}
	if !a.say("", pick) {
		return 4
	}
	if begun || x.Objective == "plain" || x.Objective == "quiet" || x.Objective == "fails" {
		if !a.say(fmt.Sprintf("Report of %s.", x.ID), model.CompleteWorkItem{WorkItemID: x.ID}) {
			return 5
		}
		return 0
	}
	if x.Objective == "edits" { // and nothing else: what was written is its progress
		dir := filepath.Join(os.Getenv("VISE_HOME"), "agents", string(x.AgentID), "work-items", string(x.ID))
		if os.MkdirAll(dir, 0o700) != nil || os.WriteFile(filepath.Join(dir, "plan.md"), []byte("# Step by step\n"), 0o600) != nil {
			return 9
		}
		return 0
	}
	todos := []model.Todo{{Text: "wait", State: model.TodoCompleted}}
	mark := model.UpdateWorkItem{WorkItemID: x.ID, TodoList: &todos}
	if x.Objective == "slow" {
		if !a.say("This takes long.", mark) {
			return 6
		}
		<-time.After(20 * time.Second) // it is killed during this time
		return 0
	}
	second := int64(1000)
	if x.Objective == "recheck" {
		mark.BlockedBy, mark.RecheckAfterMS = model.SetTo("the vendor"), &second
		if !a.say("", mark) {
			return 7
		}
		return 0
	}
	wait := waitOf(x)
	wait.WorkItemID = x.ID
	if !a.say("", mark, wait) {
		return 8
	}
	return 0
}

func waitOf(x prompt.Item) model.WaitFor {
	switch x.Objective {
	case "timer":
		return model.WaitFor{Reason: "a second", Wake: model.WakeTimer, WakeAt: time.Now().Add(time.Second)}
	case "operator":
		return model.WaitFor{Reason: "a word", Wake: model.WakeOperatorInput, Question: "May I?"}
	case "external":
		return model.WaitFor{Reason: "the build", Wake: model.WakeExternal, Resource: model.Text("run-" + x.ID)}
	case "system":
		return model.WaitFor{Reason: "a quiet moment", Wake: model.WakeSystem}
	case "task":
		out := self("task", "run", "--detach", "--json", "--item", string(x.ID), "--", "sh", "-c", "echo it broke; sleep 1; exit 1")
		var s started
		if dataOf(string(out), &s) != nil {
			fmt.Fprintf(os.Stderr, "task said %s\n", out)
		}
		return model.WaitFor{Reason: "the tests", Wake: model.WakeTaskResult, Resource: model.Text(s.TaskID)}
	case "delegate":
		out := self("delegate", string(x.ID), "--to", "bob", "--json", "plain")
		var in model.Receipt
		if dataOf(string(out), &in) != nil {
			fmt.Fprintf(os.Stderr, "delegate said %s\n", out)
		}
		return model.WaitFor{Reason: "bob", Wake: model.WakeTaskResult, Resource: model.Text(in.DelegationID)}
	}
	return model.WaitFor{}
}

// self runs a verb as this agent.
func self(args ...string) []byte {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	c := exec.Command(exe, args...)
	c.Env = append([]string{asVise + "=1"}, os.Environ()...)
	for i, e := range c.Env {
		if strings.HasPrefix(e, scripted+"=") {
			c.Env[i] = "X=1"
		}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v %s\n", args, err, out)
	}
	return bytes.TrimSpace(out)
}

// playClaude completes its item in the ledger, like the tools of its server, and reports over the Agent Client
// Protocol.
func playClaude() int {
	l, err := store.Open(os.Getenv("VISE_HOME"), store.Options{})
	if err != nil {
		return 3
	}
	defer l.Close()
	id := model.AgentID(os.Getenv("VISE_AGENT"))
	var item model.ItemID
	err = l.View(context.Background(), func(r model.Reader) error {
		w, _ := model.Focus(r, id)
		item = w.ID
		return nil
	})
	if err != nil || item == "" {
		return 4
	}
	say := func(update string) {
		fmt.Printf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`+"\n", update)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil {
			return 6
		}
		result := `{"stopReason":"end_turn"}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1,"authMethods":[],"agentCapabilities":{}}`
		case "session/new":
			result = `{"sessionId":"s"}`
		case "session/prompt":
			say(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Report of %s."}}`, item))
			say(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"mcp__vise__CompleteWorkItem","status":"pending",`+
				`"rawInput":{"work_item_id":%q}}`, item))
			if _, err = l.Apply(context.Background(), model.Envelope{Key: "mcp-" + string(item), Actor: model.AgentActor(id), Agent: id,
				Command: model.CompleteWorkItem{WorkItemID: item}}); err != nil {
				return 5
			}
			say(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","rawOutput":"ok"}`)
			say(`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"Bye."}}`)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
	return 0
}
