package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/ui/mcp"
	"vise/ui/runner"
)

// actCase says how an act of the table is done through frontends, on things of ann's that it makes first.
type actCase struct {
	verb func(*actStage) []string
	tool func(*actStage) (name, args string)
	// inside says why neither is given: only vise itself or a hook sends the command.
	inside string
}

// actCases are by command, and by the acts that only some commands of a kind do.
var actCases = map[string]actCase{
	"CreateWorkItem": {verb: func(s *actStage) []string { return []string{"new", "One", "--agent", "ann"} }},
	"UpdateWorkItem": {
		verb: func(s *actStage) []string { return []string{"update", s.item(), "--objective", "Two"} },
		tool: func(s *actStage) (string, string) {
			return "UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"objective":"Two"}`, s.item())
		},
	},
	"UpdateWorkItem operators_blocker": {
		verb: func(s *actStage) []string { return []string{"unblock", s.blocked()} },
		tool: func(s *actStage) (string, string) {
			return "UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"blocked_by":null}`, s.blocked())
		},
	},
	"PickWorkItem": {
		verb: func(s *actStage) []string { return []string{"pick", s.item(), "--reason", "next"} },
		tool: func(s *actStage) (string, string) {
			return "PickWorkItem", fmt.Sprintf(`{"work_item_id":%q,"reason":"next"}`, s.item())
		},
	},
	"PickWorkItem operators_blocker": {
		verb: func(s *actStage) []string { return []string{"pick", s.blocked(), "--clear-blocker", "--reason", "now"} },
		tool: func(s *actStage) (string, string) {
			return "PickWorkItem", fmt.Sprintf(`{"work_item_id":%q,"clear_blocker":true,"reason":"now"}`, s.blocked())
		},
	},
	"WaitFor": {
		verb: func(s *actStage) []string { return []string{"wait", s.item(), "--timer", "30m"} },
		tool: func(s *actStage) (string, string) { return "WaitFor", timer(s.item()) },
	},
	"WaitFor operators_blocker": {
		verb: func(s *actStage) []string { return []string{"wait", s.blocked(), "--timer", "30m"} },
		tool: func(s *actStage) (string, string) { return "WaitFor", timer(s.blocked()) },
	},
	"LinkWorkItem": {verb: func(s *actStage) []string { return []string{"link", s.item(), "--ref", "issue:1"} }},
	"Batch":        {inside: "the console's marks, which are the operator's"},
	"CompleteWorkItem": {
		verb: func(s *actStage) []string { return []string{"complete", s.item()} },
		tool: func(s *actStage) (string, string) { return "CompleteWorkItem", named(s.item()) },
	},
	"CompleteWorkItem operators_blocker": {
		verb: func(s *actStage) []string { return []string{"complete", s.blocked()} },
		tool: func(s *actStage) (string, string) { return "CompleteWorkItem", named(s.blocked()) },
	},
	"CompleteWorkItem force": {verb: func(s *actStage) []string { return []string{"complete", s.running(), "--force"} }},
	"ReportWorkItem": {
		verb: func(s *actStage) []string { return []string{"report", s.done(), "--file", s.report} },
		tool: func(s *actStage) (string, string) {
			return "ReportWorkItem", fmt.Sprintf(`{"work_item_id":%q,"text":"It is done, and tested."}`, s.done())
		},
	},
	"OfferReport": {inside: "hooks, below"},
	"Round":       {verb: func(s *actStage) []string { return []string{"complete", s.item(), "--report-file", s.report} }},
	"Answer":      {verb: func(s *actStage) []string { return []string{"answer", s.question(), "yes"} }},
	"CancelWait":  {verb: func(s *actStage) []string { return []string{"unblock", s.question()} }},
	"CommentOn":   {verb: func(s *actStage) []string { return []string{"comment", s.changed(), "a.go:1", "why?"} }},
	"SendComments": {verb: func(s *actStage) []string {
		id := s.changed()
		s.do("operator", model.CommentOn{WorkItemID: model.ItemID(id), File: "a.go", Text: "why?"})
		return []string{"review", id, "--send"}
	}},
	"Snooze":        {verb: func(s *actStage) []string { return []string{"snooze", s.asking(), "--until", "2h"} }},
	"Acknowledge":   {verb: func(s *actStage) []string { return []string{"ack", s.asking()} }},
	"DeclineReport": {verb: func(s *actStage) []string { return []string{"report", s.offered(), "--none"} }},
	"Retry":         {verb: func(s *actStage) []string { s.item(); return []string{"retry", "ann"} }},
	"Undo":          {verb: func(s *actStage) []string { return []string{"undo", s.blocked()} }},
	"Trigger": {verb: func(s *actStage) []string {
		return []string{"trigger", string(s.do("agent:ann", model.WaitFor{WorkItemID: model.ItemID(s.item()), Reason: "ci", Wake: model.WakeExternal, Source: "ci"}).WaitID)}
	}},
	"Say":           {verb: func(s *actStage) []string { return []string{"say", "ann", "hello"} }},
	"Say interject": {verb: func(s *actStage) []string { return []string{"say", "ann", "stop", "--priority", "interject"} }},
	// The tool names nobody: who calls it makes an agent for itself.
	"SpawnAgent": {verb: func(s *actStage) []string {
		return []string{"agents", "add", s.name(), "--for-delegation", "--agent", "ann"}
	}},
	"OpenDelegation": {
		verb: func(s *actStage) []string { return []string{"delegate", s.item(), "help", "--to", "kid"} },
		tool: func(s *actStage) (string, string) {
			return "OpenDelegation", fmt.Sprintf(`{"work_item_id":%q,"to":"kid","objective":"help"}`, s.item())
		},
	},
	"CancelDelegation": {verb: func(s *actStage) []string {
		d := s.do("agent:ann", model.OpenDelegation{WorkItemID: model.ItemID(s.item()), To: "kid", Objective: "help"})
		return []string{"delegate", "cancel", string(d.DelegationID)}
	}},
	"AnswerPermission": {verb: func(s *actStage) []string {
		s.item() // ann is known
		asked := s.do("agent:ann", model.AskPermission{AgentID: "ann", Program: "claude", Session: model.Text(s.name()), Tool: "Bash",
			Process: runner.ProcessOf(os.Getpid()), AnswerMS: 60_000})
		return []string{"permit", string(asked.PermissionID), "once"}
	}},
	"AskPermission":  {inside: "a hook, for its own agent"},
	"EndPermissions": {inside: "a hook, for its own agent, and who finds that a program is gone"},
	"StartTask": {
		verb: func(s *actStage) []string { return []string{"task", "run", "--item", s.item(), "--", "true"} },
	},
	"EndTask":      {inside: "the supervisor of a task"},
	"ClaimTurn":    {inside: "a driver"},
	"BeatTurn":     {inside: "a driver"},
	"EndTurn":      {inside: "a driver"},
	"HandMessages": {inside: "a hook, and a server with its answers, for its own agent"},
	"SeeMessages":  {inside: "a server, for its own agent"},
	"AddAgent":     {verb: func(s *actStage) []string { return []string{"agents", "add", s.name()} }},
	"KeepCheck":    {inside: "a hook, a driver, and who watches a task, for its own agent"},
	"RefreshTree":  {inside: "whoever completes or shows an item"},
	"UpdateAgent evidence": {verb: func(s *actStage) []string {
		s.item()
		return []string{"agents", "set", "ann", "--evidence", "warn"}
	}},
	"KeepSummary":    {inside: "a hook, for its own agent"},
	"KeepUsageLimit": {inside: "a hook, and vise run, for its own agent"},
	"NotifyOperator": {tool: func(s *actStage) (string, string) { return "NotifyOperator", `{"text":"half of it is done"}` }},
	"RemoveAgent": {verb: func(s *actStage) []string {
		name := "agent-" + s.name()
		s.run(model.Operator, "agents", "add", name)
		return []string{"agents", "remove", name}
	}},
	"UpdateAgent": {verb: func(s *actStage) []string { s.item(); return []string{"agents", "set", "ann", "--posture", "awake"} }},
	"UpdateAgent limits": {verb: func(s *actStage) []string {
		s.item()
		return []string{"agents", "set", "ann", "--max-turns-per-hour", "6"}
	}},
	"Tick":       {inside: "the scheduler"},
	"NoteChecks": {inside: "who runs the scheduler"},
	"MintIngress": {verb: func(s *actStage) []string {
		return []string{"trigger", "url", "--agent", "ann", "--resource", "run/" + s.name()}
	}},
	"RevokeIngress":  {verb: func(s *actStage) []string { return []string{"trigger", "revoke", string(s.ingress())} }},
	"DeliverIngress": {inside: "the server, below"},
	"RefreshPlan":    {inside: "the watcher"},
	"SavePlan":       {inside: "the watcher, and an edit on another machine"},
	"NoteOverlap":    {inside: "hooks and the end of a turn"},
	"RefreshTodos":   {inside: "the watcher"},
	"Import":         {verb: func(s *actStage) []string { return []string{"import", "holon", s.holon()} }},
}

func timer(id string) string {
	return fmt.Sprintf(`{"work_item_id":%q,"reason":"later","wake":"timer","resource":"30m"}`, id)
}

func named(id string) string { return fmt.Sprintf(`{"work_item_id":%q}`, id) }

// actors has an actor for each role, towards things of ann's.
var actors = map[model.Role]model.Actor{
	model.RoleOperator: model.Operator, model.RoleAgent: "agent:ann", model.RoleOther: "agent:bob", model.RoleExternal: "external:ci",
	model.RoleUnknown: model.Unknown,
}

// TestWhoMayDoWhatHoldsThroughFrontends tries each row of the table in docs/codes.md on the command line and
// over MCP, if they offer the act, and compares the refusals.
func TestWhoMayDoWhatHoldsThroughFrontends(t *testing.T) {
	s := newActStage(t)
	servers := map[model.Role]*session{model.RoleAgent: s.serve("ann"), model.RoleOther: s.serve("bob")}
	tried := map[string]int{}
	for _, r := range model.Rights {
		for _, name := range strings.Fields(r.Commands) {
			act := strings.TrimSpace(name + " " + r.Only)
			d, ok := actCases[act]
			if !ok || (d.inside == "") == (d.verb == nil && d.tool == nil) {
				t.Errorf("%s: how it is done is not said", act)
			}
			for _, role := range model.Roles {
				want := refusalFor(r, name, role)
				if d.verb != nil {
					args := d.verb(s)
					if got, said := s.run(actors[role], args...); got != want {
						t.Errorf("vise %v as %s: code %q, the table says %q\n%s", args, role, got, want, said)
					}
					tried["verbs"]++
				}
				if c := servers[role]; c != nil && d.tool != nil {
					tool, args := d.tool(s)
					if got := c.codeOf(tool, args); got != want {
						t.Errorf("%s %s as %s: code %q, the table says %q", tool, args, role, got, want)
					}
					tried["tools"]++
				}
			}
		}
	}
	t.Logf("cells tried: %v", tried)
}

// refusalFor returns the code that the table asks for; empty if the act is allowed. The owner is checked before the
// act.
func refusalFor(r model.Right, command string, role model.Role) model.Code {
	switch {
	case r.May(role):
		return ""
	case role == model.RoleOther:
		for _, x := range model.Rights {
			if x.Only == "" && slices.Contains(strings.Fields(x.Commands), command) && x.May(model.RoleAgent) && !x.May(role) {
				return model.CodeNotOwner
			}
		}
	}
	return model.CodeRefused
}

// TestAHookReportsNothingOfAnotherAgents: a hook reports only for the agent that it was installed for.
func TestAHookReportsNothingOfAnotherAgents(t *testing.T) {
	for agent, complaint := range map[string]string{"ann": "", "bob": "belongs to agent ann"} {
		s, kept := newSession(t), complaint == ""
		s.agent, s.complaint = agent, complaint
		id := s.item("One")
		s.says("m1", "It is done; tests pass.")
		s.completes("m1", id)
		s.stops("It is done; tests pass.")
		if v, _ := s.records(id); (v.Report != nil) != kept || len(v.Offered) > 0 {
			t.Errorf("hooks of %s: report %+v, offered %+v", agent, v.Report, v.Offered)
		}
	}
}

// TestASenderOutsideTriggersAndAnswersNothing checks the cells of the table that HTTP offers.
func TestASenderOutsideTriggersAndAnswersNothing(t *testing.T) {
	s := newActStage(t)
	at := make(chan string, 1)
	server := &runner.Server{Ledger: s.home, Now: time.Now, Listen: "127.0.0.1:0", Ready: func(a net.Addr) { at <- "http://" + a.String() }}
	go func() { _ = server.Run(t.Context()) }() // ends with the test
	base := <-at
	for _, x := range []struct {
		name string
		wait model.WaitFor
		want int
	}{
		{"an external wait", model.WaitFor{Wake: model.WakeExternal, Source: "ci", Resource: "run/1"}, http.StatusAccepted},
		{"a question", model.WaitFor{Wake: model.WakeOperatorInput, Question: "May I delete prod?"}, http.StatusGone},
	} {
		id := model.ItemID(s.item())
		external := model.WaitFor{WorkItemID: id, Reason: "ci", Wake: model.WakeExternal, Source: "ci", Resource: "run/1"}
		wait := s.do("agent:ann", external).WaitID
		got, said := s.run(model.Operator, "trigger", "url", string(wait), "--base", base)
		var made struct {
			Data struct{ URL string } `json:"data"`
		}
		if err := json.Unmarshal([]byte(said), &made); err != nil || got != "" {
			t.Fatalf("%s: %q %v %s", x.name, got, err, said)
		}
		x.wait.WorkItemID, x.wait.Reason = id, "why"
		wait = s.do("agent:ann", x.wait).WaitID
		answer, err := http.Post(made.Data.URL, "text/plain", strings.NewReader("yes"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		var triggered bool
		if err := s.home.View(t.Context(), func(r model.Reader) error {
			w, _ := r.Wait(wait)
			triggered = w.Triggered()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != x.want || triggered != (x.want == http.StatusAccepted) {
			t.Errorf("%s: %s, triggered %v", x.name, answer.Status, triggered)
		}
	}
}

// actStage is a home in memory with ann, bob and kid.
type actStage struct {
	t           *testing.T
	dir, report string
	home        *home.Home
	names       int
}

func newActStage(t *testing.T) *actStage {
	t.Helper()
	s := &actStage{t: t, dir: t.TempDir()}
	plans, err := files.NewHome(filepath.Join(s.dir, "home"))
	if err == nil {
		err = os.Mkdir(plans.Dir(), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.NewLedger(t.Context(), kv.NewMemory(), plans)
	if err != nil {
		t.Fatal(err)
	}
	s.home = home.On(l, plans, home.Options{Dir: s.dir})
	t.Cleanup(func() { s.home.Close() })
	s.report = filepath.Join(s.dir, "report.txt")
	if err := os.WriteFile(s.report, []byte("It is done, and tested."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []model.AgentID{"ann", "bob", "kid"} {
		s.do(model.Operator, model.AddAgent{AgentID: id})
	}
	return s
}

func (s *actStage) do(by model.Actor, c model.Command) model.Receipt {
	s.t.Helper()
	in, err := s.home.Apply(s.t.Context(), model.Envelope{Key: home.NewKey(), Actor: by, Agent: "ann", Command: c})
	if err != nil {
		s.t.Fatalf("%s: %v", model.CommandName(c), err)
	}
	return in
}

// name is a name that does not exist.
func (s *actStage) name() string {
	s.names++
	return fmt.Sprint("name-", s.names)
}

func (s *actStage) item() string {
	return string(s.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID)
}

func (s *actStage) blocked() string {
	id := s.item()
	s.do(model.Operator, model.UpdateWorkItem{WorkItemID: model.ItemID(id), BlockedBy: model.SetTo("not yet")})
	return id
}

func (s *actStage) running() string {
	id := s.item()
	s.do("agent:ann", model.StartTask{WorkItemID: model.ItemID(id), Summary: "tests", Blocking: true})
	return id
}

// changed is an item with a work tree.
func (s *actStage) changed() string {
	id := s.item()
	s.do(model.Operator, model.LinkWorkItem{WorkItemID: model.ItemID(id),
		Add: model.Links{Refs: []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(filepath.Dir(s.report))}}}})
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.report), "a.go"), []byte("package a\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *actStage) done() string {
	id := s.item()
	s.do("agent:ann", model.CompleteWorkItem{WorkItemID: model.ItemID(id)})
	return id
}

func (s *actStage) offered() string {
	id := s.done()
	s.do("agent:ann", model.OfferReport{WorkItemIDs: []model.ItemID{model.ItemID(id)}, Text: "It is done.", Provenance: model.ReportNearRound})
	return id
}

func (s *actStage) asks() (item string, wait model.WaitID) {
	item = s.item()
	return item, s.do("agent:ann", model.WaitFor{WorkItemID: model.ItemID(item), Reason: "which?", Wake: model.WakeOperatorInput}).WaitID
}

func (s *actStage) asking() string {
	id, _ := s.asks()
	return id
}

func (s *actStage) question() string {
	_, wait := s.asks()
	return string(wait)
}

func (s *actStage) ingress() model.IngressID {
	return s.do("agent:ann", model.MintIngress{AgentID: "ann", Resource: model.Text(s.name()), TokenHash: strings.Repeat("a", 64)}).IngressID
}

// holon is a home of Holon with one work item.
func (s *actStage) holon() string {
	dir := filepath.Join(s.dir, s.name())
	err := os.MkdirAll(filepath.Join(dir, "ledger"), 0o700)
	if err == nil {
		row := fmt.Sprintf(`{"id":"work_%d","objective":"o","state":"open"}`, s.names)
		err = os.WriteFile(filepath.Join(dir, "ledger", "work_items.jsonl"), []byte(row), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return dir
}

// run runs a verb like a process and returns the code of its refusal.
func (s *actStage) run(by model.Actor, args ...string) (model.Code, string) {
	s.t.Helper()
	args = slices.Concat([]string{args[0], "--json", "--actor", string(by)}, args[1:])
	var out, errs bytes.Buffer
	a := &Env{args: args, dir: s.dir, in: strings.NewReader(""), out: &out, err: &errs, now: time.Now, home: s.home,
		getenv: func(name string) string { return map[string]string{"HOME": s.dir}[name] }}
	code := execute(a, s.t.Context())
	var got struct{ Error model.Error }
	_ = json.Unmarshal(out.Bytes(), &got)
	if code != 0 && got.Error.Code == "" {
		s.t.Errorf("vise %v: exit %d without a code: %s%s", args, code, out.String(), errs.String())
	}
	return got.Error.Code, out.String()
}

// serve is an MCP server with all tools for an agent.
func (s *actStage) serve(agent string) *session {
	s.t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &session{t: s.t, in: toServer, out: bufio.NewReader(fromServer)}
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Serve(context.WithoutCancel(s.t.Context()), mcp.Options{Open: func() (*home.Home, error) { return s.home, nil }, Agent: agent,
			Getenv: func(string) string { return "" }, In: in, Out: out, Version: "test", All: true})
		out.Close()
	}()
	s.t.Cleanup(func() {
		toServer.Close()
		if err := <-ended; err != nil {
			s.t.Errorf("the server of %s ended with %v", agent, err)
		}
	})
	c.begin()
	return c
}
