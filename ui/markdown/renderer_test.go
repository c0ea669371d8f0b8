package markdown

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/storetest"
)

func TestWhatTakesTooLongIsShownAsWrittenAndNotTriedAgain(t *testing.T) {
	style := styleOf(t, "mono")
	synctest.Test(t, func(t *testing.T) {
		r := NewRenderer(Whole)
		var calls atomic.Int32
		r.engine = asked(func(p Source) ([]string, error) {
			calls.Add(1)
			if strings.Contains(p.Text, "slow") {
				time.Sleep(time.Hour)
			}
			return Whole.Render(p)
		})
		d := Split("*slow*\n\n*quick*\n")
		begin := time.Now()
		v := r.View(d, 60, style)
		lines := shownBy(v)
		if took := time.Since(begin); took != blockLimit {
			t.Errorf("took %v, want %v", took, blockLimit)
		}
		want := []string{"*slow*", "! shown as written: took longer than 250 ms to lay out", "",
			"*quick*", "! shown as written: another block is still being laid out"}
		if fmt.Sprint(lines) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", lines, want)
		}
		if again := shownBy(v); calls.Load() != 1 || fmt.Sprint(again) != fmt.Sprint(want) {
			t.Errorf("while the slow block goes on: %d calls, %q", calls.Load(), again)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		want = append(want[:3], "quick")
		for _, width := range []int{60, 50} {
			if lines := shownBy(r.View(d, width, style)); fmt.Sprint(lines) != fmt.Sprint(want) {
				t.Errorf("after it, %d wide: got %q, want %q", width, lines, want)
			}
		}
		if calls.Load() != 3 {
			t.Errorf("got %d calls, want 3: the slow block once, the other in each width", calls.Load())
		}
	})
}

func TestAPanicOfGlamourIsShownAndNothingElse(t *testing.T) {
	r := unlimited()
	r.engine = asked(func(Source) ([]string, error) { panic("index out of range") })
	got := shownBy(r.View(Split("*words*"), 60, styleOf(t, "mono")))
	if want := []string{"*words*", "! shown as written: cannot lay out: index out of range"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func shownBy(v view) (lines []string) {
	for _, l := range v.Lines(Position{}, 1000) {
		lines = append(lines, ansi.Strip(l.Text()))
	}
	return lines
}

func TestABlockIsLaidOutOnceForEachLook(t *testing.T) {
	r := unlimited()
	calls := 0
	r.engine = asked(func(p Source) ([]string, error) {
		calls++
		return Whole.Render(p)
	})
	d := Split(model.Text(strings.Repeat("some *words*\n\n", 3) + "other *words*\n"))
	dark, mono := styleOf(t, "dark"), styleOf(t, "mono")
	for _, c := range []struct {
		width int
		style *Style
		calls int
	}{{40, dark, 2}, {40, dark, 2}, {50, dark, 4}, {40, mono, 6}, {40, styleOf(t, "dark"), 6}} {
		shownBy(r.View(d, c.width, c.style))
		if calls != c.calls {
			t.Errorf("%d wide: %d calls, want %d", c.width, calls, c.calls)
		}
	}
	edited := Split(model.Text(strings.Repeat("some *words*\n\n", 3) + "new *words*\n"))
	if shownBy(r.View(edited, 40, dark)); calls != 7 {
		t.Errorf("after an edit of one block: %d calls, want 7", calls)
	}
	defined := Split("[a] *b*\n\n[a]: x.md\n")
	shownBy(r.View(Split("[a] *b*\n\n"), 40, dark))
	if got := shownBy(r.View(defined, 40, dark))[0]; got != "a (x.md) b" {
		t.Errorf("with its definition: got %q", got)
	}
}

func TestKeptBlocksAreBoundedInMemory(t *testing.T) {
	storetest.Slow(t)
	r := unlimited()
	var text strings.Builder
	for i := range 2000 { // no two blocks are alike
		fmt.Fprintf(&text, "sixteen-letters-%d ", i)
	}
	d := Split(model.Text(text.String()))
	before, dropped := 0, false
	for width := 20; width < 4000; width += 16 {
		r.View(d, width, styleOf(t, "mono")).Lines(Position{}, 4000)
		bytes := 0
		for _, rows := range r.blocks {
			for i := range rows {
				bytes += len(rows[i].text)
			}
		}
		if bytes > keepBytes+(1<<20) {
			t.Fatalf("%d bytes are kept", bytes)
		}
		dropped = dropped || bytes < before
		before = bytes
	}
	if !dropped {
		t.Error("the test never filled what is kept")
	}
}

func TestManyGoroutinesMayRenderAtOnce(t *testing.T) {
	r, style := unlimited(), styleOf(t, "dark")
	d := Split(model.Text(planOf(20 << 10)))
	want := shownBy(r.View(d, 60, style))
	fresh := unlimited()
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range 8 {
		wg.Go(func() {
			if got := shownBy(fresh.View(d, 60, style)); fmt.Sprint(got) != fmt.Sprint(want) {
				errs <- errors.New("a goroutine saw other lines")
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// unlimited is a renderer for tests of the result: on a busy machine the time limit would end a good render.
func unlimited() *Renderer {
	r := NewRenderer(Whole)
	r.guard.limit = time.Minute
	return r
}
