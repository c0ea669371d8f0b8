package cli

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vise/model"
)

// write makes a Holon agent's directory of files.
func writeHolon(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readHolonFiles(t *testing.T, files map[string]string) holonLedger {
	t.Helper()
	l, err := readHolon(t.Context(), writeHolon(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func onlyItem(t *testing.T, l holonLedger) model.Imported {
	t.Helper()
	if len(l.Agents) != 1 || len(l.Agents[0].Items) != 1 {
		t.Fatalf("got %+v, want one agent with one item", l)
	}
	return l.Agents[0].Items[0]
}

const holonItems = ".holon/ledger/work_items.jsonl"

func TestTheLastSnapshotOfAnIdCounts(t *testing.T) {
	l := readHolonFiles(t, map[string]string{holonItems: `
{"id":"work_1","objective":"first words","state":"open","revision":1}
{"id":"work_2","objective":"another","state":"completed","revision":4,"result_summary":"done"}

{"id":"work_1","objective":"last words","state":"open","revision":2,"plan_status":"ready"}`})
	a := l.Agents[0]
	if w := a.Items[0].Item; w.Objective != "last words" || w.Revision != 2 || w.PlanStatus != model.Ready || w.AgentID != "default" {
		t.Errorf("got %+v", w)
	}
	if want := (holonCounts{WorkItems: 2, Open: 1, Completed: 1}); !reflect.DeepEqual(l.Counts, want) {
		t.Errorf("got %+v, want %+v", l.Counts, want)
	}
}

func TestFieldsWithoutAPlaceAreCounted(t *testing.T) {
	l := readHolonFiles(t, map[string]string{
		holonItems: `{"id":"work_1","agent_id":"builder","objective":"o","state":"completing","revision":3,"workspace_id":"agent_home:builder","turn_id":"turn-7","offered_reports":4,"todo_list":[{"text":"a","state":"pending"}],"work_refs":[{"kind":"pr","ref":"#7","reason":"why"}]}
{"id":"work_2","agent_id":"builder","objective":"o","state":"open","turn_id":"turn-8"}`,
		".holon/ledger/wait_conditions.jsonl": `{"id":"wait_1","work_item_id":"work_1","kind":"task","status":"active","waiting_for":"the build","subject_ref":"task-1","continuation":{"wake":"task_result"}}`,
		".holon/ledger/tasks.jsonl":           `{"id":"task-1","status":"running"}`,
		".holon/state/agent.json":             `{"pending_wake_hint":{"reason":"the build"}}`,
	})
	w := l.Agents[0].Items[0].Item
	if w.State != model.Open || len(w.TodoList) != 1 || len(w.Links.Refs) != 1 || w.Links.Refs[0].Ref != "#7" || w.Offered != 0 {
		t.Errorf("got %+v", w)
	}
	got := map[string]int{}
	for _, x := range l.Left {
		got[x.What] = x.Count
	}
	want := map[string]int{"work_items.jsonl: turn_id": 2, "work_items.jsonl: offered_reports": 1, "wait_conditions.jsonl: continuation": 1,
		"agent.json: pending_wake_hint": 1, "task task-1: that it runs": 1,
		"work_items.jsonl: why and since when an item has a reference": 1}
	if !maps.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}

func TestAPlanFileCountsOverStaleInlineText(t *testing.T) {
	record := `{"id":"w","objective":"o","state":"open","plan":"# Old"}`
	for _, c := range []struct{ file, want, left string }{
		{"# New", "# New", "w: the plan's text in its record"}, {" \n", "# Old", ""}, {"", "# Old", ""},
		{"# Old", "# Old", ""}, {"\xff", "# Old", "w: plan.md"},
	} {
		l := readHolonFiles(t, map[string]string{holonItems: record, "work-items/w/plan.md": c.file})
		if got := onlyItem(t, l).Plan; got.Raw() != c.want || !leaves(l, c.left) {
			t.Errorf("with %q: got %q, left %v", c.file, got, l.Left)
		}
	}
}

// leaves expects that exactly these things are reported as left behind; none if the list is empty.
func leaves(l holonLedger, what string) bool {
	return what == "" && len(l.Left) == 0 || len(l.Left) == 1 && l.Left[0].What == what && l.Left[0].Why != ""
}

func TestAnInlinePlanBecomesThePlansText(t *testing.T) {
	in := onlyItem(t, readHolonFiles(t, map[string]string{holonItems: `{"id":"w","objective":"o","state":"open","plan":"# Plan\n\n- one\n"}`}))
	if in.Plan != "# Plan\n\n- one\n" || len(in.Item.Links.Refs) != 0 {
		t.Errorf("got %q, %+v", in.Plan, in.Item.Links)
	}
}

func TestAPlanFileIsReadFromTheAgentsDirectoryOnly(t *testing.T) {
	record := `{"id":"w","objective":"o","state":"open","plan_artifact":{"path":"/etc/passwd","relative_path":"work-items/w/plan.md"}}`
	in := onlyItem(t, readHolonFiles(t, map[string]string{holonItems: record, "work-items/w/plan.md": "the plan"}))
	if in.Plan != "the plan" {
		t.Errorf("got %q", in.Plan)
	}
	dir := writeHolon(t, map[string]string{holonItems: record, "work-items/w/other": ""})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "work-items/w/plan.md")); err != nil {
		t.Fatal(err)
	}
	l, err := readHolon(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if in := onlyItem(t, l); in.Plan != "" || !leaves(l, "w: plan.md") {
		t.Errorf("got %q, left %v", in.Plan, l.Left)
	}
}

func TestOtherFilesAreCountedAndDisturbNothing(t *testing.T) {
	l := readHolonFiles(t, map[string]string{
		holonItems:                        `{"id":"w","objective":"o","state":"completed","result_summary":"done"}`,
		".holon/ledger/briefs.jsonl":      `{"id":"b1","kind":"ack"}` + "\n" + `no JSON`,
		".holon/ledger/messages.jsonl":    `{"id":"m"}` + "\n",
		".holon/ledger/work_items.jsonl~": "no",
	})
	if in := onlyItem(t, l); in.Item.ResultSummary != "done" || len(l.Left) != 3 || l.Left[0].What != "briefs.jsonl" || l.Left[0].Count != 2 {
		t.Errorf("got %q, left %v", in.Item.ResultSummary, l.Left)
	}
}

func TestWaitsKeepTheirMeaning(t *testing.T) {
	l := readHolonFiles(t, map[string]string{
		"ledger/work_items.jsonl": `{"id":"w","objective":"o","state":"open"}` + "\n" + `{"id":"done","objective":"o","state":"completed"}`,
		"ledger/wait_conditions.jsonl": `{"id":"a","work_item_id":"w","kind":"timer","status":"active","waiting_for":"later","wake_sources":[{"kind":"timer","wake_at":"2026-06-01T10:00:00Z"}]}
{"id":"b","work_item_id":"w","kind":"external","status":"triggered","triggered_at":"2026-05-01T00:00:00Z"}
{"id":"c","work_item_id":"w","kind":"operator","status":"resolved"}
{"id":"d","work_item_id":"done","kind":"task","status":"active"}
{"id":"waiting_intent:e","work_item_id":"w","kind":"external","status":"active"}`,
		"ledger/waiting_intents.jsonl": `{"id":"e","scope":"agent","work_item_id":null,"summary":"the review","trigger_count":2,"last_triggered_at":"2026-05-01T00:00:00Z"}`,
	})
	var got []string
	for _, x := range l.Agents[0].Waits {
		timer := ""
		if !x.WakeAt.IsZero() {
			timer = x.WakeAt.Format("15:04")
		}
		got = append(got, strings.Join([]string{string(x.ID), string(x.Kind), string(x.Status), x.CancelReason, x.Reason.String(), timer, strings.Repeat("!", x.TriggerCount)}, " "))
	}
	want := []string{
		"e external active  the review  !!",
		"a timer active  later 10:00 ",
		"b external active  imported external wait  !",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAMalformedLineIsNamedAndNothingIsReturned(t *testing.T) {
	good := `{"id":"w","objective":"o","state":"open"}` + "\n"
	for _, c := range []struct{ name, file, text, says string }{
		{"cut off", holonItems, good + `{"id":"x","objec`, "work_items.jsonl, line 2: unexpected end of JSON input"},
		{"not an object", holonItems, good + good + `[1]`, "work_items.jsonl, line 3: json: cannot unmarshal array"},
		{"null", holonItems, `null`, "line 1: not a JSON object"},
		{"no id", holonItems, `{"objective":"o"}`, "line 1: no id"},
		{"bad id", holonItems, `{"id":"../x","objective":"o"}`, `id "../x" is not usable`},
		{"bad state", holonItems, `{"id":"w","objective":"o","state":"paused"}`, `unknown state "paused"`},
		{"bad plan status", holonItems, `{"id":"w","objective":"o","plan_status":"done"}`, `work item w: unknown plan status "done"`},
		{"bad todo", holonItems, `{"id":"w","objective":"o","todo_list":[{"text":"a","state":"blocked"}]}`, `work item w: todo_list[0]: unknown todo state "blocked"`},
		{"bad type", holonItems, `{"id":"w","objective":7}`, "field objective"},
		{"bad time", holonItems, `{"id":"w","objective":"o","updated_at":"yesterday"}`, `line 1: parsing time "yesterday"`},
		{"empty objective", holonItems, `{"id":"w","objective":" "}`, "work item w: objective must not be empty"},
		{"hostile", holonItems, "{\"id\":\"w\x1b[2J", "line 1: invalid character '\\x1b'"},
		{"bad wait", ".holon/ledger/wait_conditions.jsonl", `{"id":"w","kind":"moon"}`, `wait w: unknown kind "moon"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{holonItems: good}
			files[c.file] = c.text
			l, err := readHolon(t.Context(), writeHolon(t, files))
			if err == nil || !strings.Contains(err.Error(), c.says) || len(l.Agents) != 0 {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
			if !errors.Is(err, &model.Error{Code: model.CodeInvalid}) {
				t.Errorf("got %#v, want code invalid", err)
			}
		})
	}
}

func TestWhatIsTooLongIsShortenedAndCounted(t *testing.T) {
	long := strings.Repeat("é", model.MaxObjective+1)
	l := readHolonFiles(t, map[string]string{holonItems: `{"id":"w","objective":"` + long + `","todo_list":[{"text":"` + long + `","state":"pending"},{"text":" ","state":"pending"}]}`})
	w := onlyItem(t, l).Item
	want := []leftBehind{{"w: the end of a text", 2, "vise's texts are shorter"}, {"w: todos", 1, "they have no words, or they are more than 200"}}
	if n := len([]rune(w.Objective)); n != model.MaxObjective || len(w.TodoList) != 1 || !slices.Equal(l.Left, want) {
		t.Errorf("objective of %d, %d todos, left %v", n, len(w.TodoList), l.Left)
	}
}

func TestADirectoryWithoutALedgerIsRefused(t *testing.T) {
	several := writeHolon(t, map[string]string{"agents/a/" + holonItems: "", "agents/b/" + holonItems: ""})
	for _, dir := range []string{t.TempDir(), several, filepath.Join(several, "missing")} {
		_, err := readHolon(t.Context(), dir)
		var e *model.Error
		if !errors.As(err, &e) || e.Code != model.CodeNotFound || !strings.Contains(e.Hint, "name the directory of one agent") {
			t.Errorf("%s: got %v", dir, err)
		}
	}
}

// vise writes nothing in a Holon home: it imports from a tree without write permission, and the tree is the same
// afterwards.
func TestReadingWritesNothing(t *testing.T) {
	dir := writeHolon(t, map[string]string{holonItems: `{"id":"w","objective":"o","state":"open"}`, ".holon/state/agent.json": `{"current_work_item_id":"w"}`})
	before := holonTree(t, dir)
	l, err := readHolon(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if l.Agents[0].Focus != "w" {
		t.Errorf("focus is %q", l.Agents[0].Focus)
	}
	if after := holonTree(t, dir); !slices.Equal(before, after) {
		t.Errorf("got %v, want %v", after, before)
	}
}

func holonTree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		raw, _ := os.ReadFile(path)
		out = append(out, path+" "+info.ModTime().String()+" "+string(raw))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
