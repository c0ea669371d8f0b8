package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/store"
	"vise/store/home"
	"vise/ui/config"
)

// script is the variable that makes this test binary the program of an agent.
const script = "VISE_TEST_SCRIPT"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(script) != "":
		play(os.Getenv(script))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is a scripted agent that writes one of the formats.
func play(name string) {
	if acpScripts[name] != nil {
		playACP(name)
		return
	}
	switch name {
	case "rounds":
		playRounds()
	case "text":
		input, _ := io.ReadAll(os.Stdin)
		fmt.Printf("I read %d lines.\nThat is all.\n", strings.Count(string(input), "\n"))
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "hang":
		fmt.Println(`{"text": "let me think"}`)
		for {
			never := make(chan os.Signal, 1)
			signal.Notify(never, syscall.SIGALRM)
			<-never
		}
	case "garbage":
		for {
			fmt.Println("\x1b[31mnot\x00 json \xff")
		}
	case "refused":
		for {
			fmt.Println(`{"text": "x", "calls": [{"tool": "CompleteWorkItem", "input": {"work_item_id": "wi-nothing"}}]}`)
		}
	case "flood":
		line := strings.Repeat("x", 1<<20)
		for range 1 << 10 {
			if _, err := fmt.Print(line); err != nil {
				return
			}
		}
	case "chatter":
		for i := range 1000 {
			fmt.Printf("{\"text\": \"round %d\"}\n", i)
		}
	case "fails":
		fmt.Fprintln(os.Stderr, "no credit \x1b[2J left")
		os.Exit(3)
	case "drives": // the agent's turns, with a shell, as the variables say
		l, err := store.Open(os.Getenv("VISE_HOME"), store.Options{})
		if err != nil {
			panic(err)
		}
		p, err := Program{Command: sh(os.Getenv("SCRIPT"), os.Getenv("DIR")), Turn: config.Turn{Lease: config.Span(time.Hour)}}.Checked()
		if err != nil {
			panic(err)
		}
		d := &Driver{Ledger: l, Programs: map[model.AgentID]Program{"ann": p}, Home: os.Getenv("VISE_HOME"), Now: time.Now}
		panic(d.Run(context.Background()))
	case "drives-acp": // the agent's turns, with the script that the variable names
		l, err := store.Open(os.Getenv("VISE_HOME"), store.Options{})
		if err != nil {
			panic(err)
		}
		go wake(context.Background(), l)
		p, err := Program{Command: []string{os.Args[0]}, Env: []string{script + "=" + os.Getenv("SCRIPT"), "DIR"}}.Checked()
		if err != nil {
			panic(err)
		}
		d := &Driver{Ledger: l, Programs: map[model.AgentID]Program{"ann": p}, Home: os.Getenv("VISE_HOME"), Now: time.Now}
		panic(d.Run(context.Background()))
	case "driver": // of a run of a shell, as the variables say
		r, err := execute(context.Background(), processSpec{Argv: sh(os.Getenv("SCRIPT"), os.Getenv("DIR")),
			Env: []string{"PATH=" + os.Getenv("PATH")}, Record: newRecord(os.Getenv("VISE_HOME"), "ann")})
		fmt.Println(r, err)
	case "children":
		for _, argv := range [][]string{{"sleep", "1000"}, {"setsid", "sleep", "1000"}} {
			c := exec.Command(argv[0], argv[1:]...)
			c.Stdout = os.Stdout // holds the pipe open
			if err := c.Start(); err != nil {
				panic(err)
			}
		}
		fmt.Println(`{"text": "they run"}`)
	}
}

// playRounds picks what it is offered, completes it with a report, and reads the answers.
func playRounds() {
	in := bufio.NewReader(os.Stdin)
	var got briefing
	line, err := in.ReadString('\n')
	if err != nil || json.Unmarshal([]byte(line), &got) != nil {
		panic("no context")
	}
	say := func(r string) {
		fmt.Println(r)
		answer, err := in.ReadString('\n')
		if err != nil || !strings.Contains(answer, `"receipt"`) {
			fmt.Fprintf(os.Stderr, "answered %q %v\n", answer, err)
			os.Exit(4)
		}
	}
	for _, m := range got.Context.Messages {
		if m.DelegationID != "" {
			say(fmt.Sprintf(`{"calls": [{"tool": "CreateWorkItem", "input": {"objective": %q}}]}`, m.Body.Raw()))
			continue
		}
		say(fmt.Sprintf(`{"text": "heard %s"}`, m.Body.Raw()))
	}
	id := itemOf(got.Context)
	if id == "" {
		return
	}
	if got.Context.Current == nil {
		say(fmt.Sprintf(`{"calls": [{"tool": "PickWorkItem", "input": {"work_item_id": %q}}]}`, id))
	}
	say(fmt.Sprintf(`{"text": "Report of %s.", "calls": [{"tool": "CompleteWorkItem", "input": {"work_item_id": %q}}]}`, id, id))
}

func itemOf(c prompt.Context) model.ItemID {
	switch {
	case c.Current != nil:
		return c.Current.ID
	case c.Offered != nil:
		return c.Offered.ID
	}
	return ""
}

// throughMCP does what an agent's tools do: it changes the ledger itself, as the agent.
func throughMCP(act func(ctx context.Context, do func(model.Command), id model.ItemID)) {
	l, err := store.Open(os.Getenv("VISE_HOME"), store.Options{})
	if err != nil {
		panic(err)
	}
	defer l.Close()
	agent := model.AgentID(os.Getenv("VISE_AGENT"))
	n := 0
	do := func(c model.Command) {
		n++
		key := fmt.Sprintf("mcp-%d-%d", os.Getpid(), n)
		if _, err := l.Apply(context.Background(), model.Envelope{Key: key, Actor: model.AgentActor(agent), Agent: agent, Command: c}); err != nil {
			panic(err)
		}
	}
	var id model.ItemID
	err = l.View(context.Background(), func(r model.Reader) error {
		a, _ := r.Agent(agent)
		if id = a.CurrentWorkItemID; id == "" {
			id = a.Turn.OfferedID
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	act(context.Background(), do, id)
}

// wake makes a ledger notice the commits of other processes, as the watcher of a home does.
func wake(ctx context.Context, l *store.Ledger) {
	for home.Pause(ctx, 10*time.Millisecond); ctx.Err() == nil; home.Pause(ctx, 10*time.Millisecond) {
		l.Wake()
	}
}

// bench is a home with one agent, ann, whose program is a script.
type bench struct {
	t      *testing.T
	ledger *store.Ledger
	dir    string
	keys   int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir() + "/home"}
	l, err := store.Create(b.dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	b.ledger = l
	return b
}

func (b *bench) do(by model.Actor, c model.Command) model.Receipt {
	b.t.Helper()
	b.keys++
	in, err := b.ledger.Apply(context.Background(), model.Envelope{Key: fmt.Sprint("test-", b.keys), Actor: by, Agent: "ann", Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in
}

func (b *bench) program(name string) Program {
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	adapter := config.AdapterRounds
	switch {
	case acpScripts[name] != nil:
		adapter = config.AdapterACP
	case name == "text":
		adapter = config.AdapterText
	}
	p, err := Program{Command: []string{self}, Adapter: adapter, Env: []string{script + "=" + name}, Turn: config.Turn{Timeout: config.Span(20 * time.Second)}}.Checked()
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// drive runs a driver until nothing is due, and returns the program's failures.
func (b *bench) drive(p Program) (failure error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	err := b.driver(p).Run(ctx)
	if err != nil && !errors.Is(err, &model.Error{Code: model.CodeAgentFailed}) {
		b.t.Fatalf("drive: %v", err)
	}
	return err
}

func (b *bench) driver(p Program) *Driver {
	return &Driver{Ledger: b.ledger, Programs: map[model.AgentID]Program{"ann": p}, Home: b.dir, Now: time.Now, Once: true}
}

func (b *bench) view(fn func(model.Reader)) {
	b.t.Helper()
	if err := b.ledger.View(context.Background(), func(r model.Reader) error { fn(r); return nil }); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) item(id model.ItemID) (w model.WorkItem) {
	b.t.Helper()
	b.view(func(r model.Reader) { w, _ = r.Item(id) })
	return w
}

// entries returns the journal's events of a kind, in order.
func (b *bench) entries(kind model.EventKind) (out []model.Entry) {
	b.t.Helper()
	b.view(func(r model.Reader) {
		for _, e := range r.History("", model.Position{}, 100_000) {
			if e.Kind == kind {
				out = append(out, e)
			}
		}
	})
	return out
}

// ended returns how the last turn ended.
func (b *bench) ended() (n model.TurnNews) {
	b.t.Helper()
	all := b.entries(model.EventTurnEnded)
	if len(all) == 0 {
		b.t.Fatal("no turn has ended")
	}
	if err := json.Unmarshal(all[len(all)-1].Data, &n); err != nil {
		b.t.Fatal(err)
	}
	return n
}
