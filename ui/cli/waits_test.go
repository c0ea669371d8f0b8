package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/store/lock"
	"vise/store/storetest"
)

// held is a home whose ledger this test holds, with a hook's report that waits for it too.
func held(t *testing.T) (home, open, done string) {
	t.Helper()
	home, open, done = newHome(t)
	report := fmt.Sprintf(`{"key":"k","agent_id":"default","work_items":[%q],"text":"t"}`, open)
	if err := os.WriteFile(filepath.Join(home, "spool", "20261122T120000-k.json"), []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	l := lock.On(nil, filepath.Join(home, "ledger.lock"), "somebody else")
	if err := l.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Release(); l.Close() })
	return home, open, done
}

// A verb that needs the ledger several times waits for it no longer, in all, than for one time.
func TestNoVerbWaitsLongerThanItsLimit(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, open, done := held(t)
	var mu sync.Mutex
	longest := map[string]time.Duration{}
	timed := func(what string, args []string) result {
		began := time.Now()
		x := within(t, time.Minute, home, args...)
		mu.Lock()
		longest[what] = max(longest[what], time.Since(began))
		mu.Unlock()
		return x
	}
	var all sync.WaitGroup
	for range 3 { // verbs that do not wait take the time that this machine needs to start so many
		all.Go(func() { timed("start", []string{"version"}) })
	}
	for _, args := range append(append(reads(open, done), writes(t, open, done)...), []string{"status", "--format", "json"}, []string{"doctor"}) {
		all.Go(func() {
			x := timed("verb", args)
			holder := fmt.Sprintf("pid %d (somebody else)", os.Getpid())
			if !strings.Contains(x.stdout, holder) {
				t.Errorf("vise %q does not say for whom it waited: exit %d, %s%s", args, x.code, x.stdout, x.stderr)
			}
			if len(args) == 1 && args[0] == "doctor" && (x.code != 1 || !strings.Contains(x.stdout, `{"name":"ledger","ok":true`)) {
				t.Errorf("doctor proves nothing: exit %d, %s%s", x.code, x.stdout, x.stderr)
			}
		})
	}
	all.Wait()
	if x := within(t, time.Minute, home, "backup", filepath.Join(t.TempDir(), "copy.db")); x.code != 0 {
		t.Errorf("backup: exit %d, %s%s", x.code, x.stdout, x.stderr)
	}
	if limit := lock.DefaultLimit + 3*time.Second + 2*longest["start"]; longest["verb"] > limit {
		t.Errorf("a verb took %v, at most %v is allowed", longest["verb"], limit)
	}
}
