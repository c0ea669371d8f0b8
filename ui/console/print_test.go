package console

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vise/ui/text"
)

// fakePrints keep one print as a file would.
type fakePrints struct{ raw []byte }

func (f *fakePrints) Printed(context.Context) (p Print, ok bool) {
	return p, json.Unmarshal(f.raw, &p) == nil
}

func (f *fakePrints) Print(_ context.Context, p Print) (err error) {
	f.raw, err = json.Marshal(p)
	return err
}

func TestAConsoleThatIsStartedAgainShowsThePlanInItsFirstFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &fakePrints{}
		wd := newWorld(t, 120, 36, func(o *Options) { o.Session.Prints = kept })
		defer wd.end()
		id := wd.create("a", "Split the rate limiter")
		wd.eyes.put(id, "# Plan\n\nA *refactor*, not a change.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
		wd.settle()
		before := wd.console.(Console)
		if !strings.Contains(before.View().Content, "refactor") {
			t.Fatalf("no plan:\n%s", before.View().Content)
		}
		before.remember(t.Context())
		again := func(o Options, w, h int) Console {
			o.Pages = nil // nobody lays anything out anew
			s := stage{size: tea.WindowSizeMsg{Width: w, Height: h}, profile: colorprofile.TrueColor}
			return New(t.Context(), o).Primed().staged(s)
		}
		first := again(before.opt, 120, 36)
		if got, want := plain(first.View().Content), plain(before.View().Content); got != want {
			t.Errorf("the first frame is\n%s\nnot\n%s", got, want)
		}
		for name, c := range map[string]func() Console{
			"another size": func() Console { return again(before.opt, 100, 30) },
			"another text": func() Console { wd.eyes.put(id, "# Other\n"); return again(before.opt, 120, 36) },
			"another look": func() Console { o := before.opt; o.ASCII = true; return again(o, 120, 36) },
			"nothing kept": func() Console { kept.raw = nil; return again(before.opt, 120, 36) },
		} {
			if got := plain(c().View().Content); strings.Contains(got, "refactor") {
				t.Errorf("%s: what was kept is shown:\n%s", name, got)
			}
		}
	})
}

func plain(frame string) string { return strings.Join(trimmed(frame), "\n") }

func TestWhatWasPrintedIsMadeSafeAgain(t *testing.T) {
	var p Print
	if err := json.Unmarshal([]byte(`{"lines":[{"text":"a\u001b[2Jb\u001b[31mc"}]}`), &p); err != nil {
		t.Fatal(err)
	}
	if got := p.Lines[0].Line().Text(); strings.Contains(got, "\x1b[2J") || !strings.Contains(got, "\x1b[31mc") || text.Width(got) < 3 {
		t.Errorf("got %q", got)
	}
}
