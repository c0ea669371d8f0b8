package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// largeImport is the number of work items in TestALargeImportIsManyChanges: 100000 takes half a minute.
var largeImport = flag.Int("import", 2500, "how many work items a large import has")

// largeHolon is the directory of a Holon agent with that many work items: three of five completed, one in ten with a
// wait, half of these for a task that has ended.
func largeHolon(t *testing.T, n int) string {
	const wait = `{"id":"wait_%d","work_item_id":"work_%06d","kind":%q,"status":"active","waiting_for":"it","subject_ref":"%s_%d"}` + "\n"
	var items, waits, tasks bytes.Buffer
	for i := range n {
		state := "open"
		if i%5 < 3 {
			state = "completed"
		}
		fmt.Fprintf(&items, `{"id":"work_%06d","objective":"Item %d","state":%q,"revision":3,"plan":"# Plan\n","turn_id":"turn-9"}`+"\n",
			i, i, state)
		switch i % 20 {
		case 4:
			fmt.Fprintf(&tasks, `{"id":"task_%d","kind":"command_task","status":"failed","work_item_id":"work_%06d","summary":"Build"}`+"\n", i, i)
			fmt.Fprintf(&waits, wait, i, i, "task", "task", i)
		case 14:
			fmt.Fprintf(&waits, wait, i, i, "external", "run", i)
		}
	}
	return writeHolon(t, map[string]string{
		holonItems: items.String(), ".holon/ledger/wait_conditions.jsonl": waits.String(), ".holon/ledger/tasks.jsonl": tasks.String(),
		".holon/state/agent.json": `{"current_work_item_id":"work_000003"}`,
	})
}

// TestALargeImportIsManyChanges interrupts an import after its first change, and repeats it: each item is imported
// once, in as many changes as it has parts.
func TestALargeImportIsManyChanges(t *testing.T) {
	storetest.Slow(t)
	dir, home := largeHolon(t, *largeImport), ""
	records := *largeImport + *largeImport/20*3
	ledger, err := readHolon(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	parts := int64(len(ledger.Agents[0].Parts(importedAtOnce, importedBytes)))
	var failed struct{ Error model.Error }
	// Each part reads the clock, and on a slow machine others read it too: then the interruption comes before the first
	// change.
	for at := parts; failed.Error.Hint == "" || strings.HasPrefix(failed.Error.Hint, "what was done before stays"); at++ {
		home = t.TempDir()
		ctx, interrupt := context.WithCancel(t.Context())
		var judged atomic.Int64
		out, code := runs(ctx, home, func() time.Time {
			if judged.Add(1) == at {
				interrupt()
			}
			return time.Now()
		}, "import", "holon", dir)
		interrupt()
		if err := json.Unmarshal([]byte(out), &failed); err != nil || code != 1 || !strings.Contains(failed.Error.Message, "interrupted") {
			t.Fatalf("exit code %d: %s", code, out)
		}
	}
	if !strings.Contains(failed.Error.Hint, "records were taken over before that, and are saved; run it again for the rest") {
		t.Fatal(failed.Error.Hint)
	}
	t.Log(failed.Error.Hint)
	var brought struct{ Data imported }
	out, code := runs(t.Context(), home, time.Now, "import", "holon", dir)
	if err := json.Unmarshal([]byte(out), &brought); err != nil || code != 0 {
		t.Fatalf("exit code %d: %.2000s", code, out)
	}
	if out, _ = runs(t.Context(), home, time.Now, "status"); !strings.Contains(out, fmt.Sprintf(`"revision":%d,`, 1+parts)) {
		t.Errorf("the agent and %d parts are so many changes: %.300s", parts, out)
	}
	a := brought.Data.Agents[0]
	if a.Imported+a.Skipped != records || a.Skipped == 0 || a.Imported == 0 {
		t.Errorf("%d imported, %d known before; want %d in all", a.Imported, a.Skipped, records)
	}
}

// runs returns the answer of a verb as JSON, from a program with a clock of its own.
func runs(ctx context.Context, home string, now func() time.Time, args ...string) (out string, code int) {
	var said, errs bytes.Buffer
	a := &Env{args: append(args, "--json", "--home", home, "--actor", "operator"), dir: home, in: strings.NewReader(""),
		out: &said, err: &errs, now: now, getenv: func(string) string { return "" }, Context: ctx}
	code = execute(a, ctx)
	return said.String(), code
}
