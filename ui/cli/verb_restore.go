package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/store/recovery"
	"vise/ui/runner"
)

// repair makes the repairs that need no question, because they lose nothing.
func repair(e *Env, d *home.Home, out *checkup) {
	h, err := d.Ledger.Rebuild(e)
	out.note("repair index", err, fmt.Sprintf("%d derived rows were made again", h.Derived))
	said := "the copy of the history needed nothing"
	journal, err := d.Ledger.CheckCopy(e)
	if err == nil && (len(journal.Problems) > 0 || journal.Behind > 0) {
		said = "the copy of the history was filled from the ledger; what was damaged is kept aside"
		err = d.Ledger.HealCopy(e)
	}
	out.note("repair journal", err, said)
	said, err = repairLeases(e, d)
	out.note("repair leases", err, said)
	if left, _ := runner.Left(d.Dir(), "*"); len(left) > 0 {
		ended, named, err := runner.EndLeft(d.Dir(), "*")
		out.note("repair processes", err, fmt.Sprintf("ended: %s; not touched: %s", runner.Numbers(ended), runner.Numbers(named)))
	}
	n, err := d.TakeQueue(e)
	out.note("repair spool", err, fmt.Sprintf("%d entries were taken in", n))
	unfinished := leftOvers(d.Dir(), e.now())
	err = nil
	for _, path := range unfinished {
		err = errors.Join(err, os.RemoveAll(path))
	}
	out.note("repair left-overs", err, fmt.Sprintf("%d unfinished files were removed", len(unfinished)))
}

// repairModes removes other users' permissions in a home. It does not follow links.
func repairModes(dir string) (string, error) {
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode().Perm()&0o077 == 0 {
			return err
		}
		n++
		return os.Chmod(path, info.Mode().Perm()&^0o077)
	})
	return fmt.Sprintf("%d files and directories were made private", n), err
}

// repairLeases makes the scheduler's own sweep end the turns whose lease has expired.
func repairLeases(e *Env, d *home.Home) (string, error) {
	var stale []model.AgentID
	err := d.View(e, func(r model.Reader) error {
		for x := range model.AllAgents(r) {
			if x.Turn != nil && !x.Turn.Runs(e.now()) {
				stale = append(stale, x.ID)
			}
		}
		return nil
	})
	for _, id := range stale {
		_, tickErr := home.Send(e, d, model.Scheduler, id, model.Tick{AgentID: id})
		err = errors.Join(err, tickErr)
	}
	return fmt.Sprintf("%d turns whose lease ran out were ended", len(stale)), err
}

// leftOverAge is the age from which an unfinished file cannot have a process at work on it.
const leftOverAge = time.Hour

// leftOvers returns the unfinished files and drafts of processes that ended early.
func leftOvers(dir string, now time.Time) []string {
	var out []string
	for _, pattern := range []string{".restoring-*", ".reading-*", "ledger.db.compact", "ledger.db.changed", "ledger.db.new", "home.json.*",
		"reserve.*", "snapshots/.copying-*", "journal/*.new"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range found {
			if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > leftOverAge {
				out = append(out, path)
			}
		}
	}
	return out
}

// recoverable checks the files that a restore could start from, and the free space.
func (c *checkup) recoverable(ctx context.Context, a *Env, d *home.Home) {
	said := "none yet; the journal has all"
	all, err := recovery.Snapshots(d.Ledger.Home())
	if len(all) > 0 {
		said = fmt.Sprintf("%d, the newest of %s at revision %d", len(all), when(all[0].At), all[0].Revision)
	}
	c.note("snapshots", err, said)
	if s, err := d.Ledger.Space(); err != nil {
		c.note("space", err, "")
	} else {
		c.add("space", !s.Wasteful(), fmt.Sprintf("the ledger has %s, %s of them free", sizeOf(s.Bytes), sizeOf(s.Free)),
			"vise admin compact gives them back to the disk")
	}
	for _, x := range d.Conditions(ctx) {
		c.add(string(x.Code), false, x.Message, x.Hint)
	}
	c.waiting(d.Dir(), a.now())
}

// waiting looks for work that a process left unfinished.
func (c *checkup) waiting(dir string, now time.Time) {
	entries, refused := home.Queued(dir)
	if _, err := files.ReadDir(filepath.Join(dir, "spool")); err != nil && !files.IsGone(err) {
		c.note("spool", err, "")
	} else {
		c.add("spool", entries == 0, fmt.Sprintf("%d entries wait, %d were refused", entries, refused),
			"vise doctor --repair takes them in")
	}
	if left, err := runner.Left(dir, "*"); err != nil {
		c.note("processes", err, "")
	} else if len(left) > 0 {
		c.add("processes", false, "left running by a driver that died: "+runner.Numbers(left), "vise doctor --repair ends them")
	}
	if left := leftOvers(dir, now); len(left) > 0 {
		c.add("left-overs", false, "unfinished: "+safe(strings.Join(left, ", ")), "vise doctor --repair removes them")
	}
}

type restoreOptions struct {
	recovery.RestoreOptions
	dryRun, yes bool
	// at is a revision or a time.
	at      string
	timeout time.Duration
	// inChild selects the part that reads files that can be damaged.
	inChild bool
}

// restored is the data of restore.
type restored struct {
	recovery.Recovery
	// Done means that the draft has replaced the ledger.
	Done bool `json:"done"`
}

func restoreVerb() verb {
	o := restoreOptions{timeout: 5 * time.Minute, RestoreOptions: recovery.RestoreOptions{Command: "vise restore"}}
	return verb{
		use: "restore [FILE]", short: "Rebuild a lost or damaged ledger",
		long: `restore rebuilds the ledger from the newest sound snapshot, or from FILE, and adds the later changes of
the journal. Without a snapshot it uses the journal alone, and as the last resort the damaged file as it
was one change ago. It first shows what it will do and what would be lost, and asks. The present file is
kept in the home's aside/. Plans that FILE holds and the home lacks are restored; an existing plan
stays, and FILE's version goes into aside/. Where no home is, or only an empty directory, FILE becomes
that home, without a question. With --at the home stays as it is: the ledger of that moment becomes a new
home beside it, or in --into, with the present plan files.`,
		example: "vise restore --at '2026-11-20 16:00' --into /tmp/then && vise list --home /tmp/then",
		flags: flags{
			{"dry-run", &o.dryRun, "show what would be done, and change nothing"},
			{"yes", &o.yes, "do not ask"},
			{"to", &o.To, "go no further than this revision"},
			{"at", &o.at, "make a new home as it was at a `TIME` (2026-11-20 16:00, 16:00, 2h ago as 2h) or a revision"},
			{"into", &o.Into, "the directory of the new home (default: the home's name, -at- and the revision)"},
			{"in-child", &o.inChild, ""},
			{"blind", &o.Blind, ""},
			{"timeout", &o.timeout, "stop reading the damaged file after this time"},
		},
		who: anybody,
		run: func(e *Env) (answer, error) {
			dir, err := homeDir(e)
			if err != nil {
				return nil, err
			}
			if len(e.words) > 0 {
				o.From = absolute(e.dir, e.words[0])
				if _, err := os.Stat(o.From); files.IsGone(err) {
					return nil, notFound("no backup at %s", o.From).At("file",
						"name a file that vise backup made, or none: then the newest snapshot is used")
				}
			}
			if err := restoreArgs(e, &o); err != nil {
				return nil, err
			}
			if o.inChild {
				limitMemory()
				if o.Plans, err = files.NewHome(dir); err != nil {
					return nil, err
				}
				r, err := recovery.PlanRestore(e, dir, o.RestoreOptions)
				return &reply{data: r}, err
			}
			return restore(e, dir, o)
		},
	}
}

func restore(e *Env, dir string, o restoreOptions) (answer, error) {
	done := doing(e, "reading what there is, and proving what is made of it")
	r, err := planRestore(e, dir, o.timeout)
	done()
	if err != nil {
		return nil, err
	}
	out := &restored{Recovery: *r}
	r = &out.Recovery
	defer r.Discard()
	if !o.Copy && o.From == "" && o.To == 0 && !r.Needed() {
		out.Aside = ""
		return oneLine(out, "the ledger is sound at revision %d: there is nothing to restore", r.Revision), nil
	}
	if o.dryRun {
		return answered(out, func(p *page) { p.recovery(*r); p.line("nothing was changed") }), nil
	}
	asks := !o.yes && !r.Fresh && !o.Copy // a new home replaces nothing
	if asks {
		if err := agreed(e, r); err != nil {
			return nil, err
		}
	}
	if o.Plans, err = files.NewHome(dir); err == nil && o.Copy {
		o.NewPlans, err = files.NewHome(r.Into)
	}
	if err == nil {
		err = r.Apply(e, o.RestoreOptions)
	}
	out.Done = true
	return answered(out, func(p *page) {
		if !asks {
			p.recovery(*r)
		}
		if o.Copy {
			p.say("done: a home of its own in %s, with %d plan files as they are now; look at it with --home", r.Into, r.Copied)
			if r.Plans != nil {
				p.lacking(r.Plans.Lacking)
			}
			return
		}
		p.line("done: the ledger is at revision %d; vise doctor proves it", r.Revision)
	}).exits(failed(r.Plans != nil && len(r.Plans.Lacking) > 0)), err
}

// agreed asks.
func agreed(e *Env, r *recovery.Recovery) error {
	p := newPage(e)
	p.recovery(*r)
	if e.flags.json || !e.ttyIn {
		return refuse("a restore replaces the ledger, and there is no terminal to confirm it").
			WithHint("look at it first: vise restore --dry-run; then vise restore --yes")
	}
	p.b.WriteString("Do this? [y/N] ")
	if err := p.flush(e.err); err != nil {
		return err
	}
	if agreed, err := yes(e); err != nil {
		return err
	} else if !agreed {
		return refuse("nothing was changed").WithHint("vise restore asks again")
	}
	return nil
}

// recovery shows what a restore will do.
func (p *page) recovery(r recovery.Recovery) {
	switch {
	case r.Into != "":
		p.say("begin with: %s, at revision %d; %d changes of the journal on top", r.Source, r.SourceRevision, r.Replayed)
		p.say("as it was at revision %d, of %s; as the home %s", r.Revision, when(r.Made), r.Into)
		return
	case r.Fresh:
		p.say("there is no home in %s yet: the backup becomes one, with its id", r.Home)
	case r.Ledger != "":
		p.say("the ledger: %s", r.Ledger)
	default:
		p.line("the ledger is sound")
	}
	if r.NewHome {
		p.line("home.json is missing or unreadable: it is made again")
	}
	for _, s := range r.Passed {
		p.say("passed over: %s", s)
	}
	p.say("begin with: %s, at revision %d", r.Source, r.SourceRevision)
	p.line("on top: %d changes of the journal, up to revision %d", r.Replayed, r.Revision)
	p.loss(r)
	if r.Aside != "" {
		p.say("the present file is kept as %s", r.Aside)
	}
	p.plansBack(r.Plans)
}

// loss shows what cannot be recovered, and which file shows it.
func (p *page) loss(r recovery.Recovery) {
	if r.Diverged > 0 {
		kept := "the journal's"
		if r.Keeps == "file" {
			kept = "that of " + r.Source
		}
		p.say("TWO HISTORIES: copies of this home both went on, and diverge at revision %d. This keeps %s;", r.Diverged, kept)
		p.line("the other one goes into aside/. vise restore FILE keeps that of a file, also of the present ledger.db")
	}
	x := r.Lost
	word := "lost"
	if x.AtLeast > 0 {
		word = "LOST"
	}
	switch {
	case x.None():
		p.line("nothing is lost")
		return
	case x.AtMost == nil:
		p.line("%s: at least %d changes; the most is not known", word, x.AtLeast)
	case *x.AtMost == x.AtLeast:
		p.line("%s: %d changes, revisions %d to %d", word, x.AtLeast, r.Lost.From, r.Lost.From+x.AtLeast-1)
	default:
		p.line("%s: at least %d, at most %d changes, from revision %d on", word, x.AtLeast, *x.AtMost, r.Lost.From)
	}
	for _, s := range x.Evidence {
		p.say("  %s", s)
	}
	for _, s := range x.Missing {
		p.say("  may be missing: %s", s)
	}
}

// lacking names the files that could not be read.
func (p *page) lacking(files []string) {
	for _, x := range files {
		p.say("NOT IN IT: %s", x)
	}
}

// plansBack shows what happens to a backup's plan files.
func (p *page) plansBack(b *recovery.PlansBack) {
	if b == nil {
		return
	}
	p.line("plans, their saves and long reports: the backup has %d; %d are there as they are, %d are missing and made again",
		b.Saved, b.Same, b.Missing)
	if b.Differ > 0 {
		p.say("       %d differ (%d of them newer than the backup's) and stay; the backup's are put into %s", b.Differ, b.Newer,
			b.Aside)
	}
	p.lacking(b.Lacking)
	if b.Damaged != "" {
		p.say("       not all of them can be read: %s", b.Damaged)
	}
}

// planRestore makes a child process prepare the draft: reading a damaged file can run for ever, or end the process. If that happens,
// another child leaves that file out.
func planRestore(e *Env, dir string, limit time.Duration) (*recovery.Recovery, error) {
	r := &recovery.Recovery{}
	args := append([]string{"--in-child=true", "--home=" + dir}, e.args...)
	err := inChild(e, "", limit, r, args...)
	if errors.Is(err, errBrokeDown) && e.Err() == nil {
		err = inChild(e, "", limit, r, append([]string{"--blind=true"}, args...)...)
	}
	return r, err
}

// restoreArgs reads the value of --at, and makes --into absolute.
func restoreArgs(e *Env, o *restoreOptions) (err error) {
	o.Copy = o.at != ""
	switch {
	case o.Into != "" && !o.Copy:
		return misuse("into", "--into is for --at").WithHint("vise restore --at TIME --into DIR")
	case o.Copy && o.To > 0:
		return misuse("at", "--at makes a new home, --to takes this one back").WithHint("give one of them")
	case !o.Copy:
		return nil
	case o.Into != "":
		o.Into = absolute(e.dir, o.Into)
	}
	if n, err := strconv.ParseUint(o.at, 10, 64); err == nil && n > 0 {
		o.To = n
		return nil
	}
	if o.At, err = pastTime(o.at, e.now()); err != nil {
		return misuse("at", "%s is %v", o.at, err).
			WithHint("a revision (1200), a time (2026-11-20 16:00, 16:00) or a span back from now (2h)")
	}
	return nil
}

// pastTime reads a time in the past: a span before now, or a time in the form of model.ParseTime.
func pastTime(s string, now time.Time) (time.Time, error) {
	if d, err := model.ParseSpan(s); err == nil {
		return now.Add(-d), nil
	}
	t, err := time.ParseInLocation(time.DateTime, s, now.Location())
	if err != nil {
		t, err = model.ParseTime(s, now.AddDate(0, 0, -1)) // a time of day is its last occurrence
	}
	switch {
	case err != nil:
		return t, errors.New("not a time")
	case t.After(now):
		return t, errors.New("not in the past")
	}
	return t, nil
}
