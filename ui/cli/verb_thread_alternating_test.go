package cli

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"vise/store/storetest"
)

// vise and AICTX apply 500 random patches in turns to one thread. After each patch both read the same, and vise keeps a
// key that it does not know. VISE_AICTX names AICTX's program; VISE_SEED repeats a run.
func TestViseAndAICTXWriteInTurns(t *testing.T) {
	program := os.Getenv("VISE_AICTX")
	if program == "" {
		storetest.Lacks(t, "aictx (VISE_AICTX names it)")
	}
	seed, err := strconv.ParseUint(os.Getenv("VISE_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("VISE_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	c.data("start", "Fix login")
	aictx := func(args ...string) map[string]any {
		run := exec.Command(program, append([]string{"task"}, append(args, "--repo", r.Dir, "--json")...)...)
		raw, err := run.Output()
		var out map[string]any
		if err != nil || json.Unmarshal(raw, &out) != nil {
			t.Fatalf("aictx %q: %v %s", args, err, raw)
		}
		return out
	}
	file := filepath.Join(r.Dir, ".aictx/tasks/threads/fix-login.json")
	for i := range 500 {
		patch := randomPatch(random)
		if i%2 == 0 {
			addKey(t, file, i)
			c.data("update", "--task-id", "fix-login", "--json-patch", patch)
			if raw, _ := os.ReadFile(file); !strings.Contains(string(raw), `"not_known": `+strconv.Itoa(i)) {
				t.Fatalf("patch %d: vise dropped a key that it does not know", i)
			}
		} else {
			aictx("update", "--task-id", "fix-login", "--json-patch", patch)
		}
		ours, theirs := c.data("show", "fix-login"), aictx("show", "fix-login")
		ends, _ := ours["discarded_hypotheses"].([]any)
		for _, end := range ends {
			delete(end.(map[string]any), "flagged_at") // vise's own, docs/threads.md 1
		}
		for key, want := range theirs {
			if got := ours[key]; !reflect.DeepEqual(got, want) {
				t.Errorf("patch %d, %s: %s: vise reads %v, AICTX %v", i, patch, key, got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func addKey(t *testing.T, file string, n int) {
	t.Helper()
	var o map[string]any
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	o["not_known"] = n
	if raw, err = json.MarshalIndent(o, "", "  "); err == nil {
		err = os.WriteFile(file, append(raw, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// randomPatch changes one to four fields with plain, foreign, quoted and very long words.
func randomPatch(random *rand.Rand) string {
	word := func() string {
		words := []string{"make test", "日本語 …", `a "quoted" \ word`, " trimmed ", "", strings.Repeat("long ", 60), "tab\tline\nend", "<b>&"}
		return words[random.IntN(len(words))] + []string{"", strconv.Itoa(random.IntN(40))}[random.IntN(2)]
	}
	texts := []string{"goal", "current_hypothesis", "next_action"}
	lists := []string{"active_files", "verified", "unverified", "discarded_paths", "recommended_commands", "risks", "source_execution_ids"}
	patch := map[string]any{}
	for range 1 + random.IntN(4) {
		switch random.IntN(5) {
		case 0:
			patch["uncertainties"] = []any{map[string]any{"claim": word(), "confidence": "low"}}
		case 1:
			patch["discarded_hypotheses"] = []any{map[string]any{"hypothesis": word(), "reason": word()}}
		case 2:
			patch["status"] = []string{"in_progress", "paused", "blocked"}[random.IntN(3)]
		case 3:
			patch[texts[random.IntN(len(texts))]] = word()
		case 4:
			patch[lists[random.IntN(len(lists))]] = []string{word(), word()}
		}
	}
	raw, _ := json.Marshal(patch)
	return string(raw)
}
