package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/store/storetest"
)

// mutant is a fault planted in a copy of one file: from becomes to, wherever it stands. The
// tests named run in pkg must fail then. Flags may follow the name.
type mutant struct {
	name      string
	file      string
	from, to  string
	pkg, run  string
	everyTime bool // planted in the short run too
}

var mutants = []mutant{
	{"writes are not synced before they count", "store/bolt_session.go", "NoSync:       copied,", "NoSync: true,", "store", "ACommitSyncsTwice", false},
	{"a key is not remembered", "store/save.go", "f.answer(e.Key); ok ||", "f.answer(e.Key); ok && false ||", "store", "LedgerInMemoryKeepsTheContract", false},
	{"an unknown outcome is told as a failure", "store/bolt_session.go", "metaErr != nil || m.txid == id", "metaErr != nil || m.txid == id && false", "store", "AnErrorAtAnyOperation", false},
	{"damage ends the process", "store/bolt.go", "debug.SetPanicOnFault(true)", "debug.SetPanicOnFault(false)", "store", "DamagedLedgerNeverEnds -tags=soak", false},
	{"a record's checksum is not checked", "store/keys.go", "n < 0 || binary", "n < 0 || false && binary", "store", "AValueBelongsToItsKey|DamagedLedgerNeverEnds", false},
	{"another home's ledger is taken", "store/open.go", "id != l.home.ID", "false", "store", "AWrongLedgerIsRefused", false},
	{"an older ledger is read", "store/journal_copy.go", "if revision >= known {", "if true {", "store", "AnOlderLedgerIsRefused", false},
	{"an older ledger is changed", "store/journal_copy.go", "if err := l.continues(t, end.last, head); err != nil {", "if err := l.continues(t, end.last, head); err != nil && false {", "store", "AnOlderLedgerIsRefused", false},
	{"what is written during a compaction is forgotten", "store/compact.go", "all = append(all, pair{bytes.Clone(k), append([]byte{}, v...)})", "", "store", "ChangesDuringACompaction", false},
	{"the lock is shared", "store/lock/lock.go", "syscall.LOCK_EX", "syscall.LOCK_SH", "store/lock", "BusyNamesTheHolder", false},
	{"a replaced lock file is not noticed", "store/lock/lock.go", "return held.Nlink > 0 && held.Dev == there.Dev && held.Ino == there.Ino", "return true", "store/lock", "ALockFileThatIsGone", true},
	{"Ctrl-Z stops inside the lock", "store/lock/lock.go", "suspension.enter()", "", "store/lock", "CtrlZ", false},
	{"a plan may change while it is read", "store/files/plan.go", "settled = os.SameFile(before, after) && statOf(before) == statOf(after) && int64(len(raw)) == after.Size()", "settled = true", "store/files", "ASwapRace", false},
	{"a plan with two names is shown", "store/files/plan.go", "links(info) > 1", "false", "store/files", "WhateverAPlanIs", false},
	{"text goes to the terminal as it was written", "model/text.go", `func (t Text) String() string { return rewrite(string(t), " ", " ") }`, "func (t Text) String() string { return string(t) }", "ui/console", "NoTextDrivesTheTerminal", false},
	{"what the renderer makes is not filtered", "ui/markdown/filter.go", "p.write(model.Text(line[:i]).String())", "p.write(line[:i])", "ui/markdown", ".", false},
	{"a blocked item keeps the focus", "model/step.go", `a.CurrentWorkItemID, a.UpdatedAt = "", s.at.At`, "a.UpdatedAt = s.at.At", "model", "StepAgrees", true},
	{"an item is completed twice", "model/step_round.go", "if w.State == Completed {", "if false {", "ui/e2e", "EverySequence", false},
	{"a late driver's round is taken", "model/step_round.go", "if _, err := s.running(s.actingAgent(), c.Turn); err != nil {", "if _, err := s.running(s.actingAgent(), c.Turn); err != nil && false {", "model", "Rules", false},
	{"a delivery is carried out again", "ui/runner/delivery.go", `id := deliveryID(r); id != ""`, `id := deliveryID(r); id != "" && false`, "ui/runner", "AReplayedDelivery", false},
	{"any host's name is served", "ui/runner/serve.go", "!s.hosts[", "false && !s.hosts[", "ui/runner", "ABrowserCannot", false},
	{"children that leave their group are forgotten", "ui/runner/process.go", "r.Escaped, r.Survivors = endSurvivors(run)", "", "ui/runner", "NothingOutlives", false},
	{"a program sees the whole environment", "ui/runner/process.go", "c.Dir, c.Env = s.Dir, append(s.Env[:len(s.Env):len(s.Env)], marker+\"=\"+run)", "c.Dir, c.Env = s.Dir, append(c.Environ(), marker+\"=\"+run)", "ui/runner", "NothingOfTheEnvironment", false},
	{"git runs what a repository configures", "store/threads/run.go", `"core.fsmonitor=false", "core.hooksPath=/dev/null", `, "", "store/threads", "NothingThatTheRepository", false},
	{"a line that is no message ends the server", "ui/mcp/lines.go", "\t\t\t}\n\t\t\tcontinue\n\t\t}\n\t\tif message", "\t\t\t}\n\t\t\treturn nil, io.EOF\n\t\t}\n\t\tif message", "ui/mcp", "HostileLines", false},
	{"a field is taken in any case of letters", "ui/mcp/tools.go", "if !ok {", "if !ok && !strings.EqualFold(key, \"objective\") {", "ui/mcp", "HostileLines", false},
}

// Each planted fault fails a test that guards against it: twenty and more of them, and two
// in the short run (T25 of docs/fault-tests.md, which lists them).
func TestEachPlantedFaultIsFound(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool here")
	}
	if len(mutants) < 20 {
		t.Errorf("only %d mutants", len(mutants))
	}
	root, err := filepath.Abs("../..")
	must(t, err)
	for _, m := range mutants {
		if !m.everyTime && !storetest.Long {
			continue
		}
		t.Run(m.name, func(t *testing.T) { m.mustBeFound(t, tool, root) })
	}
}

func (m mutant) mustBeFound(t *testing.T, tool, root string) {
	end, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := append([]string{"test", "-overlay", m.planted(t, root), "-count=1", "-timeout=90s", "-run"}, strings.Fields(m.run)...)
	cmd := exec.CommandContext(end, tool, append(args, "./"+m.pkg)...)
	cmd.Dir = root
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	text := string(out)
	switch {
	case err == nil:
		t.Errorf("%s of %s passes all the same", m.run, m.pkg)
	case strings.Contains(text, "test timed out"):
		t.Errorf("%s of %s ran out of time: nothing was found", m.run, m.pkg)
	case strings.Contains(text, "[build failed]") || strings.Contains(text, "[setup failed]") || strings.Contains(text, "no tests to run"):
		t.Errorf("the mutant is no program:\n%s", text)
	default:
		t.Logf("found in %v by %s", time.Since(begun).Round(time.Second), finder(text))
	}
}

// planted writes the copy with the fault, and the overlay that puts it in its file's place.
func (m mutant) planted(t *testing.T, root string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, m.file))
	must(t, err)
	if !strings.Contains(string(raw), m.from) {
		t.Fatalf("%s does not hold %q", m.file, m.from)
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, filepath.Base(m.file))
	must(t, os.WriteFile(copied, []byte(strings.ReplaceAll(string(raw), m.from, m.to)), 0o600))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, m.file): copied}})
	must(t, err)
	path := filepath.Join(dir, "overlay.json")
	must(t, os.WriteFile(path, overlay, 0o600))
	return path
}

// finder is the first test that failed.
func finder(out string) string {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			return name
		}
	}
	return "the end of its process"
}
