package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store/storetest"
)

func TestEveryRefusalHasACodeAndAnExitStatus(t *testing.T) {
	storetest.Slow(t)
	for _, s := range []struct {
		args []string
		exit int
		code string
	}{
		{[]string{}, 2, "invalid"},
		{[]string{"frob"}, 2, "invalid"},
		{[]string{"start"}, 2, "invalid"},
		{[]string{"start", " "}, 2, "invalid"},
		{[]string{"start", "a", "b"}, 2, "invalid"},
		{[]string{"start", "x", "--initial-json", "{bad"}, 2, "invalid"},
		{[]string{"start", "there"}, 4, "conflict"},
		{[]string{"show", "nope"}, 3, "not_found"},
		{[]string{"resume", "nope"}, 3, "not_found"},
		{[]string{"update"}, 2, "invalid"},
		{[]string{"update", "--frob"}, 2, "invalid"},
		{[]string{"update", "--json-patch", `{"risks":"abc"}`}, 2, "invalid"},
		{[]string{"update", "--json-patch", `{"goal":["a"]}`}, 2, "invalid"},
		{[]string{"update", "--json-patch", `{"a":1,"a":2}`}, 2, "invalid"},
		{[]string{"update", "--json-patch", strings.Repeat(`{"a":`, 1000)}, 2, "invalid"},
		{[]string{"update", "--from-file", "nope.json"}, 2, "invalid"},
		{[]string{"update", "--status", "finished"}, 2, "invalid"},
		{[]string{"update", "--drop", "risks"}, 2, "invalid"},
		{[]string{"update", "--drop", "frob=x"}, 2, "invalid"},
		{[]string{"update", "--clear", "version"}, 2, "invalid"},
		{[]string{"update", "--verify", "not there"}, 3, "not_found"},
		{[]string{"update", "--task-id", "nope", "--clear", "goal"}, 3, "not_found"},
		{[]string{"close", "--status", "in_progress"}, 2, "invalid"},
		{[]string{"close", "--task-id", "nope"}, 3, "not_found"},
		{[]string{"finalize"}, 2, "invalid"},
		{[]string{"finalize", "--facts-json", `{"files_opened":"x"}`}, 2, "invalid"},
		{[]string{"finalize", "--facts-json", `{"work_state":{"risks":"x"}}`}, 2, "invalid"},
		{[]string{"status", "--repo", "/no/such/directory"}, 3, "not_found"},
		{[]string{"show", "damaged"}, 5, "damaged"},
	} {
		t.Run(strings.Join(s.args, " "), func(t *testing.T) {
			r := storetest.RepoWithCommit(t)
			c := newThreadCLI(t, r.Dir)
			c.data("start", "there")
			r.Write(".aictx/tasks/threads/damaged.json", "{")
			before := tree(t, r.Dir)
			e := c.refused(s.exit, s.args...)
			if e["code"] != s.code || e["message"] == "" {
				t.Errorf("got %v", e)
			}
			_, complaints, _ := c.run(s.args...)
			if !strings.HasPrefix(complaints, "vise: ") {
				t.Errorf("for people: %q", complaints)
			}
			if after := tree(t, r.Dir); after != before {
				t.Errorf("files changed:\n%s\nbefore\n%s", after, before)
			}
		})
	}
}

// tree returns every file of the Work State with its content, without the lock.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Join(dir, ".aictx"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		raw, err := os.ReadFile(path)
		b.WriteString(path + "\n" + string(raw) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheExplicitVerbsOfUpdate(t *testing.T) {
	c := newThreadCLI(t, storetest.RepoWithCommit(t).Dir)
	c.data("start", "g", "--initial-json", `{"unverified":["a","b=c"],"risks":["r"],"current_hypothesis":"h"}`)
	data := c.data("update", "--verify", "a", "--drop", "unverified=b=c", "--clear", "risks", "--clear", "current_hypothesis", "--status", "blocked")
	if data["status"] != "blocked" || len(data["unverified"].([]any)) != 0 || len(data["risks"].([]any)) != 0 ||
		data["current_hypothesis"] != "" || data["verified"].([]any)[0] != "a" {
		t.Errorf("got %v", data)
	}
}

func TestAPatchComesFromAFileOrFromStandardInput(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	c.data("start", "g")
	r.Write("patch.json", `{"next_action":"file","risks":["x"]}`)
	data := c.data("update", "--from-file", "patch.json", "--json-patch", `{"next_action":"flag"}`)
	if data["next_action"] != "flag" || len(data["risks"].([]any)) != 1 {
		t.Errorf("got %v", data)
	}
	c.stdin = `{"next_action":"stdin"}`
	if data := c.data("update", "--from-file", "-"); data["next_action"] != "stdin" {
		t.Errorf("got %v", data)
	}
}

func TestEvictionsAndIgnoredKeysAreSaid(t *testing.T) {
	c := newThreadCLI(t, storetest.RepoWithCommit(t).Dir)
	c.data("start", "g", "--initial-json", `{"risks":["1","2","3","4","5","6","7","8"]}`)
	out, _, _ := c.run("update", "--json-patch", `{"risks":["9"],"frob":1,"version":7}`, "--json")
	v := c.envelope(out)
	var said []string
	for _, w := range v["warnings"].([]any) {
		said = append(said, fmt.Sprintf("%s: %s", w.(map[string]any)["kind"], w.(map[string]any)["message"]))
	}
	if want := []string{"thread: the full list risks let go: 1", "thread: a thread has no frob; it is ignored"}; !slices.Equal(said, want) {
		t.Errorf("got %v", said)
	}
	if e := v["data"].(map[string]any)["evicted"].([]any)[0].(map[string]any); e["entry"] != "1" {
		t.Errorf("got %v", e)
	}
}

func TestDoctorMendsOnYesOnly(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	c.data("start", "there")
	r.Write(".aictx/tasks/threads/damaged.json", "{")
	r.Write(".aictx/tasks/threads/task.json", `{"task_id":"task","status":"in_progress"}`)
	before := tree(t, r.Dir)
	c.stdin = "n\n"
	out, _, status := c.run("doctor")
	shows(t, out, "damaged damaged:", "phantom task:", "repair: rename threads/damaged.json to threads/damaged.json.set-aside", "Nothing was changed.")
	if status != 1 || tree(t, r.Dir) != before {
		t.Errorf("exit %d, or files changed", status)
	}
	if out, _, status := c.run("doctor", "--json"); status != 1 || !strings.Contains(out, `"phantom"`) || tree(t, r.Dir) != before {
		t.Errorf("exit %d: %s", status, out)
	}
	c.stdin = "y\n"
	if out, _, status := c.run("doctor"); status != 0 {
		t.Errorf("exit %d: %s", status, out)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, ".aictx/tasks/threads/damaged.json.set-aside")); err != nil {
		t.Error(err)
	}
	out, _, status = c.run("doctor")
	shows(t, out, "Nothing is wrong with the threads.")
	if status != 0 {
		t.Errorf("exit %d", status)
	}
}

func TestOutputCannotDriveATerminal(t *testing.T) {
	const evil = "evil \x1b]0;title\x07 \u202e goal \u009b31m"
	r := storetest.RepoWithCommit(t)
	r.Write(".gitignore", ".aictx/\n")
	r.Commit("ignore")
	c := newThreadCLI(t, r.Dir)
	c.data("start", evil, "--initial-json", `{"risks":["`+"\u009b\u202e"+`"],"discarded_hypotheses":["\u001b[2J"]}`)
	r.Git("checkout", "-q", "-b", "evil\u202e\u009b")
	r.Write("x", "")
	r.Commit("x")
	c.data("update", "--status", "paused")
	c.data("update", "--status", "in_progress", "--task-id", evil)
	r.Git("checkout", "-q", "main")
	for _, args := range [][]string{{"status"}, {"list"}, {"show", evil}, {"prepare"}, {"start", evil}, {"update", "--json-patch", `{"\u001b\u009b":1}`},
		{"resume", "\x1b\u202e"}, {"--frob\x1b\u009b"}, {"finalize", "--facts-json", "{}"}} {
		for _, form := range [][]string{{"--json"}, nil} {
			if _, safe := any(model.Text("")).(fmt.Stringer); form == nil && !safe {
				t.Skip("model.Text does not sanitise itself in this tree")
			}
			out, complaints, _ := c.run(append(args, form...)...)
			if said := out + complaints; said == "" || strings.ContainsAny(said, "\x1b\x07\u202e\u009b") {
				t.Errorf("%q: %q", args, said)
			}
		}
	}
}
