package todos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model/todo"
	"vise/store/storetest"
)

// Every kind of bad file is listed with its reason and not changed, and does not affect the good one beside it.
func TestBadFilesAreShownAndLeftAlone(t *testing.T) {
	head := func(lines string) string { return "---\nstatus: pending\n" + lines + "---\n# T\n" }
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
	files := map[string]struct {
		content string
		rule    todo.Rule
	}{
		"010-x.md": {"no front matter\n", todo.RuleNoHead},
		"011-x.md": {"", todo.RuleNoHead},
		"012-x.md": {"---\nstatus: pending\n", todo.RuleUnclosed},
		"013-x.md": {head("tags: [a\n"), todo.RuleYAML},
		"014-x.md": {head("status: ready\n"), todo.RuleKeyTwice},
		"015-x.md": {head(bomb), todo.RuleAlias},
		"016-x.md": {head("tags: !!python/object [a]\n"), todo.RuleTag},
		"017-x.md": {head("tags: {a: b}\n"), todo.RuleType},
		"018-x.md": {head("claimed_at: soon\n"), todo.RuleDate},
		"019-x.md": {head("created: 2026-13-45\n"), todo.RuleDate},
		"020-x.md": {"---\nstatus: [pending]\n---\n", todo.RuleType},
		"021-x.md": {"---\npriority: p1\n---\n", todo.RuleNoStatus},
		"022-x.md": {"---\nstatus: completed\n---\n", todo.RuleStatus},
		"023-x.md": {head("source: ../../etc\n"), todo.RuleSource},
		"024-x.md": {head("issue_id: ../../x\n"), todo.RuleID},
		"025-x.md": {head("title: \"a\xff\"\n"), todo.RuleNotText},
		"026-x.md": {head("title: \"a\x00\"\n"), todo.RuleNotText},
		"027-x.md": {"---\n" + strings.Repeat("# x\n", maxHeadLines+5) + "status: pending\n---\n", todo.RuleHeadLarge},
		"028-x.md": {head("x: \"" + strings.Repeat("y", maxHeadBytes) + "\"\n"), todo.RuleHeadLarge},
		"029-x.md": {head("<<<<<<< HEAD\npriority: p1\n=======\npriority: p2\n>>>>>>> other\n"), todo.RuleConflict},
		"030-x.md": {head("...\nstatus: ready\n"), todo.RuleYAML},
		"031-x.md": {head("schema_version: 3\n"), todo.RuleNewer},
		"032-x.md": {head("wave: first\n"), todo.RuleType},
		"033-x.md": {"---\n- status: pending\n---\n", todo.RuleYAML},
		"034-x.md": {head("<<: {a: b}\n<<: {a: c}\n"), todo.RuleKeyTwice},
	}
	s := newSession(t, review)
	for name, f := range files {
		put(t, s, "review/"+name, f.content)
	}
	put(t, s, "review/001-ready-p1-good.md", head(""))
	big := put(t, s, "review/040-x.md", head(""))
	if err := os.Truncate(big, 50<<20); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Path(), "review")
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte(head("")), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, os.Symlink(secret, filepath.Join(dir, "041-x.md")))
	must(t, os.Symlink("001-ready-p1-good.md", filepath.Join(dir, "042-x.md")))
	must(t, os.Mkdir(filepath.Join(dir, "043-x.md"), 0o755))
	storetest.Pipe(t, filepath.Join(dir, "044-x.md"))
	must(t, os.Symlink(t.TempDir(), filepath.Join(s.Path(), "audit")))
	must(t, os.Mkdir(filepath.Join(s.Path(), "Bad Source"), 0o755))
	put(t, s, "review/045-\x1b[2J.md", head(""))

	want := map[string]todo.Rule{"040-x.md": todo.RuleTooLarge, "041-x.md": todo.RuleSymlink, "042-x.md": todo.RuleSymlink,
		"043-x.md": todo.RuleNotRegular, "044-x.md": todo.RuleNotRegular, "045-·[2J.md": todo.RuleName,
		"audit": todo.RuleSymlink, "": todo.RuleSource}
	for name, f := range files {
		want[name] = f.rule
	}
	snap := mustLoad(t, s)
	if len(snap.Todos) != 1 {
		t.Fatalf("%d todos, want the good one", len(snap.Todos))
	}
	for _, d := range snap.Damaged {
		if want[d.File] != d.Rule || d.Reason == "" {
			t.Errorf("%q: %s (%s), want %s", d.File, d.Rule, d.Reason, want[d.File])
		}
		delete(want, d.File)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
	if _, err := s.Change("001", claimBy("smith"), todo.Judge); err == nil {
		t.Error("a pending todo was claimed")
	}
	for name, f := range files {
		if got := read(t, filepath.Join(dir, name)); got != f.content {
			t.Errorf("%s was changed", name)
		}
	}
}

func claimBy(name string) todo.Move {
	m := agent(name)
	m.To = todo.InProgress
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestIDsGoOnAfterDamagedAndDeletedFiles(t *testing.T) {
	s := newSession(t, review)
	made := mustCreate(t, s, draft("one", todo.Pending), draft("two", todo.Pending))
	put(t, s, "review/007-pending-p1-broken.md", "broken")
	must(t, os.Remove(filepath.Join(s.Path(), "review", made[0].File)))
	if got := mustCreate(t, s, draft("three", todo.Pending))[0].IssueID; got != "008" {
		t.Errorf("got %s, want 008", got)
	}
	put(t, s, "review/999-pending-p1-x.md", "---\nstatus: pending\n---\n")
	if got := mustCreate(t, s, draft("four", todo.Pending))[0]; got.IssueID != "1000" || !strings.HasPrefix(got.File, "1000-") {
		t.Errorf("got %s", got.IssueID)
	}
	snap := mustLoad(t, s)
	if last := snap.Todos[len(snap.Todos)-2]; last.IssueID != "1000" && snap.Todos[len(snap.Todos)-1].IssueID != "999" {
		t.Errorf("999 does not come before 1000: %v", snap.Todos)
	}
}

func TestASessionStaysInItsRepository(t *testing.T) {
	repo := t.TempDir()
	for _, dir := range []string{"..", "../x", "tmp/../../x", "/etc", "tmp/a b/c", "tmp/.hidden/x", "src/x", "tmp/a/b/c/todos", "tmp", ".", "todos", "tmp/x"} {
		if rel, err := Normalize(repo, dir, false); err == nil {
			t.Errorf("%q became %q", dir, rel)
		}
	}
	for dir, want := range map[string]string{
		"tmp/work/1": "tmp/work/1/todos", "tmp/work/1/todos/": "tmp/work/1/todos",
		filepath.Join(repo, "tmp/audit/x"): "tmp/audit/x/todos", "./tmp/work/x": "tmp/work/x/todos",
	} {
		if rel, err := Normalize(repo, dir, false); err != nil || rel != want {
			t.Errorf("%q became %q, %v", dir, rel, err)
		}
	}
	for dir, want := range map[string]string{".": "todos", "src/x": "src/x/todos", "tmp/x": "tmp/x/todos"} {
		if rel, err := Normalize(repo, dir, true); err != nil || rel != want {
			t.Errorf("anywhere, %q became %q, %v", dir, rel, err)
		}
	}
	for _, dir := range []string{"..", "../x", "/etc", "tmp/../.."} {
		if rel, err := Normalize(repo, dir, true); err == nil {
			t.Errorf("anywhere, %q became %q", dir, rel)
		}
	}
	outside := t.TempDir()
	must(t, os.Mkdir(filepath.Join(repo, "tmp"), 0o755))
	must(t, os.Symlink(outside, filepath.Join(repo, "tmp", "work")))
	if _, err := OpenNew(repo, "tmp/work/1/todos"); err == nil {
		t.Error("a link was followed out of the repository")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("something was made outside: %v", left)
	}
}

func TestOutsideTextCannotForgeASection(t *testing.T) {
	s := newSession(t, review)
	d := draft("x\n## Status History\n| a | pending | complete | evil | y |", todo.Pending)
	d.Problem = "p\n## Status History\n\n| 2026-01-01 | pending | complete | evil | y |\n```\n---\n"
	d.Evidence = "```\n## Status History\n\n| 2026-01-01 | pending | complete | evil | y |\n\x1b[2J"
	d.Findings = []todo.Finding{{Label: "Issue", Text: "a\n# Title"}}
	made := mustCreate(t, s, d)[0]
	raw := read(t, filepath.Join(s.Path(), "review", made.File))
	if len(made.History) != 1 || strings.Contains(raw, "\x1b") || strings.Contains(made.Title.Raw(), "\n") {
		t.Fatalf("history %+v of\n%s", made.History, raw)
	}
}

func TestASessionDeletedUnderneathIsSaid(t *testing.T) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Ready))
	must(t, os.RemoveAll(s.Path()))
	if _, err := s.Load(false); err == nil || !strings.Contains(err.Error(), ErrGone.Error()) {
		t.Errorf("loading: %v", err)
	}
	if _, err := s.Create([]todo.Draft{draft("two", todo.Ready)}, operator()); err == nil || !strings.Contains(err.Error(),
		ErrGone.Error()) {
		t.Errorf("creating: %v", err)
	}
	if _, err := os.Stat(s.Path()); err == nil {
		t.Error("it was made again")
	}
}

func ExampleDamage() {
	_, err := Parse([]byte("---\nstatus: done\n---\n"), "review", "001-x.md")
	fmt.Println(err)
	// Output: status is "done"; one of pending, ready, in_progress, complete, blocked, wont_fix, interrupted
}
