package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// fleetHome is a home on which verbs run.
type fleetHome struct {
	t      testing.TB
	dir    string
	ledger *store.Ledger
	keys   int
}

func newFleetHome(t testing.TB) *fleetHome {
	t.Helper()
	h := &fleetHome{t: t, dir: t.TempDir() + "/home"}
	l, err := store.Create(h.dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	h.ledger = l
	return h
}

// config returns the path of the configuration file, whose directory is made.
func (h *fleetHome) config() string {
	h.t.Helper()
	dir := filepath.Join(h.dir, "vise")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	return filepath.Join(dir, "config.yaml")
}

func (h *fleetHome) do(by model.Actor, c model.Command) model.Receipt {
	h.t.Helper()
	h.keys++
	in, err := h.ledger.Apply(context.Background(), model.Envelope{Key: fmt.Sprint("test-", h.keys), Actor: by, Command: c})
	if err != nil {
		h.t.Fatal(err)
	}
	return in
}

// command returns a verb as a process of its own.
func (h *fleetHome) command(args ...string) *exec.Cmd {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asVise+"=1", "VISE_HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir, "VISE_ACTOR=operator")
	return c
}

// run runs a verb and returns its output, with standard error.
func (h *fleetHome) run(args ...string) (string, error) {
	h.t.Helper()
	out, err := h.command(args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (h *fleetHome) ok(args ...string) string {
	h.t.Helper()
	out, err := h.run(args...)
	if err != nil {
		h.t.Fatalf("vise %v: %v\n%s", args, err, out)
	}
	return out
}

// dataOf reads the data of an answer.
func dataOf(answer string, into any) error {
	return json.Unmarshal([]byte(answer), &struct{ Data any }{into})
}

func (h *fleetHome) refused(code model.Code, args ...string) {
	h.t.Helper()
	out, err := h.run(append([]string{"--json"}, args...)...)
	if err == nil || !strings.Contains(out, string(code)) {
		h.t.Errorf("vise %v: %v %q, want %s", args, err, out, code)
	}
}

func (h *fleetHome) view(fn func(model.Reader)) {
	h.t.Helper()
	if err := h.ledger.View(context.Background(), func(r model.Reader) error { fn(r); return nil }); err != nil {
		h.t.Fatal(err)
	}
}

// until waits for a commit after which ok returns true.
func (h *fleetHome) until(what string, ok func(model.Reader) bool) {
	h.t.Helper()
	h.within(150*time.Second, what, ok)
}

func (h *fleetHome) within(d time.Duration, what string, ok func(model.Reader) bool) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	for seen := uint64(0); ; {
		done := false
		h.view(func(r model.Reader) { done, seen = ok(r), r.Revision() })
		if done {
			return
		}
		if _, err := h.ledger.Follow(ctx, seen); err != nil {
			h.t.Fatalf("%s: %v\n%s", what, err, h.open())
		}
	}
}

// open names the work that is left, and why.
func (h *fleetHome) open() string {
	var b strings.Builder
	h.view(func(r model.Reader) {
		for _, a := range r.Agents("", 100) {
			fmt.Fprintf(&b, "%s: %+v\n", a.ID, model.Decide(r, a.ID, time.Now()))
			l, _ := model.ListItems(r, a.ID, model.FilterOpen, nil, 100)
			for _, row := range l.Rows {
				fmt.Fprintf(&b, "  %s %s %s blocked by %q, wait %+v\n", row.ID, row.Objective, row.Class, row.BlockedBy, row.Wait)
			}
		}
	})
	return b.String()
}

func TestWordsReachAnAgentAndAnswersTheirQuestion(t *testing.T) {
	h := newFleetHome(t)
	id := h.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID
	h.ok("say", "ann", "hello", "there", "--priority", "next")
	h.refused(model.CodeNotFound, "say", "nobody", "hello")
	h.refused(model.CodeInvalid, "say", "ann", "hello", "--priority", "loud")
	h.refused(model.CodeRefused, "answer", string(id), "42")
	h.do("agent:ann", model.WaitFor{WorkItemID: id, Reason: "which", Wake: model.WakeOperatorInput, Question: "LRU or LFU?"})
	h.ok("answer", string(id), "LFU,", "cap 10k")
	h.view(func(r model.Reader) {
		w, _ := r.Item(id)
		q := r.QueuedMessages("ann", 10)
		if len(w.Replies) != 1 || w.Replies[0].Text != "LFU, cap 10k" || len(q) != 2 || q[0].Body != "hello there" {
			t.Errorf("replies %+v, queue %+v", w.Replies, q)
		}
	})
}

func TestAPlanThatADrivenProgramEditsIsItsProgress(t *testing.T) {
	h := newFleetHome(t)
	h.ok("new", "One", "--agent", "ann", "--plan", "# One")
	plan := h.ok("plan", "path", h.only("ann"), "--agent", "ann")
	h.ok("drive", "--once", "--agent", "ann", "--adapter", "text", "--", "sh", "-c", "echo '# Two' > '"+plan+"'; echo 'The plan is another.'")
	h.view(func(r model.Reader) {
		refreshed, progress := false, false
		for _, e := range r.History("ann", model.Position{}, 1000) {
			switch e.Kind {
			case model.EventPlanRefreshed:
				refreshed = true
			case model.EventTurnEnded:
				progress = progress || refreshed && data[model.TurnNews](t, e).Progress
			}
		}
		if !refreshed || !progress {
			t.Errorf("plan noted before the turn ended: %t, progress: %t", refreshed, progress)
		}
	})
}

// only returns the one item of an agent.
func (h *fleetHome) only(agent model.AgentID) (id string) {
	h.view(func(r model.Reader) {
		for _, row := range r.Rows(agent, model.QueuedRunnable, nil, 1) {
			id = string(row.ID)
		}
	})
	return id
}

func TestDelegationsAreMadeWithTheirItem(t *testing.T) {
	h := newFleetHome(t)
	id := h.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID
	var in model.Receipt
	if err := dataOf(h.ok("delegate", string(id), "--to", "bob", "--blocking", "--json", "find", "the bug"), &in); err != nil {
		t.Fatal(err)
	}
	h.view(func(r model.Reader) {
		w, _ := r.Item(in.ChildWorkItemID)
		d, _ := r.Delegation(in.DelegationID)
		if w.AgentID != "bob" || w.Objective != "find the bug" || !d.Blocking || d.ParentWorkItemID != id {
			t.Errorf("child %+v, delegation %+v", w, d)
		}
	})
	other := h.do("agent:bob", model.CreateWorkItem{Objective: "Two"}).WorkItemID
	h.ok("delegate", string(id), "--child", string(other))
	if out, err := h.run("delegate", string(id)); err == nil {
		t.Errorf("a delegation to nobody: %s", out)
	}
}

func TestATokenIsShownOnceAndNeverListed(t *testing.T) {
	h := newFleetHome(t)
	id := h.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID
	h.refused(model.CodeRefused, "trigger", "url", string(id))
	h.do("agent:ann", model.WaitFor{WorkItemID: id, Reason: "ci", Wake: model.WakeExternal, Resource: "run-1"})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := h.ok("trigger", "url", string(id), "--sign", "github", "--secret-file", secret)
	token := url[strings.LastIndexByte(url, '/')+1:]
	h.refused(model.CodeInvalid, "trigger", "url", string(id), "--sign", "github")
	h.refused(model.CodeInvalid, "trigger", "url")
	h.ok("trigger", "url", "--agent", "ann")
	list := h.ok("trigger", "list", "--json")
	if strings.Contains(list, token) || strings.Contains(list, "hush") || strings.Contains(list, "token_hash") || !strings.Contains(list, `"signing":"github"`) {
		t.Errorf("the list tells %s", list)
	}
	raw, err := os.ReadFile(filepath.Join(h.dir, "ledger.db"))
	if err != nil || bytes.Contains(raw, []byte(token)) {
		t.Errorf("the ledger holds the token (%v)", err)
	}
	var all struct{ Ingresses []model.Ingress }
	if err := dataOf(list, &all); err != nil || len(all.Ingresses) != 2 {
		t.Fatalf("%v %s", err, list)
	}
	h.ok("trigger", "revoke", string(all.Ingresses[0].ID))
	h.refused(model.CodeNotFound, "trigger", "revoke", "in-nothing")
}

func TestTasksRunAreListedShownAndStopped(t *testing.T) {
	storetest.Slow(t)
	h := newFleetHome(t)
	id := h.do("agent:ann", model.CreateWorkItem{Objective: "One"}).WorkItemID
	if out, err := h.run("task", "run", "--item", string(id), "--", "sh", "-c", "echo 'it \x1b[2Jbroke'; exit 3"); err == nil || !strings.Contains(out, "failed: exit status 3") {
		t.Errorf("%v %s", err, out)
	}
	var s started
	if err := dataOf(h.ok("task", "run", "--item", string(id), "--detach", "--json", "--", "sleep", "1000"), &s); err != nil {
		t.Fatal(err)
	}
	if list := h.ok("task", "list"); !strings.Contains(list, "running") || !strings.Contains(list, "failed") {
		t.Errorf("the list is %s", list)
	}
	h.ok("task", "stop", string(s.TaskID))
	h.until("the task ends", func(r model.Reader) bool { x, _ := r.Task(s.TaskID); return x.Status == model.TaskCancelled })
	var all struct{ Tasks []model.Task }
	if err := dataOf(h.ok("task", "list", "--json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, x := range all.Tasks {
		if show := h.ok("task", "show", string(x.ID)); strings.Contains(show, "\x1b") || !strings.Contains(show, "exit status") {
			t.Errorf("shown as %q", show)
		}
	}
	h.refused(model.CodeNotFound, "task", "show", "tk-nothing")
	h.refused(model.CodeNotFound, "task", "run", "--item", "wi-nothing", "--", "true")
	if out, err := h.run("task", "run", "--item", "wi-nothing", "--detach", "--", "true"); err == nil || !strings.Contains(out, "no work item") {
		t.Errorf("%v %s", err, out)
	}
}

func TestLimitsOfTheCommandLineHoldForConfiguredAgents(t *testing.T) {
	h := newFleetHome(t)
	if err := os.WriteFile(h.config(), []byte("agents: {ann: {shell: 'exec sleep 1000', adapter: text, turn: {timeout: 2h}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.ok("new", "Split", "--agent", "ann")
	out, err := h.run("drive", "--once", "--turn-timeout", "1s")
	if err == nil || !strings.Contains(out, "timed_out") {
		t.Errorf("%v %s", err, out)
	}
}

func TestDriveAndServeSayWhatIsMissing(t *testing.T) {
	h := newFleetHome(t)
	h.refused(model.CodeInvalid, "drive")
	h.refused(model.CodeInvalid, "drive", "--", "true")
	h.refused(model.CodeInvalid, "drive", "--agent", "ann", "--adapter", "grok", "--", "true")
	h.refused(model.CodeRefused, "serve", "--listen", "0.0.0.0:0")
	if err := os.WriteFile(h.config(), []byte("agents: {ann: {comand: [x]}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.refused(model.CodeInvalid, "drive")
}
