package apart

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"vise/themes"
	"vise/ui/markdown/glamour"
	"vise/ui/markdown/layout"
)

// TestMain makes this test binary the program when it is told so.
func TestMain(m *testing.M) {
	if build := os.Getenv("APART_BUILD"); build != "" {
		if serve(os.Stdin, os.Stdout, failing{glamour.New()}, build) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// failing does what its words say before it lays them out.
type failing struct{ layout.Engine }

func (f failing) Prose(p layout.Prose) ([]string, error) {
	switch p.Src {
	case "die":
		os.Exit(3)
	case "panic":
		panic("out of range")
	case "hang":
		for {
			runtime.Gosched() // at work, and never done
		}
	}
	return f.Engine.Prose(p)
}

func engine(t *testing.T) *Engine {
	t.Setenv("APART_BUILD", "one build")
	e := newEngine(os.Executable, "one build")
	t.Cleanup(e.Close)
	return e
}

func look(name string) layout.Look {
	p, _ := themes.ByName(name)
	return layout.Look{Palette: p, Glyphs: themes.Unicode}
}

func TestAnotherProcessSaysWhatThisOneWould(t *testing.T) {
	e, here := engine(t), glamour.New()
	if err := e.Ready(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dark", "light", "dark", "mono"} {
		for _, p := range []layout.Prose{
			{Src: "some *words* and `code`, [here][a] \xff", Refs: map[string]layout.Reference{"a": {Address: "x.md", Title: "t"}}, Width: 20},
			{Kind: layout.Heading, Src: "## A *heading*", Width: 40},
			{Kind: layout.Table, Src: "| a | b |\n|---|---|\n| *1* | 2 |", Width: 40},
		} {
			p.Look = look(name)
			got, err := e.Prose(p)
			want, errHere := here.Prose(p)
			if fmt.Sprintf("%q %v", got, err) != fmt.Sprintf("%q %v", want, errHere) || len(want) == 0 {
				t.Errorf("%s: got %q, %v, want %q, %v", name, got, err, want, errHere)
			}
		}
		for _, c := range []layout.Code{{Language: "go", Lines: []string{"func f() {", "", "}"}}, {Language: "go"}, {Language: "no such", Lines: []string{"x"}}} {
			c.Look = look(name)
			got, known, err := e.Code(c)
			want, knownHere, errHere := here.Code(c)
			if fmt.Sprintf("%q %v %v", got, known, err) != fmt.Sprintf("%q %v %v", want, knownHere, errHere) {
				t.Errorf("%s: got %q, %v, %v, want %q, %v, %v", name, got, known, err, want, knownHere, errHere)
			}
		}
	}
}

func TestWhatTheProcessDiesOfCostsNothingElse(t *testing.T) {
	e := engine(t)
	for src, want := range map[string]string{"die": errEnded.Error(), "panic": "cannot lay out: out of range", "hang": errSlow.Error()} {
		_, err := e.Prose(layout.Prose{Src: src, Width: 20, Look: look("dark")})
		if err == nil || err.Error() != want || errors.Is(err, layout.ErrAway) {
			t.Errorf("%s: got %v, want %q", src, err, want)
		}
		if got, err := e.Prose(layout.Prose{Src: "*words*", Width: 20, Look: look("dark")}); err != nil || len(got) != 1 || !strings.Contains(got[0], "words") {
			t.Errorf("after %s: got %q, %v", src, got, err)
		}
	}
}

func TestAProcessThatWasKilledIsStartedAgain(t *testing.T) {
	e := engine(t)
	if err := e.Ready(); err != nil {
		t.Fatal(err)
	}
	_ = e.worker.cmd.Process.Kill()
	if got, err := e.Prose(layout.Prose{Src: "*words*", Width: 20, Look: look("dark")}); err != nil || len(got) != 1 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAProcessThatRestsEndsAndComesBack(t *testing.T) {
	e := engine(t)
	e.rest = time.Millisecond
	if err := e.Ready(); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	w := e.worker
	e.mu.Unlock()
	if w != nil {
		<-w.ended
	}
	e.mu.Lock()
	gone := e.worker == nil
	e.rest = time.Minute
	e.mu.Unlock()
	if !gone {
		t.Error("it is still asked")
	}
	if got, err := e.Prose(layout.Prose{Src: "*words*", Width: 20, Look: look("dark")}); err != nil || len(got) != 1 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWithoutTheProgramNobodyIsAsked(t *testing.T) {
	missing := newEngine(func() (string, error) { return "", errors.New("not there") }, "one build")
	other := engine(t)
	other.build = "another build"
	for name, e := range map[string]*Engine{"missing": missing, "of another build": other} {
		_, err := e.Prose(layout.Prose{Src: "*words*"})
		if !errors.Is(err, layout.ErrAway) || !errors.Is(cmp.Or(e.Ready(), err), layout.ErrAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
