package console

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// still is a console of nothing that quits when told.
func still(t *testing.T) paced {
	return paced{Console: New(t.Context(), Options{Now: time.Now, NewKey: func() string { return "" }}), pace: &pace{}}
}

// The library keeps its clock to itself: a version that names it otherwise must be noticed.
func TestThePaceFindsTheProgramsClock(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	p := still(t)
	var program *tea.Program
	p.program = func() *tea.Program { return program }
	program = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(80, 24))
	go program.Quit()
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	if p.pace.clock == nil {
		t.Error("the clock of this Bubble Tea is not where the pace looks")
	}
}

func TestTheClockRunsFastOnlyWhileFramesCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := time.NewTicker(time.Hour)
		defer clock.Stop()
		p := &pace{clock: clock}
		ticks := func(d time.Duration) (n int) {
			over := time.NewTimer(d)
			for {
				select {
				case <-clock.C:
					n++
				case <-over.C:
					return n
				}
			}
		}
		p.framed()
		if n := ticks(paceRest); n < 10 {
			t.Errorf("%d ticks right after a frame", n)
		}
		if n := ticks(10 * time.Second); n > 6 { // one may be due at the very instant of the rest
			t.Errorf("%d ticks in ten seconds without a frame", n)
		}
		p.framed()
		if n := ticks(5 * paceBusy); n < 4 {
			t.Errorf("%d ticks after a frame that follows a rest", n)
		}
		ticks(time.Second)
	})
}
