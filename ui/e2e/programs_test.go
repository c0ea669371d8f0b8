package e2e

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	service "vise/store/home"
	"vise/store/storetest"
	"vise/ui/agents"
)

// programsVariable names the directories, as absolute paths with colons between them, of the agents' programs. Each runs with a scripted
// model, and each version that differs.
const programsVariable = "VISE_PROGRAMS"

var matrix = flag.Bool("matrix", false, "write what the programs did into docs/matrix.md")

// scripted are the programs that can use our model, each with one way of working.
var scripted = []string{"claude", "codex", "codex, " + codeMode, "opencode", "crush", "gemini", "copilot"}

// codeMode is the way of working in which Codex's model writes scripts that call tools.
const codeMode = "code mode"

// programLimit bounds a run on a busy machine.
const programLimit = 3 * time.Minute

// TestProgramsWorkWithVise runs the real programs and compares the results with the table in docs/matrix.md. Without
// -tags soak only the short cases run.
//
//	VISE_PROGRAMS=DIR:DIR go test -tags soak ./ui/e2e -run ProgramsWork -matrix
func TestProgramsWorkWithVise(t *testing.T) {
	storetest.Slow(t)
	dirs := filepath.SplitList(os.Getenv(programsVariable))
	if len(dirs) == 0 {
		storetest.Lacks(t, "agents' programs ("+programsVariable+" names their directories)")
	}
	got := map[string]map[string]string{}
	t.Run("runs", func(t *testing.T) {
		for _, name := range scripted {
			for _, dir := range dirs {
				runProgram(t, dir, name, got)
			}
		}
	})
	if len(got) == 0 {
		t.Skipf("none of %v is in %v", scripted, dirs)
	}
	const page = "../../docs/matrix.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := matrixIn(t, string(raw))
	if *matrix && !t.Failed() {
		before, rest, _ := strings.Cut(string(raw), matrixBegins)
		_, after, _ := strings.Cut(rest, matrixEnds)
		if err := os.WriteFile(page, []byte(before+matrixBegins+matrixOf(rows, got)+matrixEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, cells := range got {
		for c, cell := range cells {
			if said := saidOf(rows[c][name], got[name][versionRow]); said != cell {
				t.Errorf("%s, %s: %q, docs/matrix.md says %q", name, c, cell, said)
			}
		}
	}
}

// runProgram runs the cases of a program in a directory. The cells of a version that ran before stay where they are the same; where they
// differ, both name their version.
func runProgram(t *testing.T, dir, name string, got map[string]map[string]string) {
	program, way, _ := strings.Cut(name, ", ")
	path := filepath.Join(dir, program)
	out, err := programCommand(t.TempDir(), path, "--version").Output()
	version := regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(string(out))
	if err != nil || version == "" {
		t.Logf("%s is not installed: %v", path, err)
		storetest.NoteLack(program)
		return
	}
	if got[name] == nil {
		got[name] = map[string]string{}
	}
	earlier := got[name][versionRow]
	if strings.Contains(earlier, version) {
		return
	}
	got[name][versionRow] = strings.TrimPrefix(earlier+versions+version, versions)
	for _, c := range programCases {
		if !c.short && !storetest.Long {
			continue
		}
		t.Run(name+" "+version+"/"+c.name, func(t *testing.T) {
			r := newProgramRun(t, program, path)
			r.way = way
			if c.script != nil {
				r.play(c)
			}
			switch was, cell := got[name][c.name], c.got(r); {
			case was == "" || was == cell:
				got[name][c.name] = cell
			default:
				got[name][c.name] = fmt.Sprintf("%s (%s)%s%s (%s)", was, earlier, versions, cell, version)
			}
			if t.Failed() {
				t.Logf("the program said:\n%s", r.said.String())
			}
		})
	}
}

// versions stands between the two versions of a program, and between their cells where they differ.
const versions = " / "

// saidOf is what a cell says of some versions: all of it, or one version's part.
func saidOf(cell, of string) string {
	for part := range strings.SplitSeq(cell, versions) {
		if said, ok := strings.CutSuffix(part, " ("+of+")"); ok || part == of {
			return said
		}
	}
	return cell
}

// TestTheMatrixOfProgramsIsWhole: the table has a row for each case and a cell for each program, none empty.
func TestTheMatrixOfProgramsIsWhole(t *testing.T) {
	raw, err := os.ReadFile("../../docs/matrix.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := matrixIn(t, string(raw))
	for _, row := range matrixRows() {
		for _, name := range scripted {
			if rows[row][name] == "" {
				t.Errorf("docs/matrix.md does not say of %s: %s", name, row)
			}
		}
	}
	if len(rows) != len(matrixRows()) {
		t.Errorf("docs/matrix.md has %d rows, want %d", len(rows), len(matrixRows()))
	}
}

const (
	matrixBegins = "<!-- Written by TestProgramsWorkWithVise -matrix. -->\n"
	matrixEnds   = "<!-- End of what it wrote. -->\n"
	versionRow   = "version"
)

// matrixRows are the names of the table's rows.
func matrixRows() []string {
	out := []string{versionRow}
	for _, c := range programCases {
		out = append(out, c.name)
	}
	return out
}

// matrixOf returns the table with the new results; what did not run keeps its cell.
func matrixOf(was, got map[string]map[string]string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "\n| | %s |\n|---|%s\n", strings.Join(scripted, " | "), strings.Repeat("---|", len(scripted)))
	for _, row := range matrixRows() {
		fmt.Fprintf(b, "| %s |", row)
		for _, name := range scripted {
			fmt.Fprintf(b, " %s |", cmp.Or(got[name][row], was[row][name], "not run"))
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// matrixIn returns the cells of the written table, by case and program.
func matrixIn(t *testing.T, page string) map[string]map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(page, matrixBegins)
	table, _, ends := strings.Cut(rest, matrixEnds)
	if !ok || !ends {
		t.Fatal("docs/matrix.md has no table of programs")
	}
	rows := map[string]map[string]string{}
	var columns []string
	for n, line := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if n == 0 {
			columns = cells
		}
		if n < 2 || len(cells) != len(columns) {
			continue
		}
		row := map[string]string{}
		for i, name := range columns[1:] {
			row[strings.TrimSpace(name)] = strings.TrimSpace(cells[i+1])
		}
		rows[strings.TrimSpace(cells[0])] = row
	}
	return rows
}

// programRun is one run of a program, with homes of its own.
type programRun struct {
	t               *testing.T
	name, way, path string
	// user is the home directory in which it works; items are the agent's items, the first is its focus.
	user  string
	items []model.ItemID
	model scriptedModel
	said  bytes.Buffer
	// signal ends the program and what it started.
	signal func(syscall.Signal)
}

func newProgramRun(t *testing.T, name, path string) *programRun {
	r := &programRun{t: t, name: name, path: path, user: t.TempDir()}
	storetest.KeepOnFailure(t, r.user)
	bin := filepath.Join(r.user, "bin")
	self, err := os.Executable()
	if err == nil {
		err = os.Mkdir(bin, 0o755)
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "vise"))
	}
	if err == nil { // vise install asks it for its version
		err = os.Symlink(path, filepath.Join(bin, name))
	}
	if err != nil {
		t.Fatal(err)
	}
	for below, text := range headless(name, "", "", false).Files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(r.user, below)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.user, below), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.vise("init", "--agent", name)
	for range 3 {
		made := r.vise("new", "Split the limiter", "--json")
		r.items = append(r.items, model.ItemID(regexp.MustCompile(`wi-[0-9a-z]{26}`).Find(made)))
	}
	r.vise("pick", string(r.items[0]))
	r.vise("install", name)
	return r
}

// vise runs a verb as the operator.
func (r *programRun) vise(args ...string) []byte {
	r.t.Helper()
	c := programCommand(r.user, filepath.Join(r.user, "bin", "vise"), args...)
	c.Args[0], c.Env = "vise", append(c.Env, "VISE_ACTOR=operator")
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("vise %v: %v\n%s", args, err, out)
	}
	return out
}

// programCommand returns a program's process, with a home directory and an environment of its own.
func programCommand(user, path string, args ...string) *exec.Cmd {
	c := exec.Command(path, args...)
	c.Dir, c.Env = user, userEnv(user)
	return c
}

// userEnv is the environment of a user who has only vise.
func userEnv(user string) []string {
	return []string{"HOME=" + user, "PATH=" + filepath.Join(user, "bin") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8"}
}

// play runs the program with its prompt until it ends.
func (r *programRun) play(c programCase) {
	r.t.Helper()
	r.model.Script = c.script(r)
	server := httptest.NewServer(&r.model)
	defer server.Close()
	run := headless(r.name, server.URL, "Work.", r.way == codeMode)
	if !c.untrusted {
		r.vise("install", r.name, "--permit")
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), programLimit)
	defer cancel()
	cmd := programCommand(r.user, r.path, run.Args...)
	cmd.Env = append(cmd.Env, run.Env...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &r.said, &r.said, 5*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	group := -cmd.Process.Pid
	r.signal = func(with syscall.Signal) { _ = syscall.Kill(group, with) }
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	err := cmd.Wait()
	stop()
	_ = syscall.Kill(group, syscall.SIGKILL) // the files that it left
	if ctx.Err() != nil {
		r.t.Fatalf("the program did not end: %v\n%s", err, r.said.String())
	}
	if len(r.model.Requests()) == 0 {
		r.t.Fatalf("the program asked its model nothing: %v\n%s", err, r.said.String())
	}
}

// report says whether an item's report was kept or offered, and its source. If none came while the program ran, a later
// command can bring it, for up to 30 s.
func (r *programRun) report(id model.ItemID) string {
	r.t.Helper()
	said := r.reportAfter(id, service.Options{})
	if said == noWords && r.name == "crush" {
		said = r.reportFollowed(id)
	}
	if said == noWords {
		later := func() time.Time { return time.Now().Add(31 * time.Second) }
		if after := r.reportAfter(id, service.Options{Now: later, TakePending: agents.TakePending}); after != noWords {
			return after + ", 30 s later"
		}
	}
	return said
}

const noWords = "no words"

// sources are the sources of a report, in the page's words.
var sources = map[model.ReportOf]string{
	model.ReportSameRound: "same reply", model.ReportNearRound: "nearby reply", model.ReportTurnFinal: "last words",
}

// reportFollowed is report for a program whose session vise reads in the background.
func (r *programRun) reportFollowed(id model.ItemID) string {
	r.t.Helper()
	h, err := service.Open(filepath.Join(r.user, ".local", "share", "vise"), service.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	defer h.Close()
	soon, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	said := noWords
	for revision := uint64(0); said == noWords && soon.Err() == nil; {
		revision, _ = h.Follow(soon, revision) // ends when its time is over
		said = r.reportAfter(id, service.Options{})
	}
	return said
}

func (r *programRun) reportAfter(id model.ItemID, o service.Options) (out string) {
	r.t.Helper()
	h, err := service.Open(filepath.Join(r.user, ".local", "share", "vise"), o)
	if err != nil {
		r.t.Fatal(err)
	}
	defer h.Close()
	err = h.View(ctx, func(x model.Reader) error {
		w, _ := x.Item(id)
		v := model.ViewOf(x, w)
		switch {
		case v.State != model.Completed:
			out = "open"
		case v.Report != nil:
			out = sources[v.Report.By] + ", kept"
			r.expect(v.Report.Text)
			if own := strings.TrimPrefix(v.Report.Text.Raw(), reportWords); own != "" && own != ownWords(id) && v.Report.By == model.ReportSameRound {
				out = "another's words"
			}
		default:
			out = noWords
			var from []string
			for _, o := range v.Offered {
				from = append(from, sources[o.Provenance])
				r.expect(o.Text)
			}
			if len(from) > 0 {
				out = strings.Join(from, " and ") + ", offered"
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// expect checks that a text is exactly one that the model said.
func (r *programRun) expect(text model.Text) {
	r.t.Helper()
	if !slices.ContainsFunc(r.model.Script, func(s scriptedReply) bool { return s.Text == text.Raw() }) {
		r.t.Errorf("nobody said %q", text)
	}
}
