package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vise/store/storetest"
)

// replay runs one recorded case in a real repository and compares the answers of vise with those of AICTX.
type replay struct {
	t      *testing.T
	name   string // of the case
	record string // its directory
	repo   storetest.Repo
	cli    *threadCLI
	// theirs and ours number the commits in the order in which they appear on each side.
	theirs, ours map[string]string
	differs      map[string]bool
}

// Every recorded case is replayed. The table of differences has each place where vise intentionally differs, and no
// place that is equal.
func TestRecordedCasesAreReplayed(t *testing.T) {
	storetest.Slow(t)
	root := os.Getenv("VISE_SHARED")
	if root == "" {
		root = "../../../shared"
	}
	cases, _ := filepath.Glob(filepath.Join(root, "fixtures/aictx/v*/*"))
	if len(cases) == 0 {
		t.Skip("the shared fixtures are not here")
	}
	storetest.Needs(t, "git")
	used := map[string]bool{}
	for _, dir := range cases {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			r := &replay{t: t, name: name, record: dir, repo: storetest.PlainDir(t), theirs: map[string]string{}, ours: map[string]string{}, differs: used}
			r.cli = newThreadCLI(t, r.repo.Dir)
			raw, err := os.ReadFile(filepath.Join(dir, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(string(raw), "\n") {
				if step, ok := strings.CutPrefix(line, "- "); ok {
					r.step(step)
				}
			}
		})
	}
	for d := range differences {
		if !used[d] {
			t.Errorf("%s is in the table of differences and does not differ", d)
		}
	}
}

var (
	inTicks  = regexp.MustCompile("`([^`]*)`")
	written  = regexp.MustCompile(`^\(write (\S+) = '(.*)'\)$`)
	exitCode = regexp.MustCompile(`exit (\d+)`)
)

func (r *replay) step(step string) {
	r.t.Helper()
	ticks := inTicks.FindAllStringSubmatch(step, -1)
	command := ""
	if len(ticks) > 0 {
		command = ticks[0][1]
	}
	w := written.FindStringSubmatch(step)
	switch {
	case w != nil:
		r.repo.Write(w[1], strings.ReplaceAll(w[2], `\n`, "\n"))
	case strings.HasPrefix(command, "git "):
		for _, c := range strings.Split(command, " && ") {
			r.git(splitWords(r.t, c)[1:])
		}
	case strings.HasPrefix(command, "aictx init"):
		r.repo.Write(".gitignore", ".aictx/\n")
	case strings.HasPrefix(command, "aictx task"):
		file := ""
		if len(ticks) > 1 {
			file = ticks[1][1]
		}
		r.task(splitWords(r.t, command)[2:], exitCode.FindStringSubmatch(step)[1], file)
	case strings.HasPrefix(step, "library call"):
		r.library(command, ticks[1][1])
	case strings.HasPrefix(step, "snapshot"):
		r.snapshot(strings.TrimSuffix(ticks[1][1], "/"))
	case strings.HasPrefix(step, "(remove git_context"):
		r.cutGitContext()
	case strings.HasPrefix(step, "(delete "):
		if err := os.Remove(filepath.Join(r.repo.Dir, ".aictx/tasks/active.json")); err != nil {
			r.t.Fatal(err)
		}
	case strings.HasPrefix(command, "aictx next"), strings.HasPrefix(command, "aictx resume"):
		// Layers that vise does not have.
	default:
		r.t.Fatalf("the step %q is not understood", step)
	}
}

func (r *replay) git(args []string) {
	r.t.Helper()
	if args[0] == "commit" && !slices.Contains(args, "-qam") {
		args = append(args, "--allow-empty")
	}
	r.repo.Git(args...)
}

// splitWords splits a recorded command; a word in double quotes is spelled as in JSON.
func splitWords(t *testing.T, command string) []string {
	t.Helper()
	var words []string
	for rest := strings.TrimSpace(command); rest != ""; rest = strings.TrimSpace(rest) {
		if rest[0] != '"' {
			w, tail := rest, ""
			if i := strings.IndexByte(rest, ' '); i >= 0 {
				w, tail = rest[:i], rest[i:]
			}
			words, rest = append(words, w), tail
			continue
		}
		d := json.NewDecoder(strings.NewReader(rest))
		var w string
		if err := d.Decode(&w); err != nil {
			t.Fatalf("%s: %v", rest, err)
		}
		words, rest = append(words, w), rest[d.InputOffset():]
	}
	return words
}

// task runs an aictx task command as vise thread.
func (r *replay) task(args []string, wantExit, file string) {
	r.t.Helper()
	out, _, status := r.cli.run(args...)
	r.equal(file+" exit", wantExit, fmt.Sprint(status))
	if status != 0 || !slices.Contains(args, "--json") {
		if want := r.text(file); status == 0 && want != "" {
			lines := strings.Split(strings.TrimSpace(want), "\n")
			for _, line := range lines {
				r.equal(file+" human", true, strings.Contains(out, line+"\n"))
			}
		}
		return
	}
	r.compare(file, r.json(file), r.cli.envelope(out)["data"].(map[string]any))
}

func (r *replay) text(file string) string {
	raw, err := os.ReadFile(filepath.Join(r.record, file))
	if err != nil {
		return ""
	}
	return string(raw)
}

func (r *replay) json(file string) map[string]any {
	r.t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(r.text(file)), &v); err != nil {
		r.t.Fatalf("%s: %v", file, err)
	}
	return v
}

// compare expects every recorded member in vise's answer; further members of vise's are no difference.
func (r *replay) compare(what string, theirs, ours map[string]any) {
	r.t.Helper()
	keys := make([]string, 0, len(theirs))
	for k := range theirs {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		t, o := theirs[k], ours[k]
		inner, both := t.(map[string]any)
		mine, isObject := o.(map[string]any)
		if both && isObject && len(inner) > 0 {
			r.compare(what+" "+k, inner, mine)
			continue
		}
		r.equal(what+" "+k, label(t, r.theirs), label(alike(t, o), r.ours))
	}
}

// alike removes from the objects in a list the members that AICTX does not have.
func alike(theirs, ours any) any {
	t, isList := theirs.([]any)
	o, both := ours.([]any)
	if !isList || !both || len(t) != len(o) {
		return ours
	}
	out := slices.Clone(o)
	for i := range o {
		want, isObject := t[i].(map[string]any)
		mine, both := o[i].(map[string]any)
		if !isObject || !both {
			continue
		}
		kept := map[string]any{}
		for k := range want {
			kept[k] = mine[k]
		}
		out[i] = kept
	}
	return out
}

var (
	hexID  = regexp.MustCompile(`^[0-9a-f]{40}$`)
	moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)
)

// label replaces what differs between machines: commits by their order, times; and in gaps what only vise keeps.
func label(v any, commits map[string]string) any {
	switch v := v.(type) {
	case string:
		if hexID.MatchString(v) {
			if commits[v] == "" {
				commits[v] = fmt.Sprint("commit ", len(commits)+1)
			}
			return commits[v]
		}
		if moment.MatchString(v) {
			return "a moment"
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = label(e, commits)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if !slices.Contains([]string{"count", "first_seen", "last_seen", "source_code", "observed"}, k) {
				out[k] = label(e, commits)
			}
		}
		return out
	}
	return v
}

// equal compares one recorded value, or finds its place in the table of differences.
func (r *replay) equal(what string, theirs, ours any) {
	r.t.Helper()
	key := r.name + "/" + what
	same := reflect.DeepEqual(theirs, ours)
	for known := range differences {
		if key == known || strings.HasPrefix(key, known+" ") {
			if !same {
				r.differs[known] = true
			}
			return
		}
	}
	if !same {
		r.t.Errorf("%s: AICTX %v, vise %v", key, theirs, ours)
	}
}

func (r *replay) cutGitContext() {
	r.t.Helper()
	name := filepath.Join(r.repo.Dir, ".aictx/tasks/threads/fix-login-token-refresh.json")
	raw, err := os.ReadFile(name)
	if err != nil {
		r.t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		r.t.Fatal(err)
	}
	delete(v, "git_context")
	out, _ := json.Marshal(v)
	if err := os.WriteFile(name, out, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// snapshot compares the files that both wrote; of the log only the kinds of events.
func (r *replay) snapshot(dir string) {
	r.t.Helper()
	names, _ := filepath.Glob(filepath.Join(r.record, dir, "*.json"))
	more, _ := filepath.Glob(filepath.Join(r.record, dir, "threads", "*"))
	for _, name := range append(names, more...) {
		rel, err := filepath.Rel(filepath.Join(r.record, dir), name)
		if err != nil {
			r.t.Fatal(err)
		}
		theirs, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		ours, err := os.ReadFile(filepath.Join(r.repo.Dir, ".aictx/tasks", rel))
		what := dir[:strings.IndexByte(dir, '/')] + "/" + filepath.Base(rel)
		if err != nil {
			r.equal(what, "there", "not there")
			continue
		}
		if strings.HasSuffix(rel, ".jsonl") {
			r.equal(what, kinds(r.t, theirs), kinds(r.t, ours))
			continue
		}
		var t, o map[string]any
		if json.Unmarshal(theirs, &t) != nil || json.Unmarshal(ours, &o) != nil {
			r.t.Fatalf("%s is no JSON", rel)
		}
		r.compare(what, t, o)
	}
}

// kinds returns the events of a log that the file format knows.
func kinds(t *testing.T, raw []byte) []string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		var e struct{ Event, Source, Status string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if slices.Contains([]string{"started", "updated", "resumed", "closed"}, e.Event) {
			out = append(out, strings.TrimSpace(e.Event+" "+e.Source+" "+e.Status))
		}
	}
	return out
}
