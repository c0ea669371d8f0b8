package markdown_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"vise/themes"
	"vise/ui/markdown"
	"vise/ui/markdown/glamour"
)

// TestMain makes this test binary the renderer if a variable says so.
func TestMain(m *testing.M) {
	if build := os.Getenv("RENDERER_BUILD"); build != "" {
		if markdown.Serving(os.Stdin, os.Stdout, failing{glamour.New()}, build) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	markdown.Whole = glamour.New()
	os.Exit(m.Run())
}

// failing does what its words say before it renders them.
type failing struct{ markdown.Engine }

func (f failing) Render(s markdown.Source) ([]string, error) {
	switch s.Text {
	case "die":
		os.Exit(3)
	case "panic":
		panic("out of range")
	case "hang":
		for {
			runtime.Gosched() // working, and never done
		}
	}
	return f.Engine.Render(s)
}

func oneBuild() string { return "one build" }

func subprocess(t *testing.T) *markdown.Subprocess {
	t.Setenv("RENDERER_BUILD", "one build")
	p := markdown.SubprocessOf(os.Executable, oneBuild)
	t.Cleanup(p.Close)
	return p
}

func words(text, palette string) markdown.Source {
	p, _ := themes.ByName(palette)
	return markdown.Source{Text: text, Width: 30, Palette: p}
}

func TestAnotherProcessSaysWhatThisOneWould(t *testing.T) {
	p, here := subprocess(t), glamour.New()
	if err := p.Ready(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dark", "light", "dark", "mono"} {
		for _, text := range []string{
			"some *words* and `code`, [here][a] \xff\n\n[a]: x.md \"t\"", "## A *heading*", "| a | b |\n|---|---|\n| *1* | 2 |",
			"```go\nfunc f() {\n\n}\n```", "```none such\nx\n```", "- [x] done\n  > quoted",
		} {
			got, err := p.Render(words(text, name))
			want, errHere := here.Render(words(text, name))
			if fmt.Sprintf("%q %v", got, err) != fmt.Sprintf("%q %v", want, errHere) || len(want) == 0 {
				t.Errorf("%s: got %q, %v, want %q, %v", name, got, err, want, errHere)
			}
		}
	}
}

func TestWhatTheProcessDiesOfCostsNothingElse(t *testing.T) {
	p := subprocess(t)
	for text, want := range map[string]string{"die": "the renderer ended over it", "panic": "cannot lay out: out of range", "hang": "took longer than 1s to lay out"} {
		_, err := p.Render(words(text, "dark"))
		if err == nil || err.Error() != want || errors.Is(err, markdown.ErrNoEngine) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
		rendersWords(t, p)
	}
}

func rendersWords(t *testing.T, p *markdown.Subprocess) {
	t.Helper()
	if got, err := p.Render(words("*words*", "dark")); err != nil || len(got) != 1 || !strings.Contains(got[0], "words") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAProcessThatWasKilledIsStartedAgain(t *testing.T) {
	p := subprocess(t)
	if err := p.Ready(); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	rendersWords(t, p)
}

func TestAnIdleProcessEndsAndComesBack(t *testing.T) {
	p := subprocess(t)
	if !p.EndsWhenIdle() {
		t.Error("it is still asked")
	}
	rendersWords(t, p)
}

func TestWithoutTheProgramNobodyIsAsked(t *testing.T) {
	other := subprocess(t)
	other.Expect("another build")
	missing := markdown.SubprocessOf(func() (string, error) { return "", errors.New("not there") }, oneBuild)
	for name, p := range map[string]*markdown.Subprocess{"missing": missing, "of another build": other} {
		_, err := p.Render(words("*words*", "dark"))
		if !errors.Is(err, markdown.ErrNoEngine) || !errors.Is(cmp.Or(p.Ready(), err), markdown.ErrNoEngine) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
