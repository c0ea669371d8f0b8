package store_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// withoutNews is not notified of commits, like a process of another's commits.
type withoutNews struct{ store.Backend }

func (withoutNews) News() <-chan struct{} { return nil }

func TestFollowNoticesAnotherProcessByLookingEveryTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := kv.NewMemory()
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

// A reader in a long transaction sees one revision, whatever is committed meanwhile.
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

// counted counts the transactions that read.
type counted struct {
	store.Backend
	views *atomic.Int64
}

func (c counted) View(ctx context.Context, fn func(store.Txn) error) error {
	c.views.Add(1)
	return c.Backend.View(ctx, fn)
}

func TestFollowersShareTheirLooksAndPaceThemAmongManyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, views := kv.NewMemory(), atomic.Int64{}
		l, err := store.NewLedger(ctx, counted{shared, &views}, nil)
		must(err)
		other, err := store.NewLedger(ctx, shared, nil)
		must(err)
		ended, end := context.WithCancel(ctx)
		const followers, changes = 5, 200
		var last [followers]uint64
		var late [followers]time.Time
		for i := range followers {
			go func() {
				for ended.Err() == nil {
					if revision, err := l.Follow(ended, last[i]); err == nil {
						last[i], late[i] = revision, time.Now()
					}
				}
			}()
		}
		synctest.Wait()
		views.Store(0)
		for i := range changes { // fifty a second, for four seconds
			must(applied(other, objective(fmt.Sprint("k", i))))
			<-time.After(20 * time.Millisecond)
		}
		done := time.Now()
		<-time.After(300 * time.Millisecond)
		synctest.Wait()
		for i := range followers {
			if last[i] != changes || late[i].Sub(done) > 100*time.Millisecond {
				t.Errorf("follower %d knows revision %d of %d, %v after the last change", i, last[i], changes, late[i].Sub(done))
			}
		}
		if n := views.Load(); n < 46 || n > 56 { // four at once, then twelve a second
			t.Errorf("%d followers looked %d times at %d changes in four seconds", followers, n, changes)
		}
		must(applied(other, objective("another's")))
		must(applied(l, objective("its own")))
		synctest.Wait()
		end()
		for i := range followers {
			if last[i] != changes+2 || time.Since(late[i]) > 0 {
				t.Errorf("follower %d hears of revision %d at once, not of its process's own %d", i, last[i], changes+2)
			}
		}
	})
}
