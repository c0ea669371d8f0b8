//go:build unix

package store_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
)

// withoutNews hears of no commit, as a process hears nothing of another's.
type withoutNews struct{ store.Backend }

func (withoutNews) News() <-chan struct{} { return nil }

func TestFollowNoticesAnotherProcessByLookingEveryTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := store.NewMemory()
		l, err := store.NewLedger(ctx, withoutNews{shared}, nil)
		must(err)
		other, err := store.NewLedger(ctx, shared, nil)
		must(err)
		var got uint64
		var late time.Duration
		begun := time.Now()
		go func() {
			got, err = l.Follow(ctx, 0)
			late = time.Since(begun)
		}()
		<-time.After(5 * time.Second) // of the bubble's clock
		synctest.Wait()
		if got != 0 {
			t.Fatal("news of nothing")
		}
		must(applied(other, objective("k")))
		<-time.After(2 * time.Second)
		synctest.Wait()
		if got != 1 || err != nil || late > 6*time.Second {
			t.Errorf("revision %d after %v, %v", got, late, err)
		}
	})
}

func TestWakeMakesFollowLook(t *testing.T) {
	dir, l := newHome(t)
	other, err := store.Open(dir, store.Options{})
	must(err)
	defer other.Close()
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	const tries = 5 // on a busy machine
	for try := uint64(1); ; try++ {
		followed := make(chan uint64)
		go func() {
			revision, err := l.Follow(limited, try-1)
			if err != nil {
				t.Error(err)
			}
			followed <- revision
		}()
		must(applied(other, objective(fmt.Sprint("k", try))))
		begun, told := time.Now(), uint64(0)
		for told == 0 {
			select {
			case told = <-followed:
			case <-time.After(time.Millisecond):
				l.Wake()
			}
		}
		took := time.Since(begun)
		if told == try && took < time.Second {
			return
		}
		if told != try || try == tries {
			t.Fatalf("revision %d after %v", told, took)
		}
	}
}

// A reader in the middle of a long transaction sees one revision, whatever is committed.
func TestAViewIsOfOneRevision(t *testing.T) {
	l := store.NewMem(nil)
	must(applied(l, objective("k1")))
	must(l.View(ctx, func(r model.Reader) error {
		must(applied(l, objective("k2")))
		if n := r.Revision(); n != 1 || r.Count("ada", model.TallyOpen) != 1 {
			t.Errorf("revision %d", n)
		}
		return nil
	}))
}
