package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/model/todo"
	"vise/store/todos"
)

// upkeepRounds is how often an act that takes seconds is timed.
const upkeepRounds = 3

// upkeep times commands that read a whole home, or many file todos, as whole processes.
func (b *bench) upkeep() {
	b.manyTodos()
	for _, s := range b.shapes(false) {
		h := b.home(s)
		// The plan files of these homes are missing, and doctor reports that.
		doctor := []string{"sh", "-c", `"$0" doctor || [ $? = 1 ]`, b.vise}
		kept := func(n int) string { return filepath.Join(b.dir, fmt.Sprintf("backup-%d-%d", s.items, n)) }
		made := func(n int) string { return filepath.Join(b.dir, fmt.Sprintf("restored-%d-%d", s.items, n)) }
		identity, err := os.ReadFile(filepath.Join(h.dir, "home.json"))
		b.must(err)
		for n := range upkeepRounds + 2 { // homes without ledgers
			b.must(os.WriteFile(filepath.Join(b.made(made(n)), "home.json"), identity, 0o600))
		}
		holon := b.holon(s)
		of := func(name string, argv func(int) []string) *act {
			return &act{program: "vise", name: name, size: h.String(), argv: argv, env: []string{"VISE_HOME=" + h.dir, "VISE_ACTOR=operator"}}
		}
		b.inTurns([]*act{
			of("search all", fixed(b.vise, "search", "nothing-holds-this")),
			of("doctor", fixed(doctor...)),
			of("backup", func(n int) []string { return []string{b.vise, "backup", kept(n)} }),
			of("restore", func(n int) []string { return []string{b.vise, "restore", kept(0), "--yes", "--home", made(n)} }),
			of("compact", func(n int) []string { return []string{b.vise, "compact", "--home", made(n)} }),
			of("import holon", func(n int) []string {
				return []string{b.vise, "import", "holon", holon, "--home", fmt.Sprint(made(n), "-imported")}
			}),
		}, upkeepRounds)
		b.report.add(figure{Row: "disk an item, compacted", Program: "vise", Size: h.String(), Unit: "KB", N: 1,
			P50: float64(b.bytes(made(0))) / 1000 / float64(s.items)})
	}
}

// holon makes a ledger of Holon with as many work items, half of them completed, and returns its directory.
func (b *bench) holon(s shape) string {
	dir := filepath.Join(b.dir, fmt.Sprint("holon-", s.items))
	var lines strings.Builder
	for i := range s.items {
		state := [...]string{"open", "completed"}[i%2]
		fmt.Fprintf(&lines, `{"id":"work_%d","agent_id":"builder","state":%q,"plan_status":"ready","revision":1,"workspace_id":"agent_home:builder",`+
			`"objective":"Split part %d of the gateway into a service of its own: with its tests","todo_list":[{"text":"measure","state":"pending"}]}`+"\n",
			i, state, i)
	}
	b.must(os.WriteFile(filepath.Join(b.made(filepath.Join(dir, ".holon", "ledger")), "work_items.jsonl"), []byte(lines.String()), 0o600))
	return dir
}

// bytes returns the size of a home's files, without those that were put aside.
func (b *bench) bytes(dir string) (n int64) {
	b.must(filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "aside":
			return fs.SkipDir
		case d.Type().IsRegular():
			info, err := d.Info()
			if err != nil {
				return err
			}
			n += info.Size()
		}
		return nil
	}))
	return n
}

// manyTodos times the readers of 10,000 todo files in five sessions.
func (b *bench) manyTodos() {
	const sessions, each = 5, 2000
	repo := filepath.Join(b.dir, "repository")
	by := todo.Move{Actor: todo.Actor{Name: "bench", Operator: true}, At: time.Now(), Reason: "measured"}
	for i := range sessions {
		dir := b.made(filepath.Join(repo, "tmp", "reviews", fmt.Sprintf("s%d", i), "todos", "review"))
		for n := range each {
			d := todo.Draft{Title: model.Text(fmt.Sprintf("finding %d in the code", n)), Source: "review", SourceRef: "TOME.md",
				Status: []todo.Status{todo.Pending, todo.Ready}[n%2], Priority: todo.Priorities()[n%3],
				FindingID: model.Text(fmt.Sprintf("SEC-%d-%d", i, n)),
				Problem:   model.Text(strings.Repeat("The table keeps what is old, and the process grows. ", 24))}
			t, err := todo.New(d, fmt.Sprintf("%03d", n+1), by)
			b.must(err)
			b.must(os.WriteFile(filepath.Join(dir, t.File), todos.Render(t, d, todo.Note{At: by.At, Phase: "Initial Discovery"}), 0o600))
		}
	}
	b.made(filepath.Join(repo, ".git"))
	h := b.home(b.shapes(false)[0])
	of := func(name string, argv ...string) *act {
		return &act{program: "vise", name: name + ", 10k files", argv: fixed(append([]string{b.vise}, argv...)...), dir: repo,
			env: []string{"VISE_HOME=" + h.dir, "VISE_ACTOR=operator"}}
	}
	b.inTurns([]*act{of("todo list", "todo", "list"), of("todo next", "todo", "next"), of("todo triage", "todo", "triage"),
		of("todo search", "search", "SEC-3-77")}, upkeepRounds)
	x := b.terminal(h.env(agentName(0)), "sh", "-c", `cd "$0" && exec "$1"`, repo, b.vise)
	defer x.end()
	x.changes(time.Now(), 5*time.Second, time.Second)
	_, err := x.file.WriteString("T")
	b.must(err)
	if _, ok := x.shows("finding ", 20*time.Second); !ok {
		shown, _ := x.state()
		b.Fatalf("no finding on the console:\n%s", shown)
	}
	<-time.After(idleFor)
	b.report.add(figure{Row: "resident, 10k file todos in triage", Program: "vise", Size: h.String(), Unit: "MiB", P50: rssOf(x.cmd.Process.Pid), N: 1})
}

// made makes a directory.
func (b *bench) made(dir string) string {
	b.must(os.MkdirAll(dir, 0o755))
	return dir
}
