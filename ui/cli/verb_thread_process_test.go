package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/store/storetest"
)

// facts returns the facts in a thread, or moved from it to its log.
func knownFacts(t *testing.T, dir, id string) string {
	t.Helper()
	at := filepath.Join(dir, ".aictx/tasks/threads", id)
	raw, err := os.ReadFile(at + ".json")
	if err != nil || !json.Valid(raw) {
		t.Fatalf("the thread is not whole: %v\n%s", err, raw)
	}
	log, err := os.ReadFile(at + ".events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	known := string(raw)
	for _, line := range strings.Split(string(log), "\n") {
		if strings.Contains(line, `"event": "evicted"`) && json.Valid([]byte(line)) {
			known += line
		}
	}
	return known
}

func TestProcessesAtOnceLoseNothing(t *testing.T) {
	storetest.Slow(t)
	const writers, updates = 6, 6
	r := storetest.RepoWithCommit(t)
	newThreadCLI(t, r.Dir).data("start", "g")
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for u := range updates {
				out, err := process(r.Dir, "update", "--json-patch", fmt.Sprintf(`{"verified":["w%d u%d"]}`, w, u)).CombinedOutput()
				if err != nil {
					t.Errorf("writer %d update %d: %v\n%s", w, u, err, out)
				}
			}
		})
	}
	wg.Wait()
	known := knownFacts(t, r.Dir, "g")
	for w := range writers {
		for u := range updates {
			if fact := fmt.Sprintf(`"w%d u%d"`, w, u); !strings.Contains(known, fact) {
				t.Errorf("%s is lost", fact)
			}
		}
	}
}

// A writer is killed again and again during its work. Each time the files are whole, the lock is free, and every
// acknowledged update is there.
func TestAKilledWriterLeavesWholeFiles(t *testing.T) {
	storetest.Slow(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	c.data("start", "g")
	var acknowledged []string
	for round := range 40 {
		w := process(r.Dir)
		w.Env = append(w.Env, fmt.Sprintf("%s=%d", writeForever, round))
		acknowledged = append(acknowledged, killed(t, w, time.Duration(rnd.IntN(60_000))*time.Microsecond)...)
		known := knownFacts(t, r.Dir, "g")
		for _, fact := range acknowledged {
			if !strings.Contains(known, fact) {
				t.Fatalf("round %d: %s was acknowledged and is lost", round, fact)
			}
		}
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was acknowledged: the test proves nothing")
	}
	c.data("update", "--json-patch", `{"next_action":"after it all"}`)
}

// killed runs w until some time after its first acknowledgement and returns what it acknowledged.
func killed(t *testing.T, w *exec.Cmd, after time.Duration) []string {
	t.Helper()
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(after+10*time.Millisecond, func() { _ = w.Process.Kill() })
	var facts []string
	for s := bufio.NewScanner(out); s.Scan(); {
		if strings.HasSuffix(s.Text(), "!") {
			facts = append(facts, strings.TrimSuffix(s.Text(), "!"))
		}
	}
	_ = w.Wait()
	return facts
}

// Both programs work on one repository in turns, and each reads what the other wrote.
func TestAICTXReadsOursAndWeReadTheirs(t *testing.T) {
	aictx := os.Getenv("VISE_AICTX")
	if aictx == "" {
		aictx = "aictx"
	}
	storetest.Needs(t, aictx)
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	theirs := func(args ...string) map[string]any {
		t.Helper()
		x := exec.Command(aictx, append(append([]string{"task"}, args...), "--json")...)
		x.Dir = r.Dir
		out, err := x.Output()
		if err != nil {
			t.Fatalf("aictx task %v: %v", args, err)
		}
		var v map[string]any
		if err := json.Unmarshal(out, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	c.data("start", "Fix ünï 日本語", "--initial-json", `{"verified":["ours \u2028 <&>"],"discarded_hypotheses":["d"],"uncertainties":["u"]}`)
	if got := theirs("status"); got["active"] != true || got["verified"].([]any)[0] != "ours \u2028 <&>" {
		t.Errorf("aictx reads %v", got)
	}
	theirs("update", "--json-patch", `{"verified":["theirs"],"next_action":"next"}`)
	if got := c.data("status"); got["active"] != true || len(got["verified"].([]any)) != 2 || got["next_action"] != "next" {
		t.Errorf("vise reads %v", got)
	}
	theirs("start", "Second")
	c.data("resume", slugOf(t, c))
	if got := theirs("status"); got["goal"] != "Fix ünï 日本語" {
		t.Errorf("aictx reads %v", got)
	}
	theirs("close", "--status", "blocked")
	if got := c.data("show", slugOf(t, c)); got["status"] != "blocked" {
		t.Errorf("vise reads %v", got)
	}
	if got := c.data("status"); got["active"] != false {
		t.Errorf("vise reads %v", got)
	}
}

// slugOf is the id of the thread that is not the second.
func slugOf(t *testing.T, c *threadCLI) string {
	t.Helper()
	rows := c.data("list")["tasks"].([]any)
	for _, row := range rows {
		if id := row.(map[string]any)["task_id"].(string); id != "second" {
			return id
		}
	}
	t.Fatal("no thread")
	return ""
}
