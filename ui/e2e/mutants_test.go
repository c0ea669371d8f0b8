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

// mutant is a fault that is planted in a copy of one file: every from becomes to. Then the named tests in pkg must
// fail. Flags can follow the name.
type mutant struct {
	name      string
	file      string
	from, to  string
	pkg, run  string
	everyTime bool // planted in the short run too
	// also is a second check against the same fault, as from and to: either check alone is enough. If the test tests only
	// the first check, a comment names the second one.
	also [2]string
}

var one [2]string // no second check

var mutants = []mutant{
	{"a commit does not sync its writes", "store/kv/bolt_session.go", "NoSync:       copied,", "NoSync: true,", "store", "ACommitSyncsTwice", false, one},
	{"a new plan's name is not synced", "store/files/create.go", "} else if sync {", "} else if false && sync {", "ui/cli", "APowerCut", false, one},
	{"a key is not remembered", "store/save.go", "of.answer(e.Key, fp, part); ok ||", "of.answer(e.Key, fp, part); ok && false ||", "store", "LedgerInMemoryKeepsTheContract", false, one},
	{"an unknown outcome is reported as a failure", "store/kv/bolt_session.go", "metaErr != nil || m.txid == id", "metaErr != nil || m.txid == id && false", "store", "AnErrorAtAnyOperation", false, one},
	{"damage crashes the process", "store/kv/bolt.go", "debug.SetPanicOnFault(true)", "debug.SetPanicOnFault(false)", "store", "DamagedLedgerNeverEnds -tags=soak", false, one},
	{"a record's checksum is not checked", "store/kv/kv.go", "n < 0 || binary", "n < 0 || false && binary", "store", "AValueBelongsToItsKey|DamagedLedgerNeverEnds", false, one},
	// Second check: this ledger's history differs from the copy's, and that is found, but then the error does not name
	// another home.
	{"another home's ledger is accepted", "store/open.go", "id != l.home.ID", "false", "store", "AWrongLedgerIsRefused", false, one},
	{"an older ledger is read", "store/journal_copy.go", "if revision >= known {", "if true {", "store", "AnOlderLedgerIsRefused", false, one},
	{"an older ledger is changed", "store/journal_copy.go", "if err := l.continues(t, end.Last, head); err != nil {", "if err := l.continues(t, end.Last, head); err != nil && false {", "store", "AnOlderLedgerIsRefused", false, one},
	// Second check: the ledger then ends before its copy, and is refused.
	{"changes during a compaction are lost", "store/kv/compact.go", "all = append(all, pair{bytes.Clone(k), append([]byte{}, v...)})", "", "store", "ChangesDuringACompaction", false, one},
	{"the lock is shared", "store/lock/lock.go", "files.Exclusive|files.AtOnce", "files.Shared|files.AtOnce", "store/lock", "BusyNamesTheHolder", false, one},
	{"a waiter gets a shared lock", "store/lock/lock.go", "files.Flock(file, files.Exclusive)", "files.Flock(file, files.Shared)", "store/lock", "LockIsFair", false, one},
	{"a replaced lock file is not noticed", "store/lock/lock.go", "return held.Nlink > 0 && held.Dev == there.Dev && held.Ino == there.Ino", "return true", "store/lock", "ALockFileThatIsGone", true, one},
	{"Ctrl-Z stops inside the lock", "store/lock/lock.go", "suspension.enter()", "", "store/lock", "CtrlZ", false, one},
	{"a plan can change while it is read", "store/files/plan.go", "settled = os.SameFile(before, after) && StatOf(before) == StatOf(after) && int64(len(raw)) == after.Size()", "settled = true", "store/files", "ASwapRace", false, one},
	{"a plan with two names is shown", "store/files/plan.go", "links(info) > 1", "false", "store/files", "WhateverAPlanIs", false, one},
	{"text goes to the terminal as it was written", "model/text.go", `func (t Text) String() string { return rewrite(string(t), " ", " ") }`, "func (t Text) String() string { return string(t) }", "ui/console", "NoTextDrivesTheTerminal", false, one},
	{"the renderer's output is not filtered", "ui/markdown/filter.go", "s = model.Text(text.Whole(s)).String()", "s = text.Whole(s)", "ui/markdown", "HostilePlans", false, one},
	{"a blocked item keeps the focus", "model/step.go", `a.CurrentWorkItemID, a.UpdatedAt = "", s.at.At`, "a.UpdatedAt = s.at.At", "model", "StepAgrees", true, one},
	{"an item is completed twice", "model/step_round.go", "if w.State == Completed {", "if false {", "ui/e2e", "EverySequence", false, one},
	{"a late driver's round is accepted", "model/step_round.go", "if _, err := s.running(s.actingAgent(), c.Turn); err != nil {", "if _, err := s.running(s.actingAgent(), c.Turn); err != nil && false {", "model", "Rules", false, one},
	{"a delivery is carried out again", "ui/runner/delivery.go", `id := deliveryID(r); id != ""`, `id := deliveryID(r); id != "" && false`, "ui/runner", "AReplayedDelivery", false, one},
	{"requests for any host name are served", "ui/runner/serve.go", "!s.hosts[", "false && !s.hosts[", "ui/runner", "ABrowserCannot", false, one},
	{"children that leave their group are not ended", "ui/runner/process.go", "result.Escaped, result.Survivors = r.end()", "", "ui/runner", "NothingOutlives", false, one},
	{"a program sees the whole environment", "ui/runner/process.go", "c.Dir, c.Env = s.Dir, append([]string{}, s.Env...)", "c.Dir, c.Env = s.Dir, append(c.Environ(), s.Env...)", "ui/runner", "NothingOfTheEnvironment", false, one},
	{"git runs a repository's configured programs", "store/threads/run.go", `"core.fsmonitor=false", "core.hooksPath=/dev/null", `, "", "store/threads", "NothingThatTheRepository", false, one},
	{"a line that is no message ends the server", "ui/mcp/lines.go", "return json.NewEncoder(l).Encode(refusal)", "_ = json.NewEncoder(l).Encode(refusal)\n\t\treturn io.EOF", "ui/mcp", "HostileLines", false, one},
	{"a field is accepted in any letter case", "ui/mcp/tools.go", "s.Properties[key]\n\t\t\tif !ok {", "s.Properties[key]\n\t\t\tif !ok && !strings.EqualFold(key, \"plan_status\") {", "ui/mcp", "HostileLines", false, one},
	{"a check skips the chain of the changes", "store/audit_journal.go", "|| p.Prev != was.Hash {", "{", "store", "ACheckFinds", false, one},
	{"a change leaves the head of a part", "store/save.go", "portions.of(d.ChildAgentID)", "_ = d.ChildAgentID", "store", "NothingOfAPartChanges", false, one},
	{"a check does not compare records with the journal", "store/audit.go", "!ok || was != is", "false && (!ok || was != is)", "store", "ACheckFinds", false, one},
	// Second check: the database's own lock still separates two writers.
	{"a change is committed behind a lock file that was replaced", "store/kv/bolt.go", "if !b.Lock.Mine() {", "if false {", "store", "AChangeWhoseLockFile", false, one},
	{"a wait that was given up keeps the lock", "store/lock/lock.go", "unlock(file)", "_ = file", "store/lock", "AWaitThatIsGivenUpPasses", false, one},
	// Second check: a file that is not the one at the path is released after 5 s.
	{"a lock file can be a link", "store/files/open.go", "flag|NoFollow|syscall.O_NONBLOCK", "flag|syscall.O_CLOEXEC|syscall.O_NONBLOCK", "store/lock", "ALockIsNoLink", false, one},
	{"another home's backup is restored", "store/recovery/source.go", "case a.Home != r.home.ID:", "case false:", "store", "AnotherHomesBackup", false, one},
	{"an unproven snapshot is used", "store/recovery/source.go", "health, err := store.Prove(", "health, _ := store.Prove(", "store", "ASnapshotIsProven", false, one},
	{"a restore does not compare the changes that it makes again", "store/redo.go", "err != nil || !bytes.Equal(have, v.Bytes)", "err != nil || false && !bytes.Equal(have, v.Bytes)", "store", "ARestoreStops", false, one},
	{"a restore goes on after a gap", "store/recovery/source.go", "f.Revision != last+1 && f.Revision > r.home.Since ||", "last == 0 && false ||", "store", "ARestoreStops", false, [2]string{"store.Redo(t, c); err != nil {", "store.Redo(t, c); err != nil && !errors.Is(err, store.ErrDiffers) {"}},
	{"a key answers another agent's command", "store/save.go", "of.answer(e.Key, fp, part); ok ||", "of.answer(e.Key, fp, \"\"); ok ||", "store", "LedgerInMemoryKeepsTheContract", false, one},
	{"a new ledger's directory is not synced", "store/kv/bolt_session.go", "return m.SyncDir(filepath.Dir(path))", "_ = filepath.Dir\n\treturn nil", "store", "ANewLedgersDirectory", false, one},
	{"the history's copy is not synced with home.json", "store/open.go", "if err := l.journal.Sync(); err != nil {\n\t\t\treturn err\n\t\t}\n\t\th.Revision", "h.Revision", "store", "TheCopyIsOnTheDisk", false, one},
	{"only two digits of a capability are compared", "ui/runner/delivery.go", "[]byte(hashToken(token)), []byte(in.TokenHash))", "[]byte(hashToken(token))[:2], []byte(in.TokenHash + \"..\")[:2])", "ui/runner", "ATokenIsComparedWhole", false, one},
	{"any host with our port is served", "ui/runner/serve.go", "if !s.hosts[strings.ToLower(r.Host)] &&", "if _, port, _ := net.SplitHostPort(r.Host); !s.hosts[\"localhost:\"+port] &&", "ui/runner", "ABrowserCannot", false, one},
	// Second check: the service asks first, the rules decide.
	{"a revoked capability delivers", "model/step_ingress.go", "if !ok || in.Revoked {", "if !ok {", "model", "Rules", false, one},
	{"another server's completion counts as ours", "ui/transcript/transcript.go", "if name, ours := OurTool(tool); !ours || name != \"CompleteWorkItem\" {", "if !strings.HasSuffix(tool, \"CompleteWorkItem\") {", "ui/transcript", "OfAForeign", false, [2]string{"if !IsOurs(tool) {", "if false {"}},
	{"a silent completion gets the words of the one before it", "ui/acp/replies.go", "isTold = false", "isTold = true", "ui/acp", "ARoundIsOneReply", false, one},
	{"words are a report although it cannot be told of which completion", "ui/acp/replies.go", "of = model.ReportNearRound", "of = model.ReportSameRound", "ui/acp", "ARoundIsOneReply", false, one},
	{"a refused completion counts", "ui/acp/toolcall.go", "if failed || !transcript.Succeeded(answer) {", "if failed || len(answer) == 0 {", "ui/acp", "ARoundIsOneReply", false, one},
	{"U+034F is written as it is", "model/text.go", "case r == '\\t', ", "case r == 0x034F, r == '\\t', ", "model", "HostileText", false, one},
	{"a change fails if its answer cannot be read", "store/home/apply.go", "if err == nil {\n\t\t\tout = now\n\t\t} else {", "if err != nil {\n\t\t\treturn now, in, err\n\t\t} else if out = now; false {", "ui/cli", "WhatIsSavedIsSaid", false, one},
	{"a commit on a cluster does not compare the heads", "store/etcd/commit.go", "for part, changed := range t.heads {\n\t\tunchanged(headOf(part), changed)", "for range t.heads {", "store/etcd", "PartsThatWereRead", false, one},
	{"a commit on a cluster compares a part's keys, not its head", "store/etcd/commit.go", "for part, changed := range t.heads {\n\t\tunchanged(headOf(part), changed)", "for part := range t.heads {\n\t\ts := beginning(spaceParts + string(part) + \"/\")\n\t\tall = append(all, clientv3.Compare(clientv3.ModRevision(t.b.root+s.from), \"<\", t.at+1).WithRange(t.b.root+s.to))", "store/etcd", "AKeyThatIsDeleted", false, one},
	{"a change on a cluster leaves the head", "store/etcd/commit.go", "[tableHead+string(part)]; !ok {", "[tableHead+string(part)]; !ok && false {", "store/etcd", "APartIsNotChanged", false, one},
	{"a commit on a cluster does not compare what was not there", "store/etcd/commit.go", "for path, changed := range t.compared {\n", "for path, changed := range t.compared {\n\t\tif changed == 0 {\n\t\t\tcontinue\n\t\t}\n", "store/etcd", "ANewIDIsCompared", false, one},
	{"a transaction on a cluster reads what is newest", "store/etcd/txn.go", "if t.at != 0 {\n\t\toptions", "if false {\n\t\toptions", "store", "EtcdKeepsTheContract", false, one},
	{"a commit on a cluster whose answer was lost is not asked for", "store/etcd/commit.go", "if unsure {", "if false {", "store/etcd", "ALostAnswer", false, one},
	{"a commit on a cluster does not compare the lease of its turn", "store/etcd/lease.go", "compares = append(compares, clientv3.Compare(clientv3.CreateRevision(t.b.root+path), \"=\", f.created))", "_ = f.created", "store/etcd", "ALeaseThatEnds", false, one},
	{"a tick on a cluster does not compare the claim", "store/etcd/lease.go", "t.fenceShard()", "", "store/etcd", "SchedulersDivide", false, one},
	{"a clock ends a turn on a cluster", "model/agent.go", "case t.Lives != nil:", "case t.Lives != nil && false:", "store/etcd", "AClockThatIsHoursWrong", false, one},
	{"a change on a cluster does not compare what was read before it", "store/etcd/txn.go", "if r.part != \"\" {\n\t\t\tt.heads", "if _, read := got[r]; read && r.part != \"\" {\n\t\t\tt.heads", "store/etcd", "AMirrorHas", false, one},
	{"a new id on a cluster is not compared", "store/etcd/txn.go", "t.compared[record.from] = 0", "", "store/etcd", "ANewIDIsCompared", false, one},
	{"an item is imported for two agents of a cluster", "store/etcd/txn.go", "t.scanned[beginning(spaceShown+tableHead)] = true", "", "store/etcd", "ANewIDIsCompared", false, one},
	{"a key on a cluster that was not looked for is not compared", "store/etcd/txn.go", "t.assumed, t.compared[path] = true, 0", "t.assumed = true", "store/etcd", "ALostAnswer", false, one},
	{"the archive of a cluster deletes what it did not write to the disk", "store/transfer/archive.go", "cmp.Or(j.Sync(), ", "cmp.Or(error(nil), ", "store", "AnArchiverThatEnds", false, one},
	{"the archive of a cluster leaves no answers", "store/transfer/archive.go", "if x.Seq > h.PrunedSeq {", "if false {", "store", "ArchiveAndTheCluster", false, one},
	{"news on a cluster comes from the history", "store/news.go", "if !r.Txn.Counts() {", "if true {", "store/etcd", "ComesLate", false, one},
	{"an unanswered retry hides an unknown outcome", "store/home/apply.go", "unknown != nil && err != nil && !judged(err)", "false && unknown != nil && !judged(err)", "ui/cli", "AnUnknownOutcomeNames", false, one},
}

// fewestMutants only rises: a mutant whose code goes is replaced by one in what replaces it.
const fewestMutants = 62

// Each fault can still be planted: its file holds what it replaces.
func TestEachMutantApplies(t *testing.T) {
	if len(mutants) < fewestMutants {
		t.Errorf("%d mutants, of %d", len(mutants), fewestMutants)
	}
	root, err := filepath.Abs("../..")
	must(t, err)
	for _, m := range mutants {
		m.text(t, root)
	}
}

// For each planted fault a test fails that guards against it. The short run plants two.
func TestEachPlantedFaultIsFound(t *testing.T) {
	storetest.Slow(t)
	tool := storetest.Needs(t, "go")
	root, err := filepath.Abs("../..")
	must(t, err)
	for _, m := range mutants {
		if m.everyTime || storetest.Long {
			t.Run(m.name, func(t *testing.T) {
				if strings.Contains(m.name, "cluster") {
					storetest.EtcdServer(t)
				}
				m.mustBeFound(t, tool, root, m.planted(t, root))
			})
		}
	}
}

func (m mutant) mustBeFound(t *testing.T, tool, root, overlay string) {
	end, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := append([]string{"test", "-overlay", overlay, "-count=1", "-timeout=90s", "-run"}, strings.Fields(m.run)...)
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

// text returns the file with the fault.
func (m mutant) text(t *testing.T, root string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		t.Errorf("%s: %v", m.name, err)
	}
	text := string(raw)
	for _, x := range [][2]string{{m.from, m.to}, m.also} {
		if !strings.Contains(text, x[0]) {
			t.Errorf("%s: %s does not hold %q", m.name, m.file, x[0])
		}
		if x[0] != "" {
			text = strings.ReplaceAll(text, x[0], x[1])
		}
	}
	return text
}

// planted writes the copy with the fault, and the overlay that replaces its file.
func (m mutant) planted(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	copied := filepath.Join(dir, filepath.Base(m.file))
	must(t, os.WriteFile(copied, []byte(m.text(t, root)), 0o600))
	return overlayOf(t, dir, map[string]string{filepath.Join(root, m.file): copied})
}

// overlayOf writes the file that go -overlay reads, in dir: which file replaces which.
func overlayOf(t *testing.T, dir string, replace map[string]string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	must(t, err)
	path := filepath.Join(dir, "overlay.json")
	must(t, os.WriteFile(path, raw, 0o600))
	return path
}

// finder returns the first test that failed.
func finder(out string) string {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			return name
		}
	}
	return "the end of its process"
}
