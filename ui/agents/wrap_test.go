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
	// during is called when the wrapped program writes.
	during func()
}

func newWrapBench(t *testing.T) *wrapBench {
	t.Helper()
	h, _, err := home.OpenOrCreate(filepath.Join(t.TempDir(), "home"), home.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return &wrapBench{t: t, ledger: h.Ledger, home: h, bin: t.TempDir(), during: func() {}}
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

// heard is standard output. during is called at each write.
type heard struct {
	bytes.Buffer
	during func()
}

func (h *heard) Write(p []byte) (int, error) {
	h.during()
	return h.Buffer.Write(p)
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
	var errs bytes.Buffer
	out := &heard{during: b.during}
	got, err := Wrap(b.t.Context(), WrapOptions{Argv: append([]string{path}, args...), Agent: "ann", Home: b.home,
		In: strings.NewReader(""), Out: out, Err: &errs, Env: os.Environ(), Now: time.Now})
	if err != nil || len(got.Problems) > 0 {
		b.t.Fatal(err, got.Problems)
	}
	if errs.String() != "for ann\n" || got.Exit != code {
		b.t.Errorf("standard error %q, exit %d", errs.String(), got.Exit)
	}
	return got, out.String()
}

// TestTheEndOfTheOutputIsOffered as a report to what was completed during the run. Lines of JSON are none, and what a person sees at the
// terminal was not read.
func TestTheEndOfTheOutputIsOffered(t *testing.T) {
	for _, c := range []struct {
		program string
		code    int
		args    []string
		says    string
		want    model.Text
	}{
		{"claude", 0, []string{"-p", "x"}, "It is split.\nBye.", "It is split.\nBye."},
		{"worker", 3, nil, "It is split.", "It is split."},
		{"codex", 0, []string{"exec", "--json"}, "It is split.\n" + `{"type":"turn.completed"}`, ""},
		{"claude", 0, nil, "a screen", ""},
	} {
		b := newWrapBench(t)
		earlier := b.apply(model.CompleteWorkItem{WorkItemID: b.apply(model.PickWorkItem{WorkItemID: b.apply(model.CreateWorkItem{Objective: "Read the limiter"})})})
		id := b.apply(model.PickWorkItem{WorkItemID: b.apply(model.CreateWorkItem{Objective: "Split the limiter"})})
		done := false
		b.during = func() {
			if done {
				return
			}
			done = true
			b.apply(model.CompleteWorkItem{WorkItemID: id})
		}
		_, out := b.run(c.program, c.code, c.args, c.says)
		if out != c.says+"\n" {
			t.Errorf("%s: the output was changed:\n%s", c.program, out)
		}
		var got model.Text
		for _, x := range b.view(id).Offered {
			got += x.Text
		}
		if v := b.view(earlier); got != c.want || v.Report != nil || len(v.Offered) > 0 {
			t.Errorf("%s %v: offered %q, want %q; to the earlier one %+v", c.program, c.args, got, c.want, v.Offered)
		}
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
