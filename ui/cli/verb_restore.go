package cli

import (
	"bufio"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

type restoreOptions struct {
	dryRun, yes bool
	to          uint64
	timeout     time.Duration
	// inChild is the part that reads files that may be damaged.
	inChild, blind bool
}

// restored is the data of restore.
type restored struct {
	store.Recovery
	// Done: the draft is in the ledger's place.
	Done bool `json:"done"`
}

func (a *app) restoreVerb() *cobra.Command {
	var o restoreOptions
	c := &cobra.Command{
		Use: "restore [FILE]", Short: "Make a lost or damaged ledger again",
		Long: "restore makes the ledger again from the newest snapshot that proves sound, or from FILE, with the\n" +
			"journal's later changes on top; from the journal alone if there is no snapshot; and as the last resort\n" +
			"from the damaged file as it was one change ago. It first shows what it will do and what is lost, if\n" +
			"anything, and asks. The present file is kept in the home's aside/, never deleted. Plans that FILE holds\n" +
			"and the home lacks are made again; a plan that is there stays, and another one of FILE goes into aside/.",
	}
	f := c.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be done, and change nothing")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.Uint64Var(&o.to, "to", 0, "go no further than this revision")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "give up reading the damaged file after this time")
	f.BoolVar(&o.inChild, "in-child", false, "make the draft in this process")
	f.BoolVar(&o.blind, "blind", false, "do not look into the present ledger")
	_ = f.MarkHidden("in-child")
	_ = f.MarkHidden("blind")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		dir, err := a.homeDir()
		if err != nil {
			return answer{}, err
		}
		from := ""
		if len(args) > 0 {
			if from, err = filepath.Abs(args[0]); err != nil {
				return answer{}, err
			}
		}
		if o.inChild {
			limitMemory()
			plans, err := files.NewHome(dir)
			if err != nil {
				return answer{}, err
			}
			r, err := store.PlanRestore(ctx, dir, store.RestoreOptions{From: from, To: o.to, Blind: o.blind, Plans: plans, Command: "vise restore"})
			return answer{data: r, text: func(*page) {}}, err
		}
		return a.restore(ctx, dir, from, o)
	})
}

func (a *app) restore(ctx context.Context, dir, from string, o restoreOptions) (answer, error) {
	r, err := a.planRestore(ctx, dir, from, o)
	if err != nil {
		return answer{}, err
	}
	out := &restored{Recovery: *r}
	defer r.Discard()
	if !r.Needed() && from == "" && o.to == 0 {
		out.Aside = ""
		return answer{data: out, text: func(p *page) {
			p.line("the ledger is sound at revision %d: there is nothing to restore", r.Revision)
		}}, nil
	}
	if o.dryRun {
		return answer{data: out, text: func(p *page) { p.recovery(*r); p.line("nothing was changed") }}, nil
	}
	if err := a.agreed(r, o.yes); err != nil {
		return answer{}, err
	}
	plans, err := files.NewHome(dir)
	if err == nil {
		err = r.Apply(ctx, store.RestoreOptions{Plans: plans, Command: "vise restore"})
	}
	if err != nil {
		return answer{}, err
	}
	out.Done = true
	return answer{data: out, text: func(p *page) {
		if o.yes {
			p.recovery(*r)
		}
		p.line("done: the ledger is at revision %d; vise doctor proves it", r.Revision)
	}}, nil
}

// agreed asks, unless that was answered on the command line.
func (a *app) agreed(r *store.Recovery, yes bool) error {
	if yes {
		return nil
	}
	p := a.page()
	p.recovery(*r)
	if a.flags.json || !a.ttyIn {
		return model.Refuse(model.CodeRefused, "a restore replaces the ledger, and nobody is here to agree").
			WithHint("look at it first: vise restore --dry-run; then vise restore --yes")
	}
	p.b.WriteString("Do this? [y/N] ")
	if err := p.flush(a.err); err != nil {
		return err
	}
	said, _ := bufio.NewReader(a.in).ReadString('\n')
	if s := strings.ToLower(strings.TrimSpace(said)); s != "y" && s != "yes" {
		return model.Refuse(model.CodeRefused, "nothing was changed").WithHint("vise restore asks again")
	}
	return nil
}

// recovery shows what a restore does.
func (p *page) recovery(r store.Recovery) {
	if r.Ledger != "" {
		p.line("the ledger: %s", model.Text(r.Ledger))
	} else {
		p.line("the ledger is sound")
	}
	if r.NewHome {
		p.line("home.json is missing or unreadable: it is made again")
	}
	for _, s := range r.Passed {
		p.line("passed over: %s", model.Text(s))
	}
	p.line("begin with: %s, at revision %d", model.Text(r.Source), r.SourceRevision)
	p.line("on top: %d changes of the journal, up to revision %d", r.Replayed, r.Revision)
	if r.Lost > 0 {
		p.line("LOST: %d changes, revisions %d to %d", r.Lost, r.Revision+1, r.Known)
	} else {
		p.line("nothing is lost")
	}
	if r.Aside != "" {
		p.line("the present file is kept as %s", model.Text(r.Aside))
	}
	p.plansBack(r.Plans)
}

// plansBack shows what becomes of a backup's plan files.
func (p *page) plansBack(b *store.PlansBack) {
	if b == nil {
		return
	}
	p.line("plans: the backup has %d; %d are there as they are, %d are missing and made again", b.Saved, b.Same, b.Missing)
	if b.Differ > 0 {
		p.line("       %d differ (%d of them newer than the backup's) and stay; the backup's are put into %s", b.Differ, b.Newer, model.Text(b.Aside))
	}
	if b.Damaged != "" {
		p.line("       not all of the backup's plans can be read: %s", model.Text(b.Damaged))
	}
}

// planRestore has a child make the draft: reading a damaged file can run for ever, or end
// the process. If it does, another child leaves that file alone.
func (a *app) planRestore(ctx context.Context, dir, from string, o restoreOptions) (*store.Recovery, error) {
	args := []string{"restore", "--in-child", "--home", dir, "--to", strconv.FormatUint(o.to, 10)}
	if from != "" {
		args = append(args, from)
	}
	r := &store.Recovery{}
	err := inChild(ctx, o.timeout, r, args...)
	if errors.Is(err, errBrokeDown) && ctx.Err() == nil {
		err = inChild(ctx, o.timeout, r, append(args, "--blind")...)
	}
	return r, err
}
