package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/agents"
	"vise/watcher"
)

// checkup is the data of doctor.
type checkup struct {
	Home string `json:"home"`
	// Problems is how many of Checks found something.
	Problems int     `json:"problems"`
	Checks   []check `json:"checks"`
}

// check is one thing that doctor checked.
type check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

type doctorOptions struct {
	rebuild bool
	repair  bool
	timeout time.Duration
	// inChild is the part that may run for ever in a damaged file.
	inChild bool
}

func (a *app) doctorVerb() *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use: "doctor [PROGRAM]", Short: "Prove that the home is sound, or that an agent program's hooks arrive",
		Long: "doctor proves every checksum and the journal's chain, that index and counts follow from the records,\n" +
			"and looks at plan files, permissions and how changes are noticed. It exits 1 when it found something.", ValidArgs: agents.Programs,
	}
	f := c.Flags()
	f.BoolVar(&o.rebuild, "rebuild", false, "make index and counts anew from the records first")
	f.BoolVar(&o.repair, "repair", false, "first mend what loses nothing: permissions, index and counts, journal, stale leases, spool, left-overs")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "give up proving the ledger after this time")
	f.BoolVar(&o.inChild, "in-child", false, "prove the ledger in this process")
	_ = f.MarkHidden("in-child")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		switch {
		case o.inChild:
			return a.prove(ctx)
		case len(args) > 0:
			return a.doctorProgram(args[0])
		}
		return a.doctor(ctx, o)
	})
}

func (a *app) doctor(ctx context.Context, o doctorOptions) (answer, error) {
	dir, err := a.homeDir()
	if err != nil {
		return answer{}, err
	}
	out := &checkup{Home: dir, Checks: []check{}}
	if o.repair {
		out.mended("repair permissions", func() (string, error) { return repairModes(dir) })
	}
	d, err := a.open()
	if home.NoHome(err) {
		return answer{}, err
	}
	out.note("home", err, "sound")
	out.permissions(dir)
	if err == nil {
		a.examine(ctx, d, o, out)
	}
	out.threads(ctx, a)
	return answer{data: out, exit: failed(out.Problems > 0), text: func(p *page) { p.checkup(*out) }}, nil
}

// examine is what can be checked in a home that opens.
func (a *app) examine(ctx context.Context, d *home.Home, o doctorOptions, out *checkup) {
	if o.rebuild {
		h, err := d.Ledger().Rebuild(ctx)
		out.note("rebuild", err, fmt.Sprintf("%d derived rows were made anew", h.Derived))
	}
	if o.repair {
		a.repair(ctx, d, out)
	}
	for _, k := range a.proveInChild(ctx, o.timeout) {
		out.add(k.Name, k.OK, k.Message, k.Hint)
	}
	out.recoverable(ctx, a, d)
	out.plans(ctx, a, d)
	out.watching(ctx, d)
}

// add adds a check; hint is for one that is not ok.
func (c *checkup) add(name string, ok bool, message, hint string) {
	k := check{Name: name, OK: ok, Message: message}
	if !ok {
		k.Hint = hint
		c.Problems++
	}
	c.Checks = append(c.Checks, k)
}

// note adds a check that an error decides.
func (c *checkup) note(name string, err error, sound string) {
	if err == nil {
		c.add(name, true, sound, "")
		return
	}
	e := fault(err)
	c.add(name, false, e.Message, e.Hint)
}

// permissions looks for what others may read or write in a home.
func (c *checkup) permissions(dir string) {
	said := ""
	for _, name := range []string{"", "home.json", "ledger.db", "ledger.lock", "agents", "journal", "snapshots", "spool", "state", "log"} {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) || said != "":
		case err != nil:
			said = model.Text(err.Error()).String()
		case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0:
			said = fmt.Sprintf("%s is open to others (%04o)", model.Text(path), info.Mode().Perm())
		}
	}
	c.add("permissions", said == "", cmp.Or(said, "only you can read and write the home"), "vise doctor --repair makes it private")
}

// shownPlans bounds how many bad plan files are named.
const shownPlans = 10

// plans looks at the plan file of every open item.
func (c *checkup) plans(ctx context.Context, a *app, d *home.Home) {
	said := ""
	seen, behind, bad := 0, 0, 0
	look := func(w model.WorkItem) {
		seen++
		p := d.Files().Plan(w.AgentID, w.ID)
		switch {
		case p.Condition != model.PlanOK:
			bad++
			if bad <= shownPlans {
				said += fmt.Sprintf("; %s: %s", w.Handle, planReason(p))
			}
		case !model.SamePlan(p.PlanArtifact, w.PlanArtifact):
			behind++
		}
	}
	// Reading files takes as long as it takes, so a copy is read, not the ledger itself.
	err := d.Ledger().ReadCopy(ctx, func(frozen *store.Ledger) error {
		return frozen.View(ctx, func(r model.Reader) error {
			for _, x := range r.Agents("", maxAgents) {
				eachOpen(r, x.ID, look)
			}
			return nil
		})
	})
	if err != nil {
		c.note("plan files", err, "")
		return
	}
	c.add("plan files", bad == 0,
		fmt.Sprintf("%d open items, %d plans changed since the ledger noted them, %d cannot be shown%s", seen, behind, bad, said),
		"vise plan edit ID makes a missing plan again; anything else there should be moved away")
}

func planReason(p files.Plan) string { return model.Text(p.Path).String() + " " + p.Reason }

// eachOpen visits an agent's open items page by page.
func eachOpen(r model.Reader, agent model.AgentID, visit func(model.WorkItem)) {
	var after *model.Row
	for {
		l, err := model.ListItems(r, agent, model.FilterOpen, after, model.MaxLimit)
		if err != nil {
			return
		}
		for _, row := range l.Rows {
			if w, ok := r.Item(row.ID); ok {
				visit(w)
			}
		}
		if after = l.Next; after == nil {
			return
		}
	}
}

// settle is how long a watcher gets to find out how it learns of changes.
const settle = 300 * time.Millisecond

// watching tells how changes of files are noticed here.
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
		if !k.OK {
			mark, class = "PROBLEM", model.BlockedClass
		}
		rows[i] = []cell{{text: mark, paint: func(s string) string { return p.class(class, s) }}, {text: k.Name}, {text: k.Message}}
	}
	width := p.width
	p.width = 0 // a finding is told whole
	p.table(2, rows)
	p.width = width
	for _, k := range c.Checks {
		if !k.OK && k.Hint != "" {
			p.line("%s: %s", k.Name, k.Hint)
		}
	}
}
