package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/store/lock"
	"vise/store/transfer"
	"vise/themes"
	"vise/ui/agents"
	"vise/ui/runner"
	"vise/watcher"
)

// checkup is the data of doctor.
type checkup struct {
	Home string `json:"home"`
	// Problems is the number of Checks that found something.
	Problems int     `json:"problems"`
	Checks   []check `json:"checks"`
}

// check is one thing that doctor checked.
type check = agents.Check

type doctorOptions struct {
	repair  bool
	timeout time.Duration
	// inChild selects the checks that can run for ever on a damaged file.
	inChild bool
}

func doctorVerb() verb {
	o := doctorOptions{timeout: 5 * time.Minute}
	var project bool
	return verb{
		use: "doctor [PROGRAM]", short: "Check that the home is sound, or that an agent program's hooks arrive",
		long: `doctor checks the ledger (checksums, journal, index and counts), the plan files, permissions and how
changes are noticed. It exits 1 if it found a problem, or had NO TIME for a check. With PROGRAM it checks that program's settings,
permissions and trusted hooks, starts the MCP server and calls a tool, and lists which hooks were seen.`,
		example: "vise doctor\nvise doctor claude", words: agents.Programs,
		flags: flags{
			{"repair", &o.repair, "first repair what can be repaired without loss: permissions, index and counts, journal, " +
				"stale leases, spool, left-overs"},
			{"timeout", &o.timeout, "stop checking the ledger after this time"},
			{"project", &project, "with PROGRAM: check the settings of this git worktree"},
			{"in-child", &o.inChild, ""},
		},
		who: anybody,
		run: func(e *Env) (answer, error) {
			if o.repair || o.inChild {
				if err := offCluster(e, insteadOfDoctor); err != nil {
					return nil, err
				}
			}
			switch {
			case o.inChild:
				return prove(e)
			case len(e.words) == 0:
				return doctor(e, o)
			}
			var with agents.Options
			if project {
				with.Project = agents.Worktree(e.dir)
			}
			with, err := installOptions(e, e.words[0], with)
			if err != nil {
				return nil, err
			}
			list, err := agents.Doctor(with, e.now())
			if err != nil {
				return nil, err
			}
			out := checkup{Home: with.Home, Checks: []check{}}
			for _, c := range append(list, agents.Serves(e, with)) {
				out.put(c)
			}
			out.transcripts(e, e.words[0])
			return answerOf(out, (*page).checkup).exits(failed(out.Problems > 0)), nil
		},
	}
}

func doctor(e *Env, o doctorOptions) (answer, error) {
	dir, err := homeDir(e)
	if err != nil {
		return nil, err
	}
	out := &checkup{Home: dir, Checks: []check{}}
	if o.repair {
		said, err := repairModes(dir)
		out.note("repair permissions", err, said)
	}
	d, err := open(e)
	if home.NoHome(err) {
		return nil, err
	}
	out.note("home", err, "sound")
	ctx := lock.WithLimit(e, doctorLimit)
	out.permissions(dir)
	if err == nil && o.repair {
		repair(e, d, out)
	}
	if err == nil {
		examine(e, ctx, d, o, out)
	}
	out.threads(e)
	out.programs(e)
	out.transcripts(e, agents.Programs...)
	out.colours(e)
	bad := slices.ContainsFunc(out.Checks, func(k check) bool { return !k.OK })
	return &reply{data: out, conditions: true, exit: failed(bad), text: func(p *page) { p.checkup(*out) }}, nil
}

// programs checks that the programs of the configured agents are installed.
func (c *checkup) programs(e *Env) {
	s, _ := settings(e, "agents", "") // vise admin config check reports errors in the configuration
	all, _ := runner.Programs(s.Agents)
	for _, agent := range slices.Sorted(maps.Keys(all)) {
		p, is := all[agent].Spec(), " is installed"
		_, err := exec.LookPath(p.Command[0])
		if err != nil {
			is = " is not installed"
		}
		c.add("program of "+string(agent), err == nil, p.Command[0]+is, cmp.Or(p.Install, "put it where PATH finds it"))
	}
}

// transcripts reports programs whose newest transcript has a format that vise does not know.
func (c *checkup) transcripts(e *Env, programs ...string) {
	for _, program := range programs {
		path := agents.Unread(agents.Options{Program: program, Home: c.Home, Getenv: e.getenv}, e.now)
		if path == "" {
			continue
		}
		message := fmt.Sprintf("the format of %s is not known: no words, calls and tokens are read from it", model.Text(path))
		c.add("transcripts of "+program, false, message, "a later vise may know it; until then: vise report ID TEXT")
	}
}

// colours reports which colours the console would show, and why.
func (c *checkup) colours(e *Env) {
	s, _ := settings(e, "colours", "") // vise admin config check reports errors in the configuration
	c.add("colours", true, themes.Describe(string(s.Colours), e.out, os.Environ()), "")
}

// doctorLimit is how long doctor waits for the ledger's lock. The proof does not need the lock.
const doctorLimit = time.Second

// examine makes the checks that need an open home.
func examine(e *Env, ctx context.Context, d *home.Home, o doctorOptions, out *checkup) {
	revision := uint64(0)
	err := d.View(ctx, func(r model.Reader) error { revision = r.Revision(); return nil })
	out.note("reading", err, fmt.Sprintf("the ledger answers, at revision %d", revision))
	plans := make(chan check, 1)
	go func() { plans <- checkPlans(ctx, d) }()
	if _, shared := d.Ledger.Cluster(); shared {
		x, err := transfer.Archived(ctx, d.Ledger)
		out.note("archive", err, cmp.Or(x.Said(), "it has nothing")+"; vise admin fleet check checks the ledger itself")
	} else {
		done := doing(e, "proving the ledger, and looking at the plan files")
		proved := proveInChild(e, ctx, o.timeout)
		done()
		for _, k := range proved {
			out.put(k)
		}
		out.recoverable(ctx, e, d)
	}
	out.put(<-plans)
	out.watching(ctx, d)
}

// add adds a check. hint is shown if the check is not ok.
func (c *checkup) add(name string, ok bool, message, hint string) {
	c.put(check{Name: name, OK: ok, Message: message, Hint: hint})
}

func (c *checkup) put(k check) {
	if k.OK {
		k.Hint = ""
	} else if !k.NoTime && !k.NotYet {
		c.Problems++
	}
	c.Checks = append(c.Checks, k)
}

// notMade is a check that an error ended.
func notMade(name string, err error) check {
	e := fault(err)
	return check{Name: name, Message: e.Message, Hint: e.Hint,
		NoTime: errors.Is(err, context.DeadlineExceeded) || e.Code == model.CodeBusy}
}

// note adds a check that fails if err is not nil.
func (c *checkup) note(name string, err error, sound string) {
	if err == nil {
		c.add(name, true, sound, "")
		return
	}
	c.put(notMade(name, err))
}

// permissions looks for files in a home that others can read or write.
func (c *checkup) permissions(dir string) {
	said := ""
	for _, name := range []string{"", "home.json", "ledger.db", "ledger.lock", "agents", "journal", "snapshots", "spool", "state", "log"} {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		switch {
		case files.IsGone(err) || said != "":
		case err != nil:
			said = safe(err.Error())
		case info.Mode()&fs.ModeSymlink == 0 && openToOthers(info):
			said = fmt.Sprintf("%s is open to others (%04o)", model.Text(path), info.Mode().Perm())
		}
	}
	c.add("permissions", said == "", cmp.Or(said, "only you can read and write the home"), "vise doctor --repair makes it private")
}

func openToOthers(info fs.FileInfo) bool {
	_, _, open := files.Others(info)
	return open != 0
}

// shownPlans is the most bad plan files that are named.
const shownPlans = 10

// checkPlans checks the plan file of every open item. Reading files can take long, so it reads the ledger one page at a time.
func checkPlans(ctx context.Context, d *home.Home) check {
	said := ""
	seen, behind, bad := 0, 0, 0
	err := eachOpen(ctx, d, func(items *files.Items, w model.WorkItem) {
		seen++
		p := items.Plan(w.ID)
		switch {
		case p.Condition == model.PlanMissing && d.PlanElsewhere(w.AgentID, w.ID): // on another machine
		case p.Condition != model.PlanOK:
			bad++
			if bad <= shownPlans {
				said += fmt.Sprintf("; %s: %s", w.Handle, safe(p.Path)+" "+p.Reason)
			}
		case !model.SamePlan(p.PlanArtifact, w.PlanArtifact):
			behind++
		}
	})
	if err != nil {
		return notMade("plan files", err)
	}
	return check{Name: "plan files", OK: bad == 0,
		Message: fmt.Sprintf("%d open items, %d plans changed since the ledger noted them, %d cannot be shown%s", seen, behind, bad, said),
		Hint:    "vise plan edit ID makes a missing plan again; anything else there should be moved away"}
}

// eachOpen visits the open items of all agents, with the plans of their agent. It reads one page at a time.
func eachOpen(ctx context.Context, d *home.Home, visit func(*files.Items, model.WorkItem)) error {
	var agents []model.Agent
	err := d.View(ctx, func(r model.Reader) error { agents = slices.Collect(model.AllAgents(r)); return nil })
	for _, x := range agents {
		items := d.Files().Items(x.ID)
		var after *model.Row
		for more := true; more && err == nil; more = after != nil {
			var page []model.WorkItem
			err = d.View(ctx, func(r model.Reader) error {
				l, err := model.ListItems(r, x.ID, model.FilterOpen, after, model.MaxLimit)
				page, after = nil, l.Next
				for _, row := range l.Rows {
					if w, ok := r.Item(row.ID); ok {
						page = append(page, w)
					}
				}
				return err
			})
			for _, w := range page {
				visit(items, w)
			}
		}
		items.Close()
	}
	return err
}

// settle is how long a watcher gets to find out how it learns of changes.
const settle = 300 * time.Millisecond

// watching reports how vise notices changes of files here.
func (c *checkup) watching(ctx context.Context, d *home.Home) {
	ctx, stop := context.WithTimeout(ctx, settle)
	defer stop()
	w, err := watcher.Start(ctx, watcher.Config{Home: d.Files(), Ledger: filepath.Join(d.Dir(), "ledger.db")})
	if err != nil {
		c.note("watching", err, "")
		return
	}
	_, _ = w.Next(ctx)
	mode := w.Mode()
	w.Close()
	c.add("watching", !mode.Polling(), mode.String(),
		"raise fs.inotify.max_user_watches and max_user_instances; polling works too, only later")
}

func (p *page) checkup(c checkup) {
	rows := make([][]cell, len(c.Checks))
	for i, k := range c.Checks {
		mark, class := "ok", model.CompletedRecent
		switch {
		case k.NoTime:
			mark, class = "NO TIME", model.BlockedClass
		case k.NotYet:
			mark, class = "not yet", model.QueuedRunnable
		case !k.OK:
			mark, class = "PROBLEM", model.BlockedClass
		}
		rows[i] = []cell{{text: mark, paint: func(s string) string { return p.class(class, s) }}, {text: k.Name}, {text: k.Message}}
	}
	width := p.width
	p.width = 0 // a finding is not cut
	p.table(2, rows)
	p.width = width
	for _, k := range c.Checks {
		if !k.OK && k.Hint != "" {
			p.line("%s: %s", k.Name, k.Hint)
		}
	}
}
