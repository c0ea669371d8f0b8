package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// These tests ask verbs and tools for changes, each in a process, while something fails. They compare the answer with
// what is saved. All use judged for that.

// change is a requested change: the words of a verb, or a tool's call as agent ann.
type change struct {
	verb []string
	tool string
	args map[string]any
}

// changes has one change of each kind. A word that begins with $ names an item of the prepared home.
var changes = map[string]change{
	"new":      {verb: []string{"new", "Another", "--agent", "ann"}},
	"new long": {verb: []string{"new", "Another", "--agent", "ann", "--plan", strings.Repeat("plan ", 20_000)}},
	"update":   {verb: []string{"update", "$queued", "--objective", "Other"}},
	"block":    {verb: []string{"block", "$focused", "the vendor"}},
	"pick":     {verb: []string{"pick", "$queued", "--reason", "its turn"}},
	"complete": {verb: []string{"complete", "$child"}},
	"reported": {verb: []string{"complete", "$focused", "--report-file", "$report"}},
	"wait":     {verb: []string{"wait", "$queued", "--external", "ci"}},
	"trigger":  {verb: []string{"trigger", "$waiting"}},
	"answer":   {verb: []string{"answer", "$asking", "LRU"}},
	"delegate": {verb: []string{"delegate", "$focused", "A part", "--to", "bob"}},
	"say":      {verb: []string{"say", "ann", "hello"}},

	"CreateWorkItem":   {tool: "CreateWorkItem", args: map[string]any{"objective": "Another"}},
	"UpdateWorkItem":   {tool: "UpdateWorkItem", args: map[string]any{"work_item_id": "$focused", "blocked_by": "the vendor"}},
	"PickWorkItem":     {tool: "PickWorkItem", args: map[string]any{"work_item_id": "$queued", "reason": "its turn"}},
	"WaitFor":          {tool: "WaitFor", args: map[string]any{"work_item_id": "$queued", "reason": "ci", "wake": "external", "resource": "ci"}},
	"CompleteWorkItem": {tool: "CompleteWorkItem", args: map[string]any{"work_item_id": "$focused"}},
}

// staged is a home that is prepared for all changes, with its state before.
type staged struct {
	*home
	names  map[string]string
	before string
}

// newStaged makes the home. A grown home has more items, so that changes write more.
func newStaged(t *testing.T, grown bool) *staged {
	t.Helper()
	s := &staged{home: newHome(t, "ann", "bob"), names: map[string]string{}}
	if storetest.Long {
		s.install() // the installed program starts faster than this binary
	} else {
		self, err := os.Executable()
		must(t, err)
		s.program = filepath.Join(t.TempDir(), "vise")
		must(t, os.Symlink(self, s.program))
	}
	s.names["$report"] = filepath.Join(t.TempDir(), "report.txt")
	must(t, os.WriteFile(s.names["$report"], []byte("It works."), 0o600))
	for _, name := range []string{"queued", "focused", "waiting", "asking", "child"} {
		var out struct {
			Data reply `json:"data"`
		}
		must(t, json.Unmarshal(s.must("new", name, "--agent", map[bool]string{true: "bob", false: "ann"}[name == "child"], "--json"), &out))
		s.names["$"+name] = string(out.Data.WorkItem.ID)
	}
	s.must("pick", s.names["$focused"])
	s.must("wait", s.names["$waiting"], "--external", "ci/9")
	s.must("wait", s.names["$asking"], "--operator", "LRU or LFU?")
	if grown {
		storetest.Fill(t, s.open(), "ann", 90)
	}
	var err error
	s.before, err = state(s.dir)
	must(t, err)
	return s
}

// copied returns a copy of the prepared home.
func (s *staged) copied(t testing.TB) *staged {
	x := *s
	h := *s.home
	h.t, h.dir = t, storetest.CopyOf(t, s.dir)
	x.home = &h
	return &x
}

// told is the answer to a change.
type told struct {
	exit     int    // of the verb; negative if a signal ended it
	raw, err string // standard output and error; of a tool, its reply
	tool     bool
	Error    *model.Error
	replayed bool
}

// ask makes a change under a key in a process. If within is given, that program starts the process.
func (s *staged) ask(c change, key string, within ...string) told {
	args := []string{"mcp", "--agent", "ann"}
	if c.tool == "" {
		args = append([]string{"--json", "--key", key}, c.verb...)
	}
	for i, w := range args {
		if id, ok := s.names[w]; ok {
			args[i] = id
		}
	}
	cmd := s.command(ctx, args...)
	cmd.Dir = filepath.Dir(s.dir) // not in a repository: there a first pick also records where the work began
	if len(within) > 0 {
		path := storetest.Needs(s.t, within[0])
		cmd.Args, cmd.Path = append(slices.Clone(within), append([]string{cmd.Path}, cmd.Args[1:]...)...), path
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1") // strace counts the calls of each thread separately
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	x := told{tool: c.tool != ""}
	var err error
	if x.tool {
		x.raw, err = s.call(cmd, c, key)
	} else {
		var raw []byte
		raw, err = cmd.Output()
		x.raw = string(raw)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	x.exit, x.err = cmd.ProcessState.ExitCode(), errs.String()
	var out struct {
		Error  *model.Error `json:"error"`
		Result struct {
			Reply struct {
				Error *model.Error `json:"error"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(x.raw), &out); err != nil && x.raw != "" {
		s.t.Errorf("no whole answer: %v: %s", err, x.raw)
	}
	if x.Error = out.Error; x.tool && x.Error == nil {
		x.Error = out.Result.Reply.Error
	}
	x.replayed = strings.Contains(x.raw, `"replayed"`)
	return x
}

// call makes one call of a tool and returns the line of its reply, or nothing if the server ended before.
func (s *staged) call(cmd *exec.Cmd, c change, key string) (line string, err error) {
	args := maps.Clone(c.args)
	for name, v := range args {
		if id, ok := s.names[fmt.Sprint(v)]; ok {
			args[name] = id
		}
	}
	raw, err := json.Marshal(args)
	must(s.t, err)
	in, err := cmd.StdinPipe()
	must(s.t, err)
	out, err := cmd.StdoutPipe()
	must(s.t, err)
	must(s.t, cmd.Start())
	fmt.Fprintln(in, greeting)
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"vise/idempotency_key":%q}}}`+"\n",
		c.tool, raw, key)
	r := bufio.NewReaderSize(out, 1<<20)
	for !strings.Contains(line, `"id":1,`) && err == nil {
		line, err = r.ReadString('\n')
	}
	in.Close()
	if err != nil {
		line = ""
	}
	return line, cmd.Wait()
}

// outcome is what the answer says about the change.
type outcome string

const (
	done    outcome = "done"
	notDone outcome = "not done"
	unknown outcome = "unknown"
	silent  outcome = "no answer" // the process ended before it answered
)

func (x told) outcome() outcome {
	switch {
	case x.Error != nil && x.Error.Code == model.CodeUnknownOutcome:
		return unknown
	case x.Error != nil:
		return notDone
	case x.raw != "", x.exit == 7 && strings.Contains(x.err, "saved, but"):
		return done
	}
	return silent
}

// judged compares an answer with what is saved now: the state before the change or after it, never one between. A
// change that is done must be saved, a refused one must not be, and an unknown outcome names the key. A second call
// with the key must leave the change made once. judged returns what is wrong.
func (s *staged) judged(c change, key string, x told, after string) (saved bool, wrong string) {
	is := x.outcome()
	now, err := state(s.dir)
	saved = now == after
	switch {
	case err != nil || !saved && now != s.before:
		return saved, fmt.Sprintf("neither before nor after: %v\n%s\n%s", err, differing(s.before, now), x.raw)
	case is == done && (!saved || !x.tool && x.exit > 0 && x.exit != 7): // the process can still be killed after its answer
		return saved, fmt.Sprintf("said to be done, exit %d, saved %v: %s%s", x.exit, saved, x.raw, x.err)
	case is == notDone && (saved || !x.tool && (x.exit == 0 || x.exit == 7) || x.Error.Hint == ""):
		return saved, fmt.Sprintf("said not to be done, exit %d, saved %v: %s", x.exit, saved, x.raw)
	case is == unknown && (x.Error.Key == "" || !x.tool && (x.Error.Key != key || !strings.Contains(x.Error.Hint, "--key "+key))):
		return saved, fmt.Sprintf("unknown, and the key is not said: %s", x.raw)
	case is == silent && x.exit >= 0:
		return saved, fmt.Sprintf("exit %d, and nothing is said: %s", x.exit, x.err)
	}
	if is == unknown {
		key = x.Error.Key
	}
	again := s.ask(c, key)
	then, err := state(s.dir)
	if again.outcome() != done || err != nil || then != after || !c.tells(again, saved) {
		return saved, fmt.Sprintf("%s, and again: %v, saved before %v\n%s\n%s%s", is, err, saved, differing(after, then), again.raw, again.err)
	}
	l, err := store.Open(s.dir, store.Options{})
	must(s.t, err)
	defer l.Close()
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		return saved, fmt.Sprintf("%s, then %q %v", is, h.Problems, err)
	}
	return saved, ""
}

// The answer of a verb says whether the change was made before. The answer of a tool is the same as the first.
func (c change) tells(x told, before bool) bool { return c.tool != "" || x.replayed == before }

// clean returns the state after a change without faults.
func (s *staged) clean(t testing.TB, c change) string {
	t.Helper()
	x := s.copied(t)
	if is := x.ask(c, "clean"); is.outcome() != done {
		t.Fatalf("%v: %s%s", c, is.raw, is.err)
	}
	after, err := state(x.dir)
	must(t, err)
	if after == s.before {
		t.Fatalf("%v changes nothing", c)
	}
	return after
}

// state returns the content of a home's ledger, with ids and times replaced, so that two runs can be compared.
func state(dir string) (string, error) {
	l, err := store.Open(dir, store.Options{})
	if err != nil {
		return "", err
	}
	defer l.Close()
	var b strings.Builder
	put := func(what any) {
		raw, _ := json.Marshal(what)
		fmt.Fprintf(&b, "%s\n", raw)
	}
	err = l.View(ctx, func(r model.Reader) error {
		for _, a := range r.Agents("", 100) {
			put(a)
			for _, c := range model.Classes {
				for _, row := range r.Rows(a.ID, c, nil, 1000) {
					w, _ := r.Item(row.ID)
					put(row)
					put(w)
					put(r.ItemWaits(a.ID, row.ID))
				}
			}
			put(r.QueuedMessages(a.ID, 100))
		}
		put(r.History("", model.Position{}, 10_000))
		return nil
	})
	if found := l.Damage(); err == nil && len(found) > 0 {
		err = fmt.Errorf("damaged: %q", found)
	}
	seen := map[string]string{}
	text := varying.ReplaceAllStringFunc(strings.ReplaceAll(b.String(), dir, "HOME"), func(s string) string {
		if s[4] == '-' && s[7] == '-' {
			return "TIME"
		}
		if seen[s] == "" {
			seen[s] = fmt.Sprint("ID", len(seen))
		}
		return seen[s]
	})
	return text, err
}

// varying matches what differs between two runs: ids, handles and times.
var varying = regexp.MustCompile(`\b[a-z]+-(?:[0-9a-z]{26}|[0-9a-z]{4})\b|\b\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[-+]\d\d:\d\d)`)

// differing returns the place where two texts begin to differ.
func differing(want, got string) string {
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	at = max(0, at-100)
	return fmt.Sprintf("want …%.300s\ngot  …%.300s", want[at:], got[at:])
}
