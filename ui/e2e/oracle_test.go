package e2e

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	oracle     = flag.String("oracle", "", "an earlier program, whose answers today's must give")
	against    = flag.String("against", "", "a commit: its program is built, and today's is compared or measured beside it")
	oracleActs = flag.Int("oracle-acts", 300, "how many random acts both programs carry out")
	oracleSeed = flag.Uint64("oracle-seed", 0, "begin with this trial; 0 chooses one")
)

// actsOfATrial are what happens to one pair of homes, before the next pair begins anew.
const actsOfATrial = 100

// An earlier program and today's carry out the same random acts: commands, calls of tools, keys of the console, and
// edits of files beside them. Their homes lie side by side. All answers and exit codes are the same, what
// is known of the work items after the keys of an act, and at the end all that is known of the work items, the plans, the threads and the file todos. What differs on
// purpose is a ruling (oracle_rulings_test.go).
//
//	go test ./ui/e2e -run TheEarlierProgram -v -timeout 60m -against COMMIT -oracle-acts 10000
func TestTheEarlierProgramAnswersTheSame(t *testing.T) {
	earlier, today := bothPrograms(t)
	seed := cmp.Or(*oracleSeed, uint64(time.Now().UnixNano()%1_000_000))
	var total tally
	for total.acts < *oracleActs && total.differing < 200 {
		l := newTrial(t, seed, earlier, today)
		l.run(min(actsOfATrial, *oracleActs-total.acts))
		l.end()
		total.add(l.tally)
		seed++
	}
	total.print(t)
}

// bothPrograms are the earlier program and today's, which are built if they are not given. Without the earlier one the test is skipped.
func bothPrograms(t *testing.T) (earlier, today string) {
	earlier, today = *oracle, *before
	if *against != "" {
		earlier = filepath.Join(buildOf(t, *against), "vise")
	}
	if earlier == "" {
		t.Skip("needs an earlier program: -oracle PATH, or -against COMMIT, which builds it")
	}
	if today == "" {
		today = buildOf(t, "")
	}
	return earlier, filepath.Join(today, "vise")
}

// tally counts what was compared.
type tally struct {
	trials, acts, answers, keys, files, differing int
	kinds                                         map[string]int // acts by what they are
	ruled                                         map[string]int // answers that differ, by the ruling that says why
}

func (a *tally) add(b tally) {
	a.trials, a.acts, a.answers, a.keys = a.trials+1, a.acts+b.acts, a.answers+b.answers, a.keys+b.keys
	a.files, a.differing = a.files+b.files, a.differing+b.differing
	for into, from := range map[*map[string]int]map[string]int{&a.kinds: b.kinds, &a.ruled: b.ruled} {
		if *into == nil {
			*into = map[string]int{}
		}
		for k, n := range from {
			(*into)[k] += n
		}
	}
}

func (a *tally) print(t *testing.T) {
	var kinds, ruled []string
	for k, n := range a.kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
	}
	for _, r := range rulings {
		if n := a.ruled[r.name]; n > 0 {
			ruled = append(ruled, fmt.Sprintf("%5d %s: %s", n, r.name, r.why))
		}
	}
	slices.Sort(kinds)
	t.Logf("%d acts in %d trials: %d answers, %d acts of keys and %d files compared; %d differ without a ruling\n%s\ndiffer by a ruling:\n%s",
		a.acts, a.trials, a.answers, a.keys, a.files, a.differing, strings.Join(kinds, ", "), strings.Join(ruled, "\n"))
}

// trial is one pair of homes and what happens to them. It ends at the first difference that no ruling explains, because
// later ones would follow from it.
type trial struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand
	sides  [2]*side // of the earlier program, of today's
	tally  tally
	over   bool
	done   []string // the acts so far
	stood  string   // how the work items stood after the keys before
}

func newTrial(t *testing.T, seed uint64, programs ...string) *trial {
	l := &trial{t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 1)), tally: tally{kinds: map[string]int{}, ruled: map[string]int{}}}
	root := t.TempDir()
	for i, program := range programs {
		l.sides[i] = newSide(t, program, filepath.Join(root, [...]string{"old", "new"}[i]))
		l.sides[i].today = i == 1
	}
	return l
}

// run carries out n acts of one kind: in two of five trials only commands and edits, in one also AICTX if it is
// installed, in one also tools, in one also a console.
func (l *trial) run(n int) {
	for _, line := range beginning {
		l.act(line)
	}
	_, err := exec.LookPath("aictx")
	kind, hasAICTX := l.seed%5, err == nil
	for i := 0; i < n && !l.over; i++ {
		switch {
		case kind == 3 && l.random.IntN(3) > 0:
			l.act(pickOf(l.random, tableOf(toolCalls)))
		case kind == 2 && hasAICTX && l.random.IntN(2) > 0:
			l.act(pickOf(l.random, tableOf(inTurns)))
		case kind == 4 && i > n/4:
			l.act("keys " + strings.ReplaceAll(pickOf(l.random, tableOf(keysOfActs)), "ROW", fillers["ROW"](l)))
			i += 2 // they take longer
		default:
			l.act(pickOf(l.random, tableOf(commands)))
		}
	}
	for _, w := range l.sides {
		w.stop()
	}
	if !l.over {
		l.compareWhatIsLeft()
	}
}

func (l *trial) end() {
	for _, w := range l.sides {
		w.stop()
		if !l.over {
			_ = os.RemoveAll(w.dir)
		}
	}
}

// act fills in a line of a table, carries it out, and returns what today's program says.
func (l *trial) act(line string) string { return l.carryOut(l.fill(line)) }

// carryOut lets both programs do the same, compares what they say, and returns what today's says.
func (l *trial) carryOut(words []string) string {
	l.tally.acts++
	l.done = append(l.done, strings.Join(words, " "))
	var got [2]string
	var kind string
	l.both(func(i int, w *side) { kind, got[i] = "", w.do(words) })
	switch kind = words[0]; {
	case kind == "keys":
		if l.tally.keys++; got[1] != l.stood {
			l.tally.kinds["keys that changed something"]++
		}
		l.stood = got[1]
	case strings.HasPrefix(kind, "@"):
		kind = words[1]
		fallthrough
	default:
		l.tally.answers++
	}
	l.tally.kinds[kind]++
	l.compare(strings.Join(words, " "), got)
	return got[1]
}

// both does something in both sides at once.
func (l *trial) both(do func(i int, w *side)) {
	done := make(chan int)
	for i, w := range l.sides {
		go func() { do(i, w); done <- i }()
	}
	<-done
	<-done
}

// compare compares what both programs say, in terms that both share.
func (l *trial) compare(act string, got [2]string) {
	for i, w := range l.sides {
		if !strings.HasPrefix(act, "help") { // its ids are of examples
			got[i] = w.names.shared(got[i], w.dir)
		}
	}
	for begun := time.Now(); ; { // a busy machine acts late
		if got[0] == got[1] {
			return
		}
		old, now := otherNames(got[0], got[1])
		for _, r := range rulings {
			if r.explains(act, old, now) {
				l.tally.ruled[r.name]++
				l.over = r.ends
				return
			}
		}
		if names := together(act, old, now); len(names) > 0 {
			l.tally.ruled[strings.Join(names, ", with ")]++
			return
		}
		if !strings.HasPrefix(act, "keys ") || time.Since(begun) > 5*time.Second {
			break
		}
		for i, w := range l.sides {
			w.console.settle(100 * time.Millisecond)
			got[i] = w.names.shared(w.standing(), w.dir)
		}
	}
	l.over = true
	l.tally.differing++
	old, now := apart(otherNames(got[0], got[1]))
	l.t.Errorf("trial %d, act %d: %s\nearlier: %s\ntoday:   %s\nhomes: %s\nthe acts before: %s", l.seed, len(l.done), act, old, now,
		filepath.Dir(l.sides[0].dir), strings.Join(l.done[max(0, len(l.done)-8):], " · "))
}

// apart returns the two texts around their first difference.
func apart(a, b string) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	around := func(s string) string { return fmt.Sprintf("%q", s[max(0, n-160):min(len(s), n+240)]) }
	return around(a), around(b)
}

// compareWhatIsLeft compares everything that is known at the end, and the files that are shared with other tools.
func (l *trial) compareWhatIsLeft() {
	for _, line := range []string{"list --agent ann --limit 100 --todos --json", "list --agent ben --limit 100 --json", "inbox --json", "events --after 0 --limit 1000 --json",
		"agents --json", "delegate list --json", "task list --json", "trigger list --json", "worktrees --json", "thread list --json", "todo list --json", "doctor --json"} {
		if l.over {
			return
		}
		if !strings.HasPrefix(l.act(line), "exit 0") && !strings.HasPrefix(line, "doctor") {
			l.t.Errorf("trial %d: %s is refused: it compares nothing", l.seed, line)
		}
	}
	for i := 1; i <= l.sides[0].names.count("wi") && !l.over; i++ {
		l.act(fmt.Sprintf("show ‹wi%d› --story --json", i))
	}
	var got [2]string
	for i, w := range l.sides {
		var n int
		got[i], n = w.files()
		l.tally.files += n
	}
	if !l.over {
		l.compare("the files", got)
	}
}

// names gives what is random or a moment on one side, such as the id of a work item, the name that it has in both: the
// kind and the number of its first appearance.
type names struct {
	byReal, byName map[string]string
	counts         map[string]int
}

var (
	anID       = regexp.MustCompile(`\b(wi|wt|in|dg|tk|cm|ms|br|dl|pm|task|rd|tn)-[0-9a-hjkmnp-tv-z]{4,36}\b|\b[0-9a-hjkmnp-tv-z]{26}\b|\b[0-9a-f]{40}\b|sha256:[0-9a-f]{5,64}|"next_cursor":"[^"]*"`)
	aMoment    = regexp.MustCompile(`\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?( UTC)?)?\b|\b([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?\b|\b20\d{6}T?\d{6,}Z?\b`)
	aSpan      = regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|µs|s|min|m|h|d|seconds?|minutes?|hours?|days?)\b( \d+ ?(s|m|min|h|seconds?|minutes?|hours?)\b)?|\bjust now\b|\b\d+ [KM]B\b`)
	anAccident = regexp.MustCompile(`"pid":\d+|"start":"\d+"|\bpid:? \d+|\bprocess \d+|(_ms":)\d+|-\d{5,10}(\.log)|--cursor \S+|:\d{19}\b|\b[\w-]{43}\b`)
)

// shared rewrites a text of a side in terms of both.
func (n *names) shared(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "DIR")
	text = anAccident.ReplaceAllString(text, "$1‹›$2")
	text = aMoment.ReplaceAllString(text, "‹moment›")
	text = anID.ReplaceAllStringFunc(text, n.of)
	return aSpan.ReplaceAllString(text, "‹span›")
}

func (n *names) of(real string) string {
	if strings.HasSuffix(real, "-zzzz") { // nothing has it, and one side alone may have named it
		return real
	}
	if strings.HasPrefix(real, "sha256:") {
		real = real[:len("sha256:")+5] // the earlier program's rows have five digits
	}
	if name, ok := n.byReal[real]; ok {
		return name
	}
	kind, _, ok := strings.Cut(strings.Trim(real, `"`), "-")
	switch {
	case strings.HasPrefix(real, `"next_cursor`):
		kind = "cursor"
	case !ok:
		kind = "hash"
	}
	n.counts[kind]++
	name := fmt.Sprintf("‹%s%d›", kind, n.counts[kind])
	n.byReal[real], n.byName[name] = name, real
	return name
}

func (n *names) count(kind string) int { return n.counts[kind] }

var aName = regexp.MustCompile(`‹[a-z]+\d+›`)

// real puts the side's own ids into the words of an act.
func (n *names) real(word string) string {
	return aName.ReplaceAllStringFunc(word, func(name string) string { return cmp.Or(n.byName[name], name) })
}

// inOrder writes JSON with its keys in order, line by line where there are several values; other text stays as it is.
func inOrder(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		var value any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if d.Decode(&value) != nil || d.More() {
			out = append(out, strings.Join(strings.Fields(line), " "))
			continue
		}
		raw, _ := json.Marshal(value)
		out = append(out, string(raw))
	}
	return strings.Join(out, "\n")
}
