package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/store/storetest"
)

// savedBench is a home whose ledger fails at the test's command.
type savedBench struct {
	t      *testing.T
	dir    string
	home   *home.Home
	faults *storetest.Faults
	ids    map[string]string
}

func newSavedBench(t *testing.T) *savedBench {
	t.Helper()
	b := &savedBench{t: t, dir: t.TempDir(), faults: &storetest.Faults{Backend: kv.NewMemory()}, ids: map[string]string{}}
	plans, err := files.NewHome(filepath.Join(b.dir, "home"))
	if err == nil {
		err = os.Mkdir(plans.Dir(), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.NewLedger(t.Context(), b.faults, plans)
	if err != nil {
		t.Fatal(err)
	}
	b.home = home.On(l, plans, home.Options{Dir: b.dir})
	t.Cleanup(func() { b.home.Close() })
	for _, x := range []string{"open", "other", "done", "asks", "ci"} {
		b.ids["$"+x] = string(b.apply(model.CreateWorkItem{Objective: model.Text(x)}).WorkItemID)
	}
	b.apply(model.CompleteWorkItem{WorkItemID: model.ItemID(b.ids["$done"])})
	b.apply(model.WaitFor{WorkItemID: model.ItemID(b.ids["$asks"]), Wake: model.WakeOperatorInput, Reason: "which?", Question: "which?"})
	ci := b.apply(model.WaitFor{WorkItemID: model.ItemID(b.ids["$ci"]), Wake: model.WakeExternal, Reason: "ci", Source: "ci"})
	b.ids["$ingress"] = string(b.apply(model.MintIngress{WaitID: ci.WaitID, TokenHash: strings.Repeat("a", 64)}).IngressID)
	b.apply(model.Say{AgentID: "default", Text: "hello"})
	why := model.SetTo("ops")
	b.apply(model.AddAgent{AgentID: "kid"})
	b.apply(model.UpdateWorkItem{WorkItemID: model.ItemID(b.ids["$other"]), BlockedBy: why})
	// Its plan has changed: the verb reports it to the ledger after an update, and before a completion.
	if err := os.WriteFile(plans.Plan("default", model.ItemID(b.ids["$open"])).Path, []byte("# Moved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *savedBench) envelope(c model.Command) model.Envelope {
	return model.Envelope{Key: home.NewKey(), Actor: model.Operator, Agent: "default", Command: c}
}

func (b *savedBench) apply(c model.Command) model.Receipt {
	b.t.Helper()
	in, err := b.home.Apply(context.Background(), b.envelope(c))
	if err != nil {
		b.t.Fatalf("%s: %v", model.CommandName(c), err)
	}
	return in
}

// run runs a verb like a process, on the home of the bench.
func (b *savedBench) run(args ...string) result {
	b.t.Helper()
	args = slices.Clone(args)
	for i, w := range args {
		for name, id := range b.ids {
			if w == name {
				args[i] = id
			}
		}
	}
	var out, errs bytes.Buffer
	a := &Env{args: args, dir: b.dir, in: strings.NewReader(""), out: &out, err: &errs, now: time.Now, home: b.home,
		getenv: func(name string) string {
			return map[string]string{"VISE_ACTOR": "operator", "VISE_AGENT": "default", "EDITOR": "true", "HOME": b.dir}[name]
		}}
	x := result{code: execute(a, b.t.Context()), stdout: out.String(), stderr: errs.String()}
	_ = json.Unmarshal(out.Bytes(), &x)
	return x
}

// changing are the verbs that change the ledger, each with its main command.
func changing(t *testing.T, dir string) map[string][]string {
	holon := filepath.Join(dir, "holon", "ledger")
	if err := os.MkdirAll(holon, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(holon, "work_items.jsonl"), []byte(`{"id":"work_1","objective":"o","state":"open"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "report.txt")
	if err := os.WriteFile(report, []byte("a report"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"new Another":                            {"CreateWorkItem"},
		"undo":                                   {"Undo"},
		"redo":                                   {"Undo"},
		"retry default":                          {"Retry"},
		"stop default":                           {"UpdateAgent"},
		"todo promote review/001":                {"CreateWorkItem"},
		"todo link review/001 $open":             {"LinkWorkItem"},
		"thread start Goal":                      inFiles,
		"pick $open":                             {"PickWorkItem"},
		"update $open --objective x":             {"UpdateWorkItem"},
		"block $open ops":                        {"UpdateWorkItem"},
		"unblock $asks":                          {"UpdateWorkItem"},
		"plan status $open ready":                {"UpdateWorkItem"},
		"wait $open --external ci --recheck 2h":  {"WaitFor"},
		"wait $open --timer 30m":                 {"WaitFor"},
		"trigger $ci":                            {"Trigger"},
		"trigger url $ci":                        {"MintIngress"},
		"trigger revoke $ingress":                {"RevokeIngress"},
		"complete $open --report-file " + report: {"Round"},
		"report $done --file " + report:          {"ReportWorkItem"},
		"hide $asks":                             {"Acknowledge"},
		"hide $asks --until 2h":                  {"Snooze"},
		"comment $open a.go:1 why":               {"CommentOn"},
		"review $open --send":                    {"SendComments"},
		"say default words":                      {"Say"},
		"answer $asks this":                      {"Answer"},
		"permit default once":                    {"AnswerPermission"},
		"delegate $open serve --to kid":          {"OpenDelegation"},
		"task run --item $open -- true":          {"StartTask"},
		"link $open --ref issue:1":               {"LinkWorkItem"},
		"unlink $open --ref issue:1":             nil,
		"worktree new $open --program none":      {"LinkWorkItem"},
		"init --agent fresh":                     {"AddAgent"},
		"agents add fresh":                       {"AddAgent"},
		"agents set default --auto-pick":         {"UpdateAgent"},
		"agents stop default":                    {"UpdateAgent"},
		"agents resume default":                  nil,
		"import holon " + filepath.Dir(holon):    {"Import"},
	}
}

// inFiles marks a verb whose work is in files: if the ledger fails, it only warns.
var inFiles = []string{}

// elsewhere are verbs that start others, whose changes are tested in package runner, and some that only read.
var elsewhere = []string{"drive", "serve", "start", "sessions", "log", "resume", "worktrees"}

// before returns what must be done before a verb.
func (b *savedBench) before(verb string) *savedBench {
	b.t.Helper()
	switch verb {
	case "permit":
		b.apply(model.AskPermission{AgentID: "default", Tool: "Bash", AnswerMS: time.Hour.Milliseconds()})
	case "redo":
		b.run("undo")
	case "comment", "review":
		if err := os.WriteFile(filepath.Join(b.dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.apply(model.LinkWorkItem{WorkItemID: model.ItemID(b.ids["$open"]), Add: model.Links{Refs: []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(b.dir)}}}})
		if verb == "review" {
			b.apply(model.CommentOn{WorkItemID: model.ItemID(b.ids["$open"]), File: "a.go", Text: "why?"})
		}
	case "todo":
		if err := os.Mkdir(filepath.Join(b.dir, ".git"), 0o700); err != nil {
			b.t.Fatal(err)
		}
		seedSession(b.t, b.dir, "Quote the name")
	case "worktree":
		r := storetest.PlainDir(b.t).At(b.dir)
		r.Git("init", "-q", "-b", "main", ".")
		r.Commit("initial")
	case "thread":
		if out, err := exec.Command(storetest.Needs(b.t, "git"), "init", "-q", b.dir).CombinedOutput(); err != nil {
			b.t.Fatalf("git init: %v %s", err, out)
		}
		b.apply(model.PickWorkItem{WorkItemID: model.ItemID(b.ids["$open"])})
	}
	return b
}

// TestWhatIsSavedIsSaidToBeSaved makes each transaction of each verb fail, once and from then on, in each way, and
// loses the outcome of commits. The exit code and the answer must say whether the verb's command was committed.
func TestWhatIsSavedIsSaidToBeSaved(t *testing.T) {
	storetest.Slow(t)
	table := changing(t, t.TempDir())
	for _, v := range verbs() {
		changes := slices.Contains([]string{"work", "running", "repository"}, v.group) && !slices.Contains(elsewhere, v.name())
		tried := false
		for line := range table {
			tried = tried || strings.Fields(line)[0] == v.name()
		}
		if changes && !tried {
			t.Errorf("vise %s is tried nowhere", v.name())
		}
	}
	tries := 0
	for line, commands := range table {
		args := append(strings.Fields(line), "--json")
		if i := slices.Index(args, "--"); i >= 0 {
			args = append([]string{"--json"}, args[:len(args)-1]...)
		}
		b := newSavedBench(t).before(strings.Fields(line)[0])
		b.faults.Arm(0, nil)
		if x := b.run(args...); x.code != 0 {
			t.Fatalf("vise %s: exit %d %s%s", line, x.code, x.stdout, x.stderr)
		}
		names, most := b.faults.Committed()
		if len(commands) > 0 && !slices.Contains(names, commands[0]) {
			t.Fatalf("vise %s commits %q, not %q", line, names, commands)
		}
		codes := slices.Sorted(maps.Keys(storetest.Troubles))
		for at := 1; at <= most+1; at++ {
			for _, code := range storetest.Amount(codes[at%len(codes):][:1], codes) {
				trouble := storetest.Troubles[code]
				for _, onward := range []bool{false, true} {
					if onward && code == model.CodeBusy && args[1] == "task" {
						continue // the end of a task is tried for twenty seconds
					}
					b := newSavedBench(t).before(strings.Fields(line)[0])
					b.faults.Arm(0, func(n int, _ bool) error {
						if n == at || onward && n > at {
							return trouble
						}
						return nil
					})
					x := b.run(args...)
					names, _ := b.faults.Committed()
					tries++
					judgeSaved(t, fmt.Sprintf("vise %s, %s at %d, onward %v", line, code, at, onward), x, commands, names)
				}
			}
		}
	}
	t.Logf("%d runs of %d verbs", tries, len(table))
}

// judgeSaved compares an answer with what was committed.
func judgeSaved(t *testing.T, what string, x result, commands, committed []string) {
	t.Helper()
	saved := len(commands) > 0 && slices.Contains(committed, commands[0])
	switch {
	case commands == nil:
	case len(commands) == 0 && (x.code != 0 || len(x.Data) == 0 || strings.Contains(x.stdout, "is linked") != (len(committed) > 0) ||
		strings.Contains(x.stdout, "not linked") != (len(committed) == 0)):
		t.Errorf("%s: done, committed %q, and answers %d %s", what, committed, x.code, x.stdout)
	case len(commands) == 0:
	case saved && (x.code != 0 || x.Error != nil || len(x.Data) == 0):
		t.Errorf("%s: saved, and answers %d %s", what, x.code, x.stdout)
	case !saved && (x.code == 0 || x.Error == nil):
		t.Errorf("%s: not saved, and answers %d %s", what, x.code, x.stdout)
	}
	if x.Error != nil && x.Error.Code == model.CodeUnknownOutcome {
		t.Errorf("%s: nothing is unknown here: %s", what, x.stdout)
	}
}

// TestAnUnknownOutcomeNamesTheKeyThatTells commits the verb's command and loses the answer, also of the look-up. The
// same verb with the key from the error then changes nothing twice.
func TestAnUnknownOutcomeNamesTheKeyThatTells(t *testing.T) {
	for line, commands := range changing(t, t.TempDir()) {
		args := append(strings.Fields(line), "--json")
		if len(commands) == 0 || strings.HasPrefix(line, "task run") || strings.HasPrefix(line, "trigger url") {
			continue // nothing to lose; a task or a token cannot be repeated
		}
		b := newSavedBench(t).before(strings.Fields(line)[0])
		// The verb's bookkeeping comes before its command, and succeeds here.
		var names []string
		b.faults.Arm(1000, func(int, bool) error {
			if slices.Contains(names, commands[0]) {
				return storetest.Troubles[model.CodeBusy]
			}
			return nil
		})
		b.faults.Seen = func(n string) { names = append(names, n) }
		x := b.run(args...)
		if x.Error == nil || x.Error.Code != model.CodeUnknownOutcome || x.code != exitError || x.Error.Key == "" {
			t.Errorf("vise %s: exit %d %s", line, x.code, x.stdout)
			continue
		}
		b.faults.Seen = nil
		b.faults.Arm(0, nil)
		again := args
		if strings.Contains(x.Error.Hint, "--key") {
			if !strings.Contains(x.Error.Hint, x.Error.Key) {
				t.Errorf("vise %s: the hint names another key: %s", line, x.stdout)
			}
			again = append(slices.Clone(args), "--key", x.Error.Key)
		}
		y := b.run(again...)
		done, _ := b.faults.Committed()
		if y.code != 0 || slices.Contains(done, commands[0]) {
			t.Errorf("vise %s again: exit %d, committed %q: %s%s", line, y.code, done, y.stdout, y.stderr)
		}
		if !strings.Contains(y.stdout, string(model.WarnReplayed)) && strings.Contains(x.Error.Hint, "--key") {
			t.Errorf("vise %s again: no word of the replay: %s", line, y.stdout)
		}
	}
}

// TestAnAnswerThatIsNotTakenIsSaidElsewhere writes to a full device and to a closed pipe: standard error then has the
// message.
func TestAnAnswerThatIsNotTakenIsSaidElsewhere(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	dir := filepath.Join(t.TempDir(), "home")
	mustAsk(t, dir, "init")
	for i, form := range [][]string{{}, {"--json"}} {
		c := program(t, dir, append([]string{"new", fmt.Sprint("Item ", i)}, form...)...)
		var errs bytes.Buffer
		c.Stdout, c.Stderr = full, &errs
		code := codeOf(c.Run())
		_, key, told := strings.Cut(errs.String(), "--key ")
		if code != exitUnwritten || !told || !strings.Contains(errs.String(), "vise: saved, but the answer could not be written") {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		again := mustAsk(t, dir, "new", fmt.Sprint("Item ", i), "--key", strings.Fields(key)[0])
		if !strings.Contains(again.stdout, `"kind":"replayed"`) {
			t.Errorf("no word of the replay: %s", again.stdout)
		}
	}
	if n := strings.Count(mustAsk(t, dir, "list").stdout, `"objective":"Item`); n != 2 {
		t.Errorf("%d items", n)
	}
	for _, verb := range [][]string{{"list"}, {"events"}, {"events", "--json"}, {"status", "--format", "json"},
		{"help"}, {"help", "list"}, {"help", "--all"}, {"help", "work"}, {"list", "--help"}, {"--help"}, {"thread", "--help"}} {
		c := program(t, dir, verb...)
		var errs bytes.Buffer
		c.Stdout, c.Stderr = full, &errs
		if code := codeOf(c.Run()); code != exitUnwritten || strings.Contains(errs.String(), "saved") {
			t.Errorf("%q: exit %d: %s", verb, code, errs.String())
		}
	}
}
