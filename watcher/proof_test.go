package watcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// proofs returns the proof files in a home.
func (d *fixture) proofs() []string {
	d.Helper()
	found, err := filepath.Glob(filepath.Join(d.home.Dir(), proofMark+"*"))
	must(d, err)
	return found
}

// The answer comes after all earlier events, and the file is removed.
func TestAWatcherProvesThatItHasCaughtUp(t *testing.T) {
	d := newFixture(t, "wi-1")
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		d.save("wi-1", text)
		d.settle()
		if got := d.notified["wi-1"]; len(got) == 0 || string(got[len(got)-1].Raw) != text {
			t.Fatalf("caught up without %q: %s", text, d.summary())
		}
	}
	must(t, os.WriteFile(filepath.Join(d.home.Dir(), "ledger.db"), []byte("moved"), 0o600))
	d.settle()
	if d.ledger == 0 {
		t.Error("caught up without the ledger's change")
	}
	if left := d.proofs(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	d.watcher.Close()
	if err := d.watcher.CaughtUp(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("of one that is closed: %v", err)
	}
}

// troubled reports lost events when the test says so.
type troubled struct {
	source
	lost chan error
}

func (s troubled) Trouble() <-chan error { return s.lost }

// After lost events everything is read again, and a proof shows it too.
func TestAWatcherProvesThatItHasCaughtUpAfterAnOverflow(t *testing.T) {
	lost := make(chan error)
	d := newFixtureOn(t, func() (source, error) {
		s, err := openWithCloses()
		return troubled{s, lost}, err
	}, "wi-1")
	for range 3 {
		lost <- fsnotify.ErrEventOverflow
		d.save("wi-1", "after the loss\n")
		d.settle()
		if got := d.notified["wi-1"]; len(got) == 0 || string(got[len(got)-1].Raw) != "after the loss\n" {
			t.Fatalf("caught up without the save: %s", d.summary())
		}
	}
	if left := d.proofs(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// deaf has no events, and does not report that.
type deaf struct{ source }

func (deaf) Events() <-chan fsnotify.Event { return nil }

// The watcher notices that events do not arrive: it polls then, and says so.
func TestEventsThatDoNotArriveAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits 5 s for its file")
	}
	t.Parallel()
	d := newFixtureOn(t, func() (source, error) {
		s, err := openWithCloses()
		return deaf{s}, err
	}, "wi-1")
	d.until(func() bool { return d.watcher.Mode().Polling() })
	if got := d.watcher.Mode().Reason; got != "file events do not arrive" {
		t.Errorf("it polls because %s", got)
	}
	d.save("wi-1", "polled\n")
	d.untilText("wi-1", "polled\n")
}
