package agents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
	"vise/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.MostlyWait()
	storetest.Main(m, nil)
}

// bench is a home with a session of an agent.
type hookBench struct {
	t      *testing.T
	dir    string
	claude string
	ledger *store.Ledger
	home   *home.Home
	keys   int
	// late runs at the second read of a transcript, or of a session.
	late func()
	// session is Crush's report about its session; empty: it reports nothing.
	session string
	// served: the program has a server; prompt prompts a session of it.
	served bool
	prompt func(session, words string) error
	ended  func(context.Context, model.Process)
	// detached are the arguments of the process that a hook started.
	detached [][]string
	// turn is a driver's turn; empty: no driver started the program.
	turn string
	// stdout is the last hook's standard output.
	stdout string
	// asking is the program that asks for a permission; asksHere: it asks here first.
	asking   model.Process
	asksHere bool
	// ahead is how far the hook's clock is ahead; ctx is the hook's context, or nil.
	ahead time.Duration
	ctx   context.Context
	// hurried: the hook waits for the ledger as briefly as in real use; else until it is free, so that a busy machine
	// changes nothing.
	hurried bool
	// factTimeout is how long recording a thread's fact can take.
	factTimeout time.Duration
	// opened opens another home than the one in dir.
	opened func() *home.Home
}

func newHookBench(t *testing.T) *hookBench {
	t.Helper()
	b := &hookBench{t: t, dir: filepath.Join(t.TempDir(), "home"), claude: filepath.Join(t.TempDir(), ".claude")}
	var err error
	if b.home, _, err = home.OpenOrCreate(b.dir, home.Options{LeaveQueue: true}); err != nil {
		t.Fatal(err)
	}
	b.ledger = b.home.Ledger
	t.Cleanup(func() { b.home.Close() })
	if err := os.MkdirAll(filepath.Join(b.claude, "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

// transcripts is where a program keeps its transcripts.
func (b *hookBench) transcripts(program string) string {
	if program == "gemini" {
		return filepath.Join(filepath.Dir(b.claude), ".gemini")
	}
	return b.claude
}

func (b *hookBench) open(string) (*home.Home, error) {
	if b.opened != nil {
		return b.opened(), nil
	}
	return home.Open(b.dir, home.Options{LeaveQueue: true})
}

// run carries out a hook and returns its error, which in real use only the log has.
func (b *hookBench) run(input string, args ...string) error {
	b.t.Helper()
	var out bytes.Buffer
	looks := 0
	wait := time.Minute
	if b.hurried {
		wait = 0
	}
	s := Streams{
		Timeout: wait,
		In:      strings.NewReader(input), Out: &out, Err: &out, Now: func() time.Time { return time.Now().Add(b.ahead) }, FactTimeout: b.factTimeout,
		Getenv: func(k string) string {
			return map[string]string{"CLAUDE_CONFIG_DIR": b.claude, "CODEX_HOME": b.claude, "COPILOT_HOME": b.claude,
				"GEMINI_CLI_HOME": filepath.Dir(b.claude), "VISE_TURN": b.turn}[k]
		},
		Wait: func(context.Context, time.Duration) error {
			if looks++; looks == 2 && b.late != nil {
				b.late()
			}
			return nil
		},
		Caller: func() string { return "crush" },
		Detach: func(args []string) error {
			b.detached = append(b.detached, args)
			return nil
		},
		Server: func() (callingServer, bool) { return callingServer{Program: "codex"}, b.served },
		Ended:  b.ended,
		Asking: func(string) model.Process { return b.asking }, AskHere: func(model.AgentID) bool { return b.asksHere },
		Exec: func(_ context.Context, _, _ string, args ...string) ([]byte, error) {
			if args[0] == "queue" {
				return nil, b.prompt(args[2], args[4])
			}
			if b.session == "" {
				return nil, errors.New("no such session")
			}
			return []byte(b.session), nil
		},
	}
	err := hook(cmp.Or(b.ctx, b.t.Context()), args, b.open, s)
	b.stdout = out.String()
	return err
}

func (b *hookBench) must(input string, args ...string) {
	b.t.Helper()
	if err := b.run(input, args...); err != nil {
		b.t.Fatalf("%v: %v", args, err)
	}
}

func (b *hookBench) apply(agent model.AgentID, c model.Command) model.Receipt {
	b.t.Helper()
	b.keys++
	in, err := b.ledger.Apply(b.t.Context(), model.Envelope{Key: fmt.Sprint("t", b.keys), Actor: model.AgentActor(agent), Agent: agent, Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in
}

// completed makes an item of an agent, which was its focus and is completed.
func (b *hookBench) completed(agent model.AgentID) model.ItemID {
	b.t.Helper()
	id := b.apply(agent, model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
	b.apply(agent, model.PickWorkItem{WorkItemID: id, Reason: "next"})
	b.apply(agent, model.CompleteWorkItem{WorkItemID: id})
	return id
}

func (b *hookBench) view(id model.ItemID) model.View {
	b.t.Helper()
	var v model.View
	err := b.ledger.View(b.t.Context(), func(r model.Reader) error {
		w, _ := r.Item(id)
		v = model.ViewOf(r, w)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// reported expects a promoted report.
func (b *hookBench) reported(id model.ItemID, text string, by model.ReportOf) {
	b.t.Helper()
	v := b.view(id)
	if v.Report == nil || v.Report.Text.Raw() != text || v.Report.By != by {
		b.t.Errorf("%s: report %+v, offered %+v; want %q by %s", v.Handle, v.Report, v.Offered, text, by)
	}
}

// offered expects one offer and no report; without text, no offer either.
func (b *hookBench) offered(id model.ItemID, text string, by model.ReportOf) {
	b.t.Helper()
	v := b.view(id)
	if v.Report != nil || len(v.Offered) > 1 || (text == "") != (len(v.Offered) == 0) {
		b.t.Fatalf("%s: report %+v, offered %+v", v.Handle, v.Report, v.Offered)
	}
	if text != "" && (v.Offered[0].Text.Raw() != text || v.Offered[0].Provenance != by) {
		b.t.Errorf("%s: offered %+v", v.Handle, v.Offered[0])
	}
}

func quoted(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// postToolUse is Claude Code's payload after a completion.
func postToolUse(session, use string, id model.ItemID) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":"/x","cwd":"/repo","permission_mode":"default","hook_event_name":"PostToolUse",
		"tool_name":"mcp__vise__CompleteWorkItem","tool_input":{"work_item_id":%q},"tool_use_id":%q,"duration_ms":12,
		"tool_response":[{"type":"text","text":"{\"completed_transition\":true}"}],"mcp_server":{"name":"vise","source":"user"}}`, session, id, use)
}

func stop(session, transcript, last, more string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"cwd":"/repo","permission_mode":"default","hook_event_name":"Stop",
		"stop_hook_active":false,"last_assistant_message":%s%s}`, session, transcript, quoted(last), more)
}

// transcript writes Claude Code's lines: one content block each, one message id for a reply.
func (b *hookBench) transcript(lines ...string) string {
	b.t.Helper()
	path := filepath.Join(b.claude, "projects", "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func text(message, words string) string {
	return fmt.Sprintf(`{"type":"assistant","isSidechain":false,"message":{"id":%q,"role":"assistant","content":[{"type":"text","text":%s}]}}`, message, quoted(words))
}

func use(message, id string, item model.ItemID) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[{"type":"tool_use","id":%q,"name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}`, message, id, item)
}

func done(id string) string {
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":[{"type":"text","text":"{\"completed_transition\":true}"}]}]}}`, id)
}
