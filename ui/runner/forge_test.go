package runner

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
)

// scriptedForge answers each call of a forge's program, and records its time.
type scriptedForge struct {
	answer func(argv []string) (string, error)
	calls  []time.Time
}

func (s *scriptedForge) run(_ context.Context, argv []string, out io.Writer) error {
	s.calls = append(s.calls, time.Now())
	words, err := s.answer(argv)
	_, _ = io.WriteString(out, words)
	return err
}

// asking makes n items wait for pull requests, and asks forges for a while.
func asking(t *testing.T, source, resource string, n int, for_ time.Duration, s *scriptedForge) []model.Wait {
	t.Helper()
	l, err := store.NewLedger(t.Context(), kv.NewMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	h := home.On(l, files.Home{}, home.Options{})
	defer h.Close()
	apply := func(c model.Command) model.Receipt {
		in, err := h.Apply(t.Context(), model.Envelope{Key: home.NewKey(), Actor: model.Operator, Agent: "ann", Command: c})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	var ids []model.WaitID
	for i := range n {
		item := apply(model.CreateWorkItem{Objective: "x"}).WorkItemID
		ids = append(ids, apply(model.WaitFor{WorkItemID: item, Reason: "ci", Wake: model.WakeExternal, Source: model.Text(source),
			Resource: model.Text(fmt.Sprintf(resource, i+1))}).WaitID)
	}
	ctx, stop := context.WithTimeout(t.Context(), for_)
	defer stop()
	f := &Forges{Ledger: h, Home: t.TempDir(), Now: time.Now, Run: s.run, Report: func(err error) { t.Error(err) }}
	f.Watch(ctx)
	var waits []model.Wait
	_ = h.View(t.Context(), func(r model.Reader) error {
		for _, id := range ids {
			x, _ := r.Wait(id)
			waits = append(waits, x)
		}
		return nil
	})
	return waits
}

// TestForgesAreAskedWithinABudget: each of many waits is asked about, and no minute has more calls than are allowed.
func TestForgesAreAskedWithinABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scriptedForge{answer: func([]string) (string, error) {
			return `{"data":{"repository":{"pullRequest":{"state":"OPEN"}}}}`, nil
		}}
		waits := asking(t, "gh", "github:acme/gateway#%d", 3*callsPerMinute, 10*time.Minute, s)
		for _, x := range waits {
			if x.Checked.State != model.PullOpen {
				t.Errorf("wait on %s was not asked about", x.Resource)
			}
		}
		for i, at := range s.calls {
			if j := i + callsPerMinute; j < len(s.calls) && s.calls[j].Sub(at) < time.Minute {
				t.Fatalf("calls %d to %d came within %s", i, j, s.calls[j].Sub(at))
			}
		}
		if most := 10 * callsPerMinute; len(s.calls) < most/2 || len(s.calls) > most+callsPerMinute {
			t.Errorf("%d calls in ten minutes", len(s.calls))
		}
	})
}

// TestAForgeThatCannotBeAskedIsTriedAgain, each time later, and the row says why it cannot be asked.
func TestAForgeThatCannotBeAskedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scriptedForge{answer: func([]string) (string, error) { return "", problem("gh is not installed") }}
		x := asking(t, "gh", "github:acme/gateway#%d", 1, time.Hour, s)[0]
		if x.Checked.Gist() != "gh is not installed" || x.Triggered() {
			t.Errorf("the wait says %q, triggered %v", x.Checked.Gist(), x.Triggered())
		}
		var pauses []time.Duration
		for i := 1; i < len(s.calls); i++ {
			pauses = append(pauses, s.calls[i].Sub(s.calls[i-1]).Round(time.Second))
		}
		if len(pauses) < 5 || pauses[0] != soonestAgain || !slices.IsSorted(pauses) || pauses[len(pauses)-1] != latestAgain {
			t.Errorf("pauses %v", pauses)
		}
	})
}

// TestGitLabIsAskedThroughGlab: the trigger has the end of a failed job's log, and a job that is allowed to fail does
// not count.
func TestGitLabIsAskedThroughGlab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scriptedForge{answer: func(argv []string) (string, error) {
			if argv[0] != "glab" {
				t.Errorf("%v was run", argv)
			}
			if strings.HasSuffix(argv[2], "/jobs/77/trace") {
				return "\x1b[0;m$ make lint\nunused variable n\n\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m\nCleaning up", nil
			}
			return `{"data":{"project":{"mergeRequest":{"state":"opened","headPipeline":{"sha":"c1","status":"RUNNING","jobs":{"nodes":[
				{"id":"gid://gitlab/Ci::Build/76","name":"spell","allowFailure":true},
				{"id":"gid://gitlab/Ci::Build/77","name":"lint","webPath":"/acme/gateway/-/jobs/77"}]}}}}}}`, nil
		}}
		x := asking(t, "glab", "gitlab:acme/tools/gateway!%d", 1, time.Minute, s)[0]
		said := x.LastTrigger.Payload.Raw()
		if x.TriggerCount != 1 || x.Checked.Gist() != "lint fails" || !strings.Contains(said, "unused variable n\nERROR: Job failed") ||
			strings.ContainsAny(said, "\x1b") || strings.Contains(said, "Cleaning up") {
			t.Errorf("triggered %d times, %q:\n%q", x.TriggerCount, x.Checked.Gist(), said)
		}
	})
}

// TestWhatForgesSayIsBoundedAndSafe: names, comments and logs of any size and bytes.
func TestWhatForgesSayIsBoundedAndSafe(t *testing.T) {
	hostile := strings.Repeat("\x1b[2J\u202eevil\x00\xff ", 100_000)
	if got := oneLine(hostile, maxCheckName); len([]rune(got)) > maxCheckName || model.Text(got).Hidden() {
		t.Errorf("a name is %q", got)
	}
	if got := paragraphs(hostile, maxCommentText); len([]rune(got)) > maxCommentText || model.Text(got).Hidden() {
		t.Errorf("a comment of %d bytes", len(got))
	}
	log := strings.Repeat(hostile[:1000]+"\n", 1000)
	if got := lastLines(log, "##[error]"); len(got) > toldBytes || got == "" {
		t.Errorf("the end of a log has %d bytes", len(got))
	}
}
