package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vise/model"
	"vise/store"
)

// keepsTheContract runs the contract of store.Backend on what open returns, an empty one each time.
func keepsTheContract(t *testing.T, open func(t testing.TB) store.Backend) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store.Backend)
	}{
		{"what is put is got, after the commit and before", putGet},
		{"deleting what is not there is no error", deleteAbsent},
		{"an empty value is not an absent one", emptyValue},
		{"the caller may reuse its slices", reuse},
		{"a scan is ordered, bounded, reversible, and stops", scans},
		{"an error rolls everything back", rollBack},
		{"a panic rolls everything back and goes on", panics},
		{"an update that writes nothing commits nothing", writesNothing},
		{"a view cannot write", viewCannotWrite},
		{"an empty key is refused", emptyKey},
		{"an ended context starts nothing", endedContext},
		{"the mark moves and news spreads with a commit, and only then", marksAndNews},
		{"transactions are isolated from one another", isolated},
		{"a failed update takes no other with it", failsAlone},
		{"a random history equals a map", equalsMap},
		{"a copy to read stays as it was", copyStays},
		{"one transaction takes something, and its keys can be changed", limits},
		{"the ledger counts and time ends turns, unless the backend does both", countsOrNot},
		{"a scheduler that is alone has all agents", aloneHasAll},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t)
			defer b.Close()
			c.test(t, b)
		})
	}
}

func key(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }

// commit commits what fn does, and fails the test if that is an error.
func commit(t testing.TB, b store.Backend, fn func(store.Txn) error) {
	t.Helper()
	if err := b.Update(ctx, fn); err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, b store.Backend, pairs ...string) {
	t.Helper()
	commit(t, b, func(txn store.Txn) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := txn.Put([]byte(pairs[i]), []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
}

// all returns every pair of a range, as "key=value".
func all(t testing.TB, b store.Backend, r store.Range) []string {
	t.Helper()
	var got []string
	err := b.View(ctx, func(txn store.Txn) error {
		return txn.Scan(r, func(k, v []byte) bool {
			got = append(got, fmt.Sprintf("%s=%s", k, v))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func same(t testing.TB, got, want []string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func putGet(t *testing.T, b store.Backend) {
	commit(t, b, func(txn store.Txn) error {
		if err := txn.Put(key("a/1"), []byte("one")); err != nil {
			return err
		}
		if v, err := txn.Get(key("a/1")); err != nil || string(v) != "one" {
			t.Errorf("in the transaction: %q, %v", v, err)
		}
		return txn.Put(key("journal/00000001/a"), []byte("first"))
	})
	err := b.View(ctx, func(txn store.Txn) error {
		for k, want := range map[string]string{"a/1": "one", "journal/00000001/a": "first"} {
			if v, err := txn.Get([]byte(k)); err != nil || string(v) != want {
				t.Errorf("%s: %q, %v", k, v, err)
			}
		}
		if v, err := txn.Get(key("a/2")); err != nil || v != nil {
			t.Errorf("an absent key: %q, %v", v, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func deleteAbsent(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "one", "a/2", "two")
	commit(t, b, func(txn store.Txn) error {
		return errors.Join(txn.Delete(key("a/1")), txn.Delete(key("a/9")))
	})
	same(t, all(t, b, store.Prefix(key("a/"))), []string{"a/2=two"})
}

func emptyValue(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "")
	err := b.View(ctx, func(txn store.Txn) error {
		v, err := txn.Get(key("a/1"))
		if v == nil || len(v) != 0 {
			t.Errorf("got %v", v)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func reuse(t *testing.T, b store.Backend) {
	commit(t, b, func(txn store.Txn) error {
		k, v := key("a/1"), []byte("one")
		err := txn.Put(k, v)
		copy(k, "x/x")
		copy(v, "xxx")
		return err
	})
	same(t, all(t, b, store.Prefix(key("a/"))), []string{"a/1=one"})
}

func scans(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "", "a/2", "", "a/3", "", "b/1", "", "a0", "", "A/9", "")
	mid := store.Range{From: key("a/2"), To: key("a/3")}
	for _, c := range []struct {
		name string
		r    store.Range
		want []string
	}{
		{"prefix", store.Prefix(key("a/")), []string{"a/1=", "a/2=", "a/3="}},
		{"prefix backwards", store.Prefix(key("a/")).Backwards(), []string{"a/3=", "a/2=", "a/1="}},
		{"the end is left out", mid, []string{"a/2="}},
		{"the start is let in, backwards", mid.Backwards(), []string{"a/2="}},
		{"ends that are no keys", store.Range{From: key("a/11"), To: key("a/22")}, []string{"a/2="}},
		{"the same backwards", store.Range{From: key("a/11"), To: key("a/22"), Reverse: true}, []string{"a/2="}},
		{"nothing there", store.Prefix(key("c/")), nil},
		{"nothing there backwards", store.Prefix(key("c/")).Backwards(), nil},
		{"the last table backwards", store.Prefix(key("b/")).Backwards(), []string{"b/1="}},
	} {
		if got := all(t, b, c.r); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	visits := 0
	err := b.View(ctx, func(txn store.Txn) error {
		return txn.Scan(store.Prefix(key("a/")), func(_, _ []byte) bool {
			visits++
			return visits < 2
		})
	})
	if err != nil || visits != 2 {
		t.Errorf("a scan told to stop at its second key made %d visits: %v", visits, err)
	}
}

func rollBack(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "one")
	no := errors.New("no")
	err := b.Update(ctx, func(txn store.Txn) error {
		return errors.Join(txn.Put(key("a/2"), nil), txn.Delete(key("a/1")), no)
	})
	if !errors.Is(err, no) {
		t.Fatalf("got %v, want the closure's own error", err)
	}
	same(t, all(t, b, store.Prefix(key("a/"))), []string{"a/1=one"})
}

func panics(t *testing.T, b store.Backend) {
	func() {
		defer func() {
			if r := recover(); r != "oops" {
				t.Errorf("recovered %v", r)
			}
		}()
		b.Update(ctx, func(txn store.Txn) error {
			txn.Put(key("a/1"), nil)
			panic("oops")
		})
	}()
	put(t, b, "a/2", "two")
	same(t, all(t, b, store.Prefix(key("a/"))), []string{"a/2=two"})
}

func writesNothing(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "one")
	before, news := mark(t, b), b.News()
	commit(t, b, func(txn store.Txn) error {
		_, err := txn.Get(key("a/1"))
		return err
	})
	if after := mark(t, b); after != before {
		t.Errorf("the mark went from %d to %d", before, after)
	}
	select {
	case <-news:
		t.Error("news of nothing")
	default:
	}
}

func viewCannotWrite(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "one")
	err := b.View(ctx, func(txn store.Txn) error {
		if txn.Put(key("a/2"), nil) == nil || txn.Delete(key("a/1")) == nil {
			t.Error("wrote")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, all(t, b, store.Prefix(key("a/"))), []string{"a/1=one"})
}

func emptyKey(t *testing.T, b store.Backend) {
	if err := b.Update(ctx, func(txn store.Txn) error { return txn.Put(nil, []byte("x")) }); err == nil {
		t.Error("an empty key was put")
	}
}

func endedContext(t *testing.T, b store.Backend) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	called := func(store.Txn) error { t.Error("called"); return nil }
	if b.View(ended, called) == nil || b.Update(ended, called) == nil {
		t.Error("no error")
	}
}

func marksAndNews(t *testing.T, b store.Backend) {
	before, news := mark(t, b), b.News()
	put(t, b, "a/1", "one")
	if mark(t, b) == before {
		t.Error("the mark did not move")
	}
	select {
	case <-news:
	default:
		t.Error("no news")
	}
	select {
	case <-b.News():
		t.Error("old news")
	default:
	}
}

// failsAlone makes many updates at once; some of them fail or panic after they have written.
func failsAlone(t *testing.T, b store.Backend) {
	const updates = 60
	no := errors.New("no")
	var wg sync.WaitGroup
	for i := range updates {
		wg.Go(func() {
			defer func() {
				if r := recover(); (r != nil) != (i%3 == 2) {
					t.Errorf("update %d recovered %v", i, r)
				}
			}()
			err := b.Update(ctx, func(txn store.Txn) error {
				if err := txn.Put(key("t/%02d", i), nil); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					return no
				case 2:
					panic("oops")
				}
				return nil
			})
			if errors.Is(err, no) != (i%3 == 1) {
				t.Errorf("update %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if got := all(t, b, store.Prefix(key("t/"))); len(got) != updates/3 {
		t.Errorf("%d updates were kept, of %d good ones: %v", len(got), updates/3, got)
	}
}

// isolated has writers that count and write a change of the history for each number, and readers that compare the count with the changes.
func isolated(t *testing.T, b store.Backend) {
	const writers, readers, rounds = 4, 4, 25
	put(t, b, "a/1", "0")
	change := func(n int) []byte { return key("journal/%08d/a", n) }
	count := func(txn store.Txn) (n int, err error) {
		x, err := txn.Get(key("a/1"))
		fmt.Sscan(string(x), &n)
		return n, err
	}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				err := b.Update(ctx, func(txn store.Txn) error {
					n, err := count(txn)
					next := key("%d", n+1)
					return errors.Join(err, txn.Put(key("a/1"), next), txn.Put(change(n+1), next))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range readers {
		wg.Go(func() {
			for range rounds {
				err := b.View(ctx, func(txn store.Txn) error {
					n, err := count(txn)
					newest, err1 := txn.Get(change(n))
					next, err2 := txn.Get(change(n + 1))
					if n > 0 && string(newest) != fmt.Sprint(n) || next != nil {
						t.Errorf("saw the count %d, its change %q, and %q as the change after it", n, newest, next)
					}
					return errors.Join(err, err1, err2)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	same(t, all(t, b, store.Prefix(key("a/"))), []string{fmt.Sprintf("a/1=%d", writers*rounds)})
}

var errNo = errors.New("no")

// equalsMap makes the same random transactions on a backend and a map, some of them rolled back, and compares random
// ranges, in the transactions and after them.
func equalsMap(t *testing.T, b store.Backend) {
	truth := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		draft := maps.Clone(truth)
		fails := rapid.Bool().Draw(t, "rolled back")
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 20).Draw(t, "steps")
		err := b.Update(ctx, func(txn store.Txn) error {
			draft = maps.Clone(truth)
			for _, s := range steps {
				if err := s.do(txn, draft); err != nil {
					return err
				}
			}
			if fails {
				return errNo
			}
			return nil
		})
		switch {
		case fails && !errors.Is(err, errNo):
			t.Fatalf("rolled back with %v", err)
		case !fails && err != nil:
			t.Fatal(err)
		case !fails:
			truth = draft
		}
		err = b.View(ctx, func(txn store.Txn) error {
			return errors.Join(compare(txn, truth, store.Prefix([]byte("t/"))), compare(txn, truth, store.Prefix([]byte("journal/"))))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// step is one call: a put, a delete, or a scan of from..to.
type step struct {
	Verb     string
	Key      string
	To       string
	Backward bool
}

func drawStep(t *rapid.T) step {
	of := rapid.SampledFrom([]struct{ table, name string }{{"t/", `[ab]{1,2}(/[ab]{0,2})?`}, {"journal/", `000000[01]{2}/[ab]`}}).Draw(t, "table")
	name := rapid.StringMatching(of.name)
	return step{
		Verb:     rapid.SampledFrom([]string{"put", "put", "delete", "scan"}).Draw(t, "verb"),
		Key:      of.table + name.Draw(t, "key"),
		To:       of.table + name.Draw(t, "to"),
		Backward: rapid.Bool().Draw(t, "backward"),
	}
}

func (s step) do(txn store.Txn, draft map[string]string) error {
	switch s.Verb {
	case "put":
		draft[s.Key] = s.To
		return txn.Put([]byte(s.Key), []byte(s.To))
	case "delete":
		delete(draft, s.Key)
		return txn.Delete([]byte(s.Key))
	default:
		return compare(txn, draft, store.Range{From: []byte(s.Key), To: []byte(s.To), Reverse: s.Backward})
	}
}

// compare returns the difference between a range and the map's part of it.
func compare(txn store.Txn, truth map[string]string, r store.Range) error {
	var want, got []string
	for _, k := range slices.Sorted(maps.Keys(truth)) {
		if k >= string(r.From) && k < string(r.To) {
			want = append(want, k+"="+truth[k])
		}
	}
	if r.Reverse {
		slices.Reverse(want)
	}
	err := txn.Scan(r, func(k, v []byte) bool {
		got = append(got, fmt.Sprintf("%s=%s", k, v))
		return true
	})
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("range %q to %q, reverse %v: got %v, want %v", r.From, r.To, r.Reverse, got, want)
	}
	return err
}

func copyStays(t *testing.T, b store.Backend) {
	put(t, b, "a/1", "one")
	c, err := b.ReadCopy(ctx)
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, "a/1", "two", "a/2", "new")
	same(t, all(t, c, store.Prefix(key("a/"))), []string{"a/1=one"})
	again, err := c.ReadCopy(ctx)
	if err != nil {
		t.Fatal(err)
	}
	same(t, all(t, again, store.Prefix(key("a/"))), []string{"a/1=one"})
	if err := errors.Join(again.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	same(t, all(t, b, store.Prefix(key("a/"))), []string{"a/1=two", "a/2=new"})
}

func limits(t *testing.T, b store.Backend) {
	if ops, bytes := b.Limits(); ops < 1 || bytes < 1 {
		t.Errorf("%d operations, %d bytes", ops, bytes)
	}
	if only, err := b.OnlyReads(ctx); err != nil || only {
		t.Errorf("its user may change nothing: %t, %v", only, err)
	}
	if used, known := b.SpaceUsed(ctx); known && (used < 0 || used > 100) {
		t.Errorf("%d %% of the space is in use", used)
	}
	b.Wake()
	if x := b.Conditions(); len(x) > 0 {
		t.Error(x)
	}
}

func countsOrNot(t *testing.T, b store.Backend) {
	can := b.Can()
	if can.File != nil && can.Cluster != nil {
		t.Error("it is in one file and on a cluster")
	}
	before, err := b.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, b, func(txn store.Txn) error {
		if txn.Counts() != (can.Cluster != nil) {
			t.Errorf("it counts: %t, and is on a cluster: %t", txn.Counts(), can.Cluster != nil)
		}
		lives, err := txn.Lives("ann", 1)
		if err != nil || (lives != nil) != txn.Counts() || lives != nil && *lives {
			t.Errorf("a turn that nobody claimed: %v, %v", lives, err)
		}
		if txn.Counts() {
			return nil
		}
		return errors.Join(txn.Claim("ann", 1, "a process", time.Second), txn.Holds("ann", 1), txn.Renew("ann", 1), txn.End("ann", 1))
	})
	if after, err := b.Mark(ctx); err != nil || after != before {
		t.Errorf("the mark moved from %d to %d: %v", before, after, err)
	}
}

func aloneHasAll(t *testing.T, b store.Backend) {
	shards := b.Shards("a test")
	running, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() { shards.Run(running) })
	defer done.Wait()
	defer stop()
	for i := range 100 {
		agent := model.AgentID(fmt.Sprint("agent-", i))
		for {
			moved := shards.Changed()
			if _, ok := shards.Claim(ctx, agent); ok {
				break
			}
			if err := shards.Idle(); err != nil {
				t.Fatal(err)
			}
			<-moved
		}
	}
}
