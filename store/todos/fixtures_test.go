package todos

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model/todo"
)

func TestFixturesReadWithoutLoss(t *testing.T) {
	for _, part := range []string{"one_per_status", "session_work_1771991022", "legacy_shapes"} {
		files := fixtureFiles(t, part)
		if len(files) == 0 {
			t.Fatalf("%s has no todo files", part)
		}
		for _, file := range files {
			raw := read(t, file)
			got, err := Parse([]byte(raw), filepath.Base(filepath.Dir(file)), filepath.Base(file))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			same, err := edit([]byte(raw), todo.Diff(got, got), nil, nil)
			if err != nil || string(same) != raw {
				t.Errorf("%s: not identical though nothing changed: %v", file, err)
			}
			if got.Title == "" || got.IssueID == "" || got.Source == "" {
				t.Errorf("%s: read as %+v", file, got)
			}
		}
	}
}

// The reader understands everything in a schema 2 file: writing what was read gives the file's front matter again,
// except for the notation of lists.
func TestFixturesOfSchema2AreUnderstoodWhole(t *testing.T) {
	for _, file := range fixtureFiles(t, "one_per_status") {
		raw := read(t, file)
		got, err := Parse([]byte(raw), "review", filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := split(raw)
		if want := string(Render(got, todo.Draft{}, todo.Note{})); !strings.HasPrefix(want, "---\n"+doc.head+"---\n") {
			t.Errorf("%s reads as\n%s", file, want)
		}
		for _, p := range todo.Check(got) {
			t.Errorf("%s: %+v", file, p)
		}
	}
}

func TestEveryInvalidFixtureIsRefusedByItsRule(t *testing.T) {
	want := map[string]todo.Rule{
		"001-pending-p1-complete-without-completion.md":  todo.RuleCompletion,
		"003-pending-p1-duplicate-without-target.md":     todo.RuleDuplicate,
		"004-ready-p1-in-progress-unassigned.md":         todo.RuleClaim,
		"005-pending-p1-bad-status.md":                   todo.RuleStatus,
		"008-pending-p1-cycle-a.md":                      todo.RuleCycle,
		"009-pending-p1-cycle-b.md":                      todo.RuleCycle,
		"012-pending-p1-broken-frontmatter.md":           todo.RuleUnclosed,
		"002-pending-p1-wont-fix-without-reason.md":      todo.RuleResolution,
		"006-pending-p1-dangling-dependency.md":          todo.RuleDangling,
		"007-pending-p1-self-dependency.md":              todo.RuleSelf,
		"010-pending-p1-related-one-way.md":              todo.RuleRelated,
		"011-pending-p1-wont-fix-without-resolution.md":  todo.RuleResolution,
		"013-pending-p1-resolution-without-category.md":  todo.RuleResolution,
		"014-pending-p1-duplicate-of-unknown-target.md":  todo.RuleDuplicate,
		"015-pending-p1-unknown-resolution-category.md":  todo.RuleValue,
		"016-pending-p1-interrupted-without-a-reason.md": todo.RuleInterrupted,
	}
	files := fixtureFiles(t, "invalid")
	s := newSession(t, review)
	for _, file := range files {
		put(t, s, filepath.Join("review", filepath.Base(file)), read(t, file))
	}
	snap := mustLoad(t, s)
	got := map[string][]todo.Rule{}
	for _, d := range snap.Damaged {
		got[d.File] = append(got[d.File], d.Rule)
	}
	for _, p := range todo.CheckAll(snap.Index) {
		if p.Severity != todo.Info {
			got[p.File] = append(got[p.File], p.Rule)
		}
	}
	for _, file := range files {
		name := filepath.Base(file)
		if rule := want[name]; !slices.Contains(got[name], rule) {
			t.Errorf("%s: got %v, want %s", name, got[name], rule)
		}
	}
}

func TestSessionsAreFoundInEveryLayout(t *testing.T) {
	for part, rel := range map[string]string{
		"one_per_status": "tmp/reviews/abc123/todos", "session_work_1771991022": "tmp/work/1771991022/todos",
	} {
		repo := t.TempDir()
		if err := os.CopyFS(repo, os.DirFS(filepath.Join(shared(t), part))); err != nil {
			t.Fatal(err)
		}
		all, err := OpenAll(repo)
		if err != nil || len(all) != 1 || all[0].Rel != rel {
			t.Fatalf("%s: found %v, %v", part, all, err)
		}
		_ = all[0].Close()
	}
	found, err := Discover(filepath.Join(shared(t), "legacy_shapes"))
	if err != nil || len(found) != 4 {
		t.Fatalf("found %+v, %v", found, err)
	}
}
