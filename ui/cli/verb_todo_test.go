package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
)

// todoCLI runs verbs of vise todo in one repository; at each call its clock is a minute later.
type todoCLI struct {
	t     *testing.T
	dir   string
	at    time.Time
	stdin string
}

func newTodoCLI(t *testing.T) *todoCLI {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &todoCLI{t: t, dir: dir, at: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
}

func (c *todoCLI) run(args ...string) (out, complaints string, status int) {
	c.at = c.at.Add(time.Minute)
	return runIn(c.dir, c.at, c.stdin, append([]string{"todo"}, args...)...)
}

// todoAnswer is the output of --json, for success or an error.
type todoAnswer struct {
	Schema   string          `json:"schema"`
	Data     json.RawMessage `json:"data"`
	Warnings []model.Warning `json:"warnings"`
	Error    struct {
		Code, Message, Hint, Field, Rule string
	} `json:"error"`
	status int
}

func (c *todoCLI) json(args ...string) todoAnswer {
	c.t.Helper()
	out, complaints, status := c.run(slices.Insert(slices.Clone(args), 1, "--json")...)
	var a todoAnswer
	if err := json.Unmarshal([]byte(out), &a); err != nil || strings.Count(out, "\n") != 1 {
		c.t.Fatalf("vise todo %s printed %q, complained %q", strings.Join(args, " "), out, complaints)
	}
	a.status = status
	return a
}

// ok runs a verb that must succeed.
func (c *todoCLI) ok(args ...string) todoAnswer {
	c.t.Helper()
	a := c.json(args...)
	if a.status != 0 || a.Schema != "vise.v1.todo."+args[0] {
		c.t.Fatalf("vise todo %s: exit %d, %+v", strings.Join(args, " "), a.status, a)
	}
	return a
}

// field returns a value of the data: "todo.status", "created.0.id".
func (a todoAnswer) field(path string) string {
	var v any
	if err := json.Unmarshal(a.Data, &v); err != nil {
		return err.Error()
	}
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				return "no " + path
			}
			v = at[i]
		}
	}
	return fmt.Sprint(v)
}

const todoSessionFlag = "--session=tmp/review/s1"

func (c *todoCLI) create(title string, more ...string) {
	c.t.Helper()
	c.ok(append([]string{"create", title, "--source=review", todoSessionFlag}, more...)...)
}

func TestAFindingGoesFromTheReportToItsFix(t *testing.T) {
	c := newTodoCLI(t)
	c.create("SQL injection", "--priority=p1", "--files=src/db.go", "--finding=SEC-001", "--ref=TOME.md")
	c.create("Slow list", "--priority=p3", "--ready")
	if got := c.ok("create", "again", "--source=review", "--finding=SEC-001", "--ref=TOME.md"); got.field("skipped.0.existing") != "review/001" {
		t.Errorf("the same finding again: %s", got.Data)
	}
	if got := c.ok("triage"); got.field("todos.0.id") != "review/001" || got.field("pending") != "1" {
		t.Errorf("triage shows %s", got.Data)
	}
	c.ok("triage", "1", "--approve")
	claimed := c.ok("next", "--claim", "--as=smith-1", "--lease=30m")
	if claimed.field("todo.id") != "review/001" || claimed.field("todo.assigned_to") != "smith-1" || !strings.HasPrefix(claimed.field("todo.lease.id"), "cli-") {
		t.Errorf("claimed %s", claimed.Data)
	}
	c.ok("block", "001", "--on=review/002", "--as=smith-1")
	started := c.ok("start", "2", "--as=smith-2")
	c.ok("complete", "2", "--reason=made it fast", "--as=smith-2", "--fence="+started.field("todo.lease.id"))
	c.ok("start", "1", "--as=smith-1")
	c.ok("log", "1", "Fix", "--did=parameters", "--as=smith-1")
	c.ok("complete", "1", "--reason=uses parameters", "--as=smith-1")
	if got := c.ok("list"); got.field("summary.by_status.complete") != "2" {
		t.Errorf("list %s", got.Data)
	}
	if got := c.ok("validate"); got.field("problems") != "[]" {
		t.Errorf("validate %s", got.Data)
	}
	c.ok("reopen", "1", "regression")
	if got := c.ok("show", "1"); got.field("todo.status") != "in_progress" || got.field("todo.history.6.reason") != "regression" {
		t.Errorf("reopened as %s", got.Data)
	}
}

func TestEveryErrorHasItsCodeAndExitStatus(t *testing.T) {
	c := newTodoCLI(t)
	if a := c.json("list"); a.status != 3 || a.Error.Code != "not_found" || a.Error.Hint == "" {
		t.Errorf("without a session: %+v", a)
	}
	c.create("one")
	c.create("two", "--ready")
	c.ok("start", "2", "--as=smith-1")
	for _, w := range []struct {
		args   string
		status int
		code   string
		field  string
		rule   string
	}{
		{"list --status=done", 2, "invalid", "status", "unknown_value"},
		{"list --priority=p9", 2, "invalid", "priority", "unknown_value"},
		{"list --source=reviw", 2, "invalid", "source", "unknown_value"},
		{"next --source=../x", 2, "invalid", "source", "source_name"},
		{"show 404", 3, "not_found", "id", "not_found"},
		{"start 1", 6, "refused", "status", "no_transition"},
		{"start 2 --as=smith-2", 4, "conflict", "assigned_to", "already_claimed"},
		{"complete 2 --reason=x --as=smith-2", 6, "not_owner", "assigned_to", "not_claimant"},
		{"complete 2 --reason=x --as=smith-1 --fence=old", 4, "conflict", "lease", "claim_lost"},
		{"complete 2 --as=smith-1", 6, "refused", "resolution_reason", "resolution_fields"},
		{"block 2 --as=smith-1", 6, "refused", "dependencies", "blocked_on"},
		{"block 2 --on=review/404 --as=smith-1", 6, "refused", "dependencies", "dangling_dependency"},
		{"resolve 1 because", 6, "refused", "resolution", "resolution_fields"},
		{"resolve 1 --wont-fix", 6, "refused", "resolution_reason", "resolution_fields"},
		{"resolve 1 same --duplicate-of=review/404", 6, "refused", "duplicate_of", "duplicate_target"},
		{"reopen 1", 6, "refused", "status", "not_final"},
		{"triage 1 --approve --defer", 2, "invalid", "defer", ""},
		{"triage 1", 2, "invalid", "", ""},
		{"create x", 0, "", "", ""},
		{"create", 2, "invalid", "title", ""},
		{"create x --source=a/b", 2, "invalid", "source", "source_name"},
		{"create x --priority=high", 2, "invalid", "priority", "unknown_value"},
		{"create x --depends=review/404", 6, "refused", "dependencies", "dangling_dependency"},
		{"list --session=/etc", 2, "invalid", "session", ""},
		{"list --session=tmp/../..", 2, "invalid", "session", ""},
		{"list --session=tmp/no/such", 3, "not_found", "session", ""},
		{"cleanup --remove", 2, "invalid", "flags", ""},
		{"import missing.json", 3, "not_found", "file", ""},
		{"import -", 2, "invalid", "format", ""},
		{"import - --format=xml", 2, "invalid", "format", ""},
		{"dance", 2, "invalid", "verb", ""},
		{"list --no-such-flag", 2, "invalid", "flags", ""},
	} {
		a := c.json(strings.Fields(w.args)...)
		e := a.Error
		if a.status != w.status || e.Code != w.code || e.Field != w.field || e.Rule != w.rule {
			t.Errorf("%s: exit %d %+v, want %+v", w.args, a.status, e, w)
		}
	}
}

func TestNothingToDoSaysWhyAndExitsWith3(t *testing.T) {
	c := newTodoCLI(t)
	c.create("one")
	if a := c.json("next"); a.status != 3 || a.field("nothing") != "none_ready" {
		t.Errorf("next: %d %s", a.status, a.Data)
	}
	if a := c.json("next", "--claim", "--priority=p1"); a.status != 3 || a.field("nothing") != "none" {
		t.Errorf("next of p1: %d %s", a.status, a.Data)
	}
}

func TestTriageTakesReasonsAndUndoes(t *testing.T) {
	c := newTodoCLI(t)
	for i := range 12 {
		c.create(fmt.Sprintf("finding %d", i), "--priority=p"+fmt.Sprint(1+i%3))
	}
	if a := c.ok("triage"); a.field("pending") != "12" || a.field("todos.9.id") == "no todos.9.id" || a.field("todos.10.id") != "no todos.10.id" {
		t.Errorf("not ten at a time: %s", a.Data)
	}
	c.ok("triage", "1", "--false-positive", "--reason=constant")
	c.ok("triage", "4", "--duplicate-of=review/007", "--reason=same")
	c.ok("triage", "2", "--priority=p1")
	c.ok("triage", "5", "--defer")
	if a := c.ok("triage", "--all-p3", "--out-of-scope", "--reason=next quarter"); a.field("todos.3.resolution") != "out_of_scope" {
		t.Errorf("p3 as one: %s", a.Data)
	}
	c.ok("resolve", "1", "--undo")
	if a := c.ok("list", "--status=pending"); a.field("summary.total") != "7" || a.field("todos.0.id") != "review/001" {
		t.Errorf("still pending: %s", a.Data)
	}
	if a := c.json("reopen", "4", "--as=smith"); a.status != 6 || a.Error.Rule != "operator_only" {
		t.Errorf("an agent reopened: %+v", a)
	}
}

func TestEveryImportIsRepeatable(t *testing.T) {
	c := newTodoCLI(t)
	reports := map[string]string{
		"TOME.md":      "<!-- RUNE:FINDING nonce=\"n\" id=\"SEC-1\" file=\"a.go\" line=\"1\" severity=\"P1\" -->\n### SEC-1: Hole\n",
		"lint.sarif":   `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleId":"R","message":{"text":"m"}}]}]}`,
		"vet.json":     "# p\n{\"p\":{\"printf\":[{\"posn\":\"a.go:1:1\",\"message\":\"m\"}]}}\n",
		"golangci.out": `{"Issues":[{"FromLinter":"l","Text":"t","Pos":{"Filename":"a.go","Line":1}}]}`,
	}
	for name, content := range reports {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		first, second := c.ok("import", name, todoSessionFlag), c.ok("import", name, todoSessionFlag)
		if first.field("created.0.status") != "pending" || second.field("created") != "[]" || second.field("skipped.0.existing") != first.field("created.0.id") {
			t.Errorf("%s: %s then %s", name, first.Data, second.Data)
		}
	}
	c.stdin = reports["vet.json"]
	if a := c.ok("import", "-", todoSessionFlag); a.field("created") != "[]" {
		t.Errorf("from standard input: %s", a.Data)
	}
}

func TestDamagedFilesAreWarnedOfAndTheRestWorks(t *testing.T) {
	c := newTodoCLI(t)
	c.create("one", "--ready")
	bad := filepath.Join(c.dir, "tmp/review/s1/todos/review/002-pending-p1-x.md")
	if err := os.WriteFile(bad, []byte("---\nstatus: [\x1b[2J\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := c.ok("list")
	if a.field("damaged.0.file") != "002-pending-p1-x.md" || len(a.Warnings) != 1 {
		t.Errorf("list: %s %v", a.Data, a.Warnings)
	}
	if v := c.json("validate"); v.status != 6 {
		t.Errorf("validate exits with %d", v.status)
	}
	if a := c.ok("next", "--claim"); a.field("todo.id") != "review/001" {
		t.Errorf("next: %s", a.Data)
	}
}

func TestASessionIsCleanedUp(t *testing.T) {
	c := newTodoCLI(t)
	c.create("one", "--ready")
	c.create("two")
	c.ok("start", "1", "--as=smith", "--pid=1")
	if a := c.ok("cleanup", "--as=stranger"); a.field("todos") != "[]" || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0].Message, "smith holds it") {
		t.Errorf("somebody else's cleanup: %s %v", a.Data, a.Warnings)
	}
	if a := c.ok("cleanup", "--as=smith"); a.field("todos.0.status") != "interrupted" {
		t.Errorf("cleanup: %s", a.Data)
	}
	if a := c.ok("resume"); a.field("todos.0.status") != "ready" {
		t.Errorf("resume: %s", a.Data)
	}
	if a := c.ok("resume"); a.field("todos") != "[]" {
		t.Errorf("resume: %s", a.Data)
	}
	c.ok("resolve", "1", "no longer", "--out-of-scope")
	c.ok("resolve", "2", "no longer", "--out-of-scope")
	c.ok("create", "three", "--source=review", "--session=tmp/review/s2")
	if err := os.RemoveAll(filepath.Join(c.dir, "tmp/review/s1")); err != nil { // by hand
		t.Fatal(err)
	}
	if a := c.ok("sessions"); a.field("sessions.0.session") != "tmp/review/s2/todos" || a.field("sessions.1") != "no sessions.1" {
		t.Errorf("sessions: %s", a.Data)
	}
}

func TestWaitingAlikeAndStaleTodosAreTold(t *testing.T) {
	c := newTodoCLI(t)
	c.create("SQL injection in query", "--ready", "--files=src/db.go:10", "--finding=SEC-1", "--ref=T")
	c.create("SQL injection in query", "--ready", "--files=src/db.go:12", "--finding=SEC-2", "--ref=T", "--depends=review/001")
	if a := c.ok("list", "--waiting"); a.field("todos.0.waiting_on.0.on") != "review/001" {
		t.Errorf("waiting: %s", a.Data)
	}
	if a := c.ok("validate"); a.field("problems.0.rule") != "looks_alike" || a.field("problems.0.todo") != "review/002" {
		t.Errorf("validate: %s", a.Data)
	}
	if a := c.ok("list", "--stale"); a.field("todos") != "[]" {
		t.Errorf("stale: %s", a.Data)
	}
}

func TestTheTreeHasEveryVerb(t *testing.T) {
	var got []string
	for _, c := range todoVerb().verbs {
		got = append(got, c.name())
	}
	for _, verb := range strings.Fields("create triage list next start block resolve complete reopen interrupt resume validate cleanup import show log sessions") {
		if !slices.Contains(got, verb) {
			t.Errorf("no verb %s", verb)
		}
	}
}
