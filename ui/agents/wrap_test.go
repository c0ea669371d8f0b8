package agents

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

// bench is a home with a completed item, and a directory of programs.
type wrapBench struct {
	t      *testing.T
	ledger *store.Ledger
	home   *home.Home
	bin    string
	n      int
}

func newWrapBench(t *testing.T) *wrapBench {
	t.Helper()
	h, _, err := home.OpenOrCreate(filepath.Join(t.TempDir(), "home"), home.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return &wrapBench{t: t, ledger: h.Ledger, home: h, bin: t.TempDir()}
}

func (b *wrapBench) apply(c model.Command) model.ItemID {
	b.t.Helper()
	b.n++
	in, err := b.ledger.Apply(b.t.Context(), model.Envelope{Key: fmt.Sprint("t", b.n), Actor: "agent:ann", Agent: "ann", Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in.WorkItemID
}

func (b *wrapBench) completed() model.ItemID {
	id := b.apply(model.CreateWorkItem{Objective: "Split the limiter"})
	b.apply(model.PickWorkItem{WorkItemID: id, Reason: "next"})
	return b.apply(model.CompleteWorkItem{WorkItemID: id})
}

func (b *wrapBench) view(id model.ItemID) (v model.View) {
	b.t.Helper()
	if err := b.ledger.View(b.t.Context(), func(r model.Reader) error {
		w, _ := r.Item(id)
		v = model.ViewOf(r, w)
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	return v
}

// run wraps a program called name, which writes lines and ends with a code.
func (b *wrapBench) run(name string, code int, args []string, lines ...string) (WrapReport, string) {
	b.t.Helper()
	path := filepath.Join(b.bin, name)
	script := "#!/bin/sh\ncat <<'EOF'\n" + strings.Join(lines, "\n") + "\nEOF\necho \"for $VISE_AGENT\" >&2\nexit " + fmt.Sprint(code) + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		b.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	got, err := Wrap(b.t.Context(), WrapOptions{Argv: append([]string{path}, args...), Agent: "ann", Home: b.home,
		In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Environ(), Now: time.Now})
	if err != nil || len(got.Problems) > 0 {
		b.t.Fatal(err, got.Problems)
	}
	if errs.String() != "for ann\n" || got.Exit != code {
		b.t.Errorf("standard error %q, exit %d", errs.String(), got.Exit)
	}
	return got, out.String()
}

func TestClaudesStreamGivesTheCompletingReply(t *testing.T) {
	b := newWrapBench(t)
	id := b.completed()
	lines := []string{
		`{"type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"It is split."}]}}`,
		fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_1","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}`, id),
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"{\"completed_transition\":true}"}]}}`,
		`{"type":"assistant","message":{"id":"msg_2","content":[{"type":"text","text":"Bye."}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"Bye."}`,
	}
	got, out := b.run("claude", 0, []string{"-p", "--output-format", "stream-json"}, lines...)
	if out != strings.Join(lines, "\n")+"\n" {
		t.Errorf("the output was changed:\n%s", out)
	}
	if v := b.view(id); got.Promoted != 1 || v.Report == nil || v.Report.Text != "It is split." || v.Report.By != model.ReportSameRound {
		t.Errorf("%+v, report %+v", got, v.Report)
	}
}

func TestCodexsStreamIsNearAndOffered(t *testing.T) {
	b := newWrapBench(t)
	id := b.completed()
	b.run("codex", 3, []string{"exec", "--json"},
		`{"type":"thread.started","thread_id":"th"}`,
		`{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"It is split."}}`,
		fmt.Sprintf(`{"type":"item.completed","item":{"id":"i2","type":"mcp_tool_call","server":"vise","tool":"CompleteWorkItem","arguments":{"work_item_id":%q},"result":{"completed_transition":true},"error":null,"status":"completed"}}`, id))
	if v := b.view(id); v.Report != nil || len(v.Offered) != 1 || v.Offered[0].Provenance != model.ReportNearRound {
		t.Errorf("report %+v, offered %+v", v.Report, v.Offered)
	}
}

func TestInteractiveProgramKeepsTheTerminal(t *testing.T) {
	b := newWrapBench(t)
	if got, _ := b.run("claude", 0, nil, "a screen"); got.Captured != "none" {
		t.Errorf("captured as %s", got.Captured)
	}
}

func TestMissingProgramIsSaid(t *testing.T) {
	b := newWrapBench(t)
	_, err := Wrap(t.Context(), WrapOptions{Argv: []string{filepath.Join(b.bin, "none")}, Agent: "ann", Home: b.home,
		In: strings.NewReader(""), Out: new(bytes.Buffer), Err: new(bytes.Buffer), Now: time.Now})
	if err == nil {
		t.Error("nothing was said")
	}
}
