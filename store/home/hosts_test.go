package home

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]func([]string){"host": func(args []string) {
		h, err := Open(args[0], Options{})
		if err == nil {
			err = h.ServeHost(context.Background(), os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}})
}

// away is a home of "another machine", reached through a process.
type away struct {
	*Home
	t    *testing.T
	pids string
}

func newAway(t *testing.T) *away {
	t.Helper()
	h, _, err := OpenOrCreate(storetest.MemoryDir(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return &away{h, t, filepath.Join(t.TempDir(), "pids")}
}

// host is that process. The shell writes its id to a file before it becomes the process.
func (a *away) host(name string) Host {
	c := storetest.Command(a.t, "host", a.Dir())
	role := c.Env[len(c.Env)-1]
	return Host{Name: name, Argv: []string{"sh", "-c", `echo $$ >>"$0"; exec "$@"`, a.pids, "env", role, c.Path}}
}

// cut kills the process that connects the host, if one runs that was not killed before.
func (a *away) cut(before string) (pid string) {
	raw, err := os.ReadFile(a.pids)
	lines := strings.Fields(string(raw))
	if err != nil || len(lines) == 0 || lines[len(lines)-1] == before {
		return before
	}
	pid = lines[len(lines)-1]
	if n, err := strconv.Atoi(pid); err == nil {
		if p, err := os.FindProcess(n); err == nil {
			_ = p.Kill()
		}
	}
	return pid
}

func (a *away) do(agent model.AgentID, c model.Command) model.Receipt {
	a.t.Helper()
	in, err := a.Apply(a.t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: agent, Command: c})
	if err != nil {
		a.t.Fatal(err)
	}
	return in
}

// following is a local home with hosts.
func following(t *testing.T, hosts ...Host) WithHosts {
	t.Helper()
	here := newAway(t)
	ctx, stop := context.WithCancel(t.Context())
	h := NewHosts(ctx, HostOptions{Retry: func(int) time.Duration { return time.Millisecond }})
	t.Cleanup(func() { stop(); h.Close() })
	h.Set(hosts)
	return WithHosts{here.Home, h}
}

// until waits until a read fulfils the condition.
func (w WithHosts) until(t *testing.T, what string, holds func(model.Reader) bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for at := uint64(0); ; {
		var ok bool
		if err := w.View(ctx, func(r model.Reader) error { ok, at = holds(r), r.Revision(); return nil }); err != nil {
			t.Fatal(err)
		}
		if ok {
			return
		}
		if _, err := w.Follow(ctx, at); err != nil {
			t.Fatalf("%s: %v; %+v", what, err, w.States())
		}
	}
}

// same compares what is known of a host with the host.
func (a *away) same(w WithHosts, name string) {
	a.t.Helper()
	var there model.Reader
	var want string
	show := func(r model.Reader, agents []model.Agent) string {
		var b strings.Builder
		now := time.Now()
		for _, x := range agents {
			for _, c := range model.Classes {
				fmt.Fprintf(&b, "%s %s %d %+v\n", x.ID, c, r.Count(x.ID, model.ClassTally(c)), r.Rows(x.ID, c, nil, 100))
			}
			fmt.Fprintf(&b, "%+v\n", r.QueuedMessages(x.ID, hostWithin))
		}
		fmt.Fprintf(&b, "%+v\n%+v\n", model.Inbox(r, now, 100), r.Finished(nil, 100))
		for _, e := range r.HistoryBefore("", model.Position{}, 100) {
			e.Revision &= 1<<markShift - 1
			fmt.Fprintf(&b, "%+v\n", e)
		}
		return b.String()
	}
	err := a.View(a.t.Context(), func(r model.Reader) error {
		there = renamedReader{r, taken(name)}
		want = show(there, there.Agents("", 100))
		return nil
	})
	if err != nil {
		a.t.Fatal(err)
	}
	got := ""
	w.until(a.t, "the host's state", func(r model.Reader) bool {
		for _, s := range r.(model.Homes).Hosts() {
			if s.(*snapshot).mark>>markShift == 1 {
				got = show(s, s.Agents("", 100))
			}
		}
		return got == want
	})
}

// renamedReader is a host's own Reader with the ids that it has in the local home.
type renamedReader struct {
	model.Reader
	to func(string) (string, error)
}

func own[ID ~string](id ID) ID { return ID(strings.TrimSuffix(string(id), "@"+model.HostOf(id))) }

func told[T any](r renamedReader, x T) T {
	_ = rename(&x, r.to)
	return x
}

func (r renamedReader) Agents(after model.AgentID, n int) []model.Agent {
	return told(r, r.Reader.Agents(after, n))
}
func (r renamedReader) Rows(a model.AgentID, c model.Class, x *model.Row, n int) []model.Row {
	return told(r, r.Reader.Rows(own(a), c, x, n))
}
func (r renamedReader) Count(a model.AgentID, t model.Tally) int { return r.Reader.Count(own(a), t) }
func (r renamedReader) Agent(a model.AgentID) (model.Agent, bool) {
	x, ok := r.Reader.Agent(own(a))
	return told(r, x), ok
}
func (r renamedReader) QueuedMessages(a model.AgentID, n int) []model.Message {
	return told(r, r.Reader.QueuedMessages(own(a), n))
}
func (r renamedReader) Finished(x *model.Row, n int) []model.Row {
	return told(r, r.Reader.Finished(x, n))
}
func (r renamedReader) Inbox(n model.Need, visit func(model.Inboxed) bool) {
	r.Reader.Inbox(n, func(x model.Inboxed) bool { return visit(told(r, x)) })
}
func (r renamedReader) HistoryBefore(a model.AgentID, p model.Position, n int) []model.Entry {
	return told(r, r.Reader.HistoryBefore(own(a), p, n))
}

// live lets a few agents do a little of everything.
func (a *away) live(random *rand.Rand, n int) {
	var items []model.ItemID
	agents := []model.AgentID{"ann", "bob", "cy"}
	owner := map[model.ItemID]model.AgentID{}
	send := func(agent model.AgentID, c model.Command) (model.Receipt, error) {
		return a.Apply(a.t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: agent, Command: c})
	}
	for i := range n {
		agent := agents[random.IntN(len(agents))]
		if len(items) == 0 || random.IntN(3) == 0 {
			in, err := send(agent, model.CreateWorkItem{Objective: model.Text(fmt.Sprintf("Work %d", i))})
			if err != nil {
				a.t.Fatal(err)
			}
			items = append(items, in.WorkItemID)
			owner[in.WorkItemID] = agent
			continue
		}
		id := items[random.IntN(len(items))]
		_, err := send(owner[id], []model.Command{
			model.PickWorkItem{WorkItemID: id, Reason: "now"},
			model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.SetTo("the review")},
			model.WaitFor{WorkItemID: id, Reason: "a word", Wake: model.WakeOperatorInput, Question: "Which one?"},
			model.CompleteWorkItem{WorkItemID: id},
			model.Say{AgentID: owner[id], Text: "Hurry"},
			model.Acknowledge{WorkItemID: id},
			model.Answer{WorkItemID: id, Text: "The first"},
		}[random.IntN(7)])
		if known := (*model.Error)(nil); err != nil && !errors.As(err, &known) {
			a.t.Fatal(err) // refusals by rules are expected
		}
	}
}

func TestAHostIsKnownAsItIs(t *testing.T) {
	random := rand.New(rand.NewPCG(storetest.Seed(t), 0))
	there := newAway(t)
	there.live(random, 60)
	w := following(t, there.host("build"))
	there.same(w, "build")
	for range 5 {
		there.live(random, 8)
		there.same(w, "build")
	}
	if got := w.States(); len(got) != 1 || got[0].Away || got[0].Agents != 3 {
		t.Errorf("the states are %+v", got)
	}
	if !Marked(there.Dir(), MarkConsole) {
		t.Error("a driver there does not know of the person at the console here")
	}
}

func TestACommandGoesWhereItsAgentIs(t *testing.T) {
	there := newAway(t)
	id := there.do("ann", model.CreateWorkItem{Objective: "Fix login"}).WorkItemID
	w := following(t, there.host("build"))
	there.same(w, "build")
	in, err := w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build",
		Command: model.PickWorkItem{WorkItemID: id + "@build"}})
	if err != nil || in.WorkItemID != id+"@build" || in.AgentID != "ann@build" {
		t.Fatalf("the receipt is %+v, %v", in, err)
	}
	there.same(w, "build")
	in.Inverse.What = "picked it"
	undo := model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build", Command: *in.Inverse}
	if _, err := w.Apply(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	there.same(w, "build")
	_, err = w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build",
		Command: model.PickWorkItem{WorkItemID: "wi-x@build"}})
	if !errors.Is(err, &model.Error{Code: model.CodeNotFound}) {
		t.Errorf("an item that is not there: %v", err)
	}
	_, err = w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build",
		Command: model.PickWorkItem{WorkItemID: id + "@other"}})
	if !errors.Is(err, &model.Error{Code: model.CodeInvalid}) {
		t.Errorf("an item of another host: %v", err)
	}
	if _, err := w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann",
		Command: model.CreateWorkItem{Objective: "Here"}}); err != nil {
		t.Error(err)
	}
	there.same(w, "build") // a change in the local home does not change the host
}

// TestNothingIsLostOrDoubledByCuts kills the connection again and again while messages are sent: each arrives once.
func TestNothingIsLostOrDoubledByCuts(t *testing.T) {
	storetest.Slow(t)
	there := newAway(t)
	there.do("ann", model.CreateWorkItem{Objective: "Fix login"})
	w := following(t, there.host("build"))
	there.same(w, "build")
	ctx, stop := context.WithCancel(t.Context())
	cuts := storetest.Amount(20, 100)
	var sent atomic.Int64
	var working sync.WaitGroup
	working.Go(func() {
		for ctx.Err() == nil {
			text := model.Text(fmt.Sprintf("message %d", sent.Load()))
			_, err := w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build", Command: model.Say{AgentID: "ann@build", Text: text}})
			switch {
			case err == nil:
				sent.Add(1)
			case errors.Is(err, &model.Error{Code: model.CodeBusy}): // it was not sent: send the same again
				_, _ = w.Follow(ctx, 0)
			default:
				t.Error(err)
				return
			}
		}
	})
	last := int64(-1)
	for pid, n := "", 0; n < cuts; {
		w.until(t, "the host, and an answer since the last cut", func(model.Reader) bool { return !w.States()[0].Away && sent.Load() > last })
		was := pid
		last = sent.Load()
		if pid = there.cut(was); pid != was {
			n++
		}
	}
	stop()
	working.Wait()
	there.same(w, "build")
	var got []string
	if err := there.View(t.Context(), func(r model.Reader) error {
		for _, m := range r.QueuedMessages("ann", 1<<20) {
			got = append(got, m.Body.Raw()) // raw: compared here
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range sent.Load() {
		want = append(want, fmt.Sprintf("message %d", i))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d messages were answered, %d arrived", len(want), len(got))
	}
	t.Logf("%d cuts, %d messages", cuts, sent.Load())
}

func TestAHostThatIsAwayKeepsWhatIsKnown(t *testing.T) {
	there := newAway(t)
	there.do("ann", model.CreateWorkItem{Objective: "Fix login"})
	w := following(t, there.host("build"))
	there.same(w, "build")
	way := there.host("build")
	way.Argv = []string{"sh", "-c", "echo '\x1b[31mann@build: Permission denied (publickey).' >&2; exit 255"}
	l := w.Hosts.link("build")
	l.mu.Lock()
	l.Argv = way.Argv
	l.mu.Unlock()
	there.cut("")
	w.until(t, "a try that fails", func(model.Reader) bool {
		x := w.States()[0]
		return x.Away && strings.Contains(x.Trouble.Message, "Permission")
	})
	x := w.States()[0]
	if strings.Contains(x.Trouble.Message, "\x1b") || !strings.Contains(x.Trouble.Hint, "ssh-copy-id") || x.AsOf.IsZero() {
		t.Errorf("the state is %+v, %v", x, x.Trouble)
	}
	_, err := w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build", Command: model.Say{Text: "x"}})
	if !errors.Is(err, &model.Error{Code: model.CodeBusy}) || !strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("a command for a host that is away: %v", err)
	}
	w.until(t, "what was known", func(r model.Reader) bool { return len(r.Agents("", 10)) == 1 })
	w.Hosts.Set(nil)
	w.until(t, "a host that is removed", func(r model.Reader) bool { return len(r.Agents("", 10)) == 0 })
	_, err = w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann@build", Command: model.Say{Text: "x"}})
	if !errors.Is(err, &model.Error{Code: model.CodeNotFound}) || !strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("a command for a host that was removed: %v", err)
	}
}

func TestAHostileHostChangesNothingHere(t *testing.T) {
	for name, line := range map[string]string{
		"an id that is a path":  `{"protocol":1,"home_id":"h","revision":1,"records":[{"kind":"agent","record":{"id":"../../x"}}]}`,
		"an id of another host": `{"protocol":1,"home_id":"h","revision":1,"records":[{"kind":"agent","record":{"id":"ann@here"}}]}`,
		"a record of no kind":   `{"protocol":1,"home_id":"h","revision":1,"records":[{"kind":"soul","record":{}}]}`,
		"a record that is none": `{"protocol":1,"home_id":"h","revision":1,"records":[{"kind":"agent","record":[]}]}`,
		"a newer protocol":      `{"protocol":9,"home_id":"h","revision":1}`,
		"a banner for ever":     strings.Repeat("Welcome!\n", maxBanner+1),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "lines")
			if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			w := following(t, Host{Name: "build", Argv: []string{"sh", "-c", `cat "$0"; cat >/dev/null`, file}})
			w.until(t, "trouble", func(r model.Reader) bool {
				x := w.States()[0]
				return x.Away && x.Trouble != nil && len(r.Agents("", 10)) == 0
			})
		})
	}
}
