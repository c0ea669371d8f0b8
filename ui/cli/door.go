package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/ui/reply"
	"vise/ui/spool"
)

// door is an open home.
type door struct {
	ledger *store.Ledger
	files  files.Home
	dir    string
	// changed: this run changed something.
	changed bool
	// untend ends what runs beside the ledger as long as it is open.
	untend func()
}

// hold makes d the door of this run, and has what recovery needs kept up to date for as
// long as it is open.
func (a *app) hold(d *door) *door {
	ctx, stop := context.WithCancel(context.Background())
	var tending sync.WaitGroup
	tending.Go(func() { d.ledger.Tend(ctx) })
	d.untend = func() { stop(); tending.Wait() }
	a.door = d
	return d
}

// overdue bounds what a run does for recovery after its own work.
const overdue = 2 * time.Second

func (d *door) close() {
	d.untend()
	if d.changed {
		ctx, stop := context.WithTimeout(context.Background(), overdue)
		_ = d.ledger.Overdue(ctx) // the next run, or doctor, finds it undone
		stop()
	}
	d.ledger.Close()
}

// homeDir is where the home lies, or would lie.
func (a *app) homeDir() (string, error) {
	if a.flags.home != "" {
		return filepath.Abs(a.flags.home)
	}
	return store.DefaultHome(a.getenv)
}

// open opens the home, and takes in what hooks left there while the ledger was busy. Where
// no home is, the error's code is no_home and nothing was written.
func (a *app) open() (*door, error) {
	if a.door != nil {
		return a.door, nil
	}
	d, err := a.openHome()
	if err != nil {
		return nil, err
	}
	if _, err := spool.TakeIn(context.Background(), d.dir, d.ledger); err != nil {
		fmt.Fprintf(a.err, "vise: warning: the spool was not taken in: %s\n", model.Text(err.Error()))
	}
	return d, nil
}

// openHome opens the home as it is.
func (a *app) openHome() (*door, error) {
	if a.door != nil {
		return a.door, nil
	}
	dir, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	home, err := files.NewHome(dir)
	if err != nil {
		return nil, err
	}
	l, err := store.Open(dir, store.Options{Plans: home})
	if errors.Is(err, store.ErrNoHome) {
		return nil, noHome(dir)
	}
	if err != nil {
		return nil, err
	}
	return a.hold(&door{ledger: l, files: home, dir: dir}), nil
}

func noHome(dir string) error {
	return model.Refuse(model.CodeNoHome, "there is no vise home in %s yet", model.Text(dir)).
		WithHint("vise new OBJECTIVE makes one with its first work item; vise init makes an empty one")
}

// openOrCreate opens the home, and makes it first where none is.
func (a *app) openOrCreate() (d *door, created bool, err error) {
	d, err = a.open()
	if !isNoHome(err) {
		return d, false, err
	}
	dir, err := a.homeDir()
	if err != nil {
		return nil, false, err
	}
	home, err := files.NewHome(dir)
	if err != nil {
		return nil, false, err
	}
	l, err := store.Create(dir, store.Options{Plans: home})
	if errors.Is(err, fs.ErrExist) {
		d, err := a.open() // another process was faster
		return d, false, err
	}
	if err != nil {
		return nil, false, err
	}
	return a.hold(&door{ledger: l, files: home, dir: dir}), true, nil
}

func isNoHome(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && e.Code == model.CodeNoHome
}

// apply sends one command to the ledger. An outcome that nobody could learn is asked for
// once more under the same key, which is safe; then the error tells the key.
func (a *app) apply(ctx context.Context, m mutation, agent model.AgentID, c model.Command) (model.Receipt, error) {
	d, err := a.open()
	if err != nil {
		return model.Receipt{}, err
	}
	actor, err := a.actor()
	if err != nil {
		return model.Receipt{}, err
	}
	e := model.Envelope{Key: cmp.Or(m.key, newKey()), Actor: actor, Agent: agent, Command: c}
	in, err := a.desk(d.ledger, actor, agent).Apply(ctx, e, func(ctx context.Context, e model.Envelope) (model.Receipt, error) {
		in, err := d.ledger.Apply(ctx, e)
		if isUnknown(err) && ctx.Err() == nil {
			in, err = d.ledger.Apply(ctx, e)
		}
		return in, err
	})
	if err == nil {
		d.changed = true
		in.Warnings = append(in.Warnings, a.room(actor).After(ctx, d.ledger, c, in)...)
	}
	if isUnknown(err) {
		known := *fault(err)
		return in, known.WithHint("run it again with --key %s: then it is done once, and you learn whether it was", model.Text(e.Key))
	}
	return in, err
}

func isUnknown(err error) bool { return errors.Is(err, &model.Error{Code: model.CodeUnknownOutcome}) }

// newKey makes an idempotency key.
func newKey() string { return "cli-" + strings.ToLower(ulid.MustNew(ulid.Now(), rand.Reader).String()) }

// act applies the command that build makes for the item that ref names.
func (a *app) act(ctx context.Context, ref string, m mutation, build func(model.ItemID) model.Command) (model.Receipt, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return model.Receipt{}, err
	}
	agent, err := a.namedAgent()
	if err != nil {
		return model.Receipt{}, err
	}
	return a.apply(ctx, m, agent, build(id))
}

// resolve finds the item that a handle, an id or the beginning of one names.
func (a *app) resolve(ctx context.Context, ref string) (model.ItemID, error) {
	d, err := a.open()
	if err != nil {
		return "", err
	}
	return d.ledger.Resolve(ctx, ref)
}

// read reads the ledger once.
func (a *app) read(ctx context.Context, fn func(model.Reader) error) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	return d.ledger.View(ctx, fn)
}

// fresh puts the plan file as it is now into a view. One that is being written keeps the
// description that the ledger has. news says that the ledger should record it.
func (d *door) fresh(v *model.View) (news bool) { return freshen(v, d.files.Plan(v.AgentID, v.ID)) }

func freshen(v *model.View, p files.Plan) (news bool) {
	if p.Unsettled {
		v.Plan.Path = p.Path
		return false
	}
	news = v.State == model.Open && !model.SamePlan(p.PlanArtifact, v.Plan)
	v.Plan = p.PlanArtifact
	return news
}

// look is fresh for those who only read.
func (d *door) look(v *model.View) { d.fresh(v) }

// lookThrough is look for a list, most of which is one agent's. It ends with end.
func (d *door) lookThrough() (look func(*model.View), end func()) {
	var items *files.Items
	end = func() {
		if items != nil {
			items.Close()
		}
	}
	return func(v *model.View) {
		if items == nil || items.Agent() != v.AgentID {
			end()
			items = d.files.Items(v.AgentID)
		}
		freshen(v, items.Plan(v.ID))
	}, end
}

// itemAnswer reads what a changed item is like and answers with it.
func (a *app) itemAnswer(ctx context.Context, in model.Receipt, did string) (answer, error) {
	var out reply.Item
	err := a.read(ctx, func(r model.Reader) error {
		out = reply.OfItem(r, in, a.door.look)
		return nil
	})
	return answer{data: out, warnings: out.Warnings, text: func(p *page) { p.changed(did, out.WorkItem) }}, err
}

// record has the ledger note what an item's plan file is like now, if it does not know.
// An item of another agent than the one named is left alone.
func (a *app) record(ctx context.Context, id model.ItemID) error {
	var v model.View
	news := false
	if err := a.read(ctx, func(r model.Reader) error {
		v = reply.View(r, id, func(v *model.View) { news = a.door.fresh(v) })
		return nil
	}); err != nil {
		return err
	}
	agent, err := a.namedAgent()
	if err != nil || !news || agent != "" && agent != v.AgentID {
		return err
	}
	_, err = a.apply(ctx, mutation{}, v.AgentID, model.RefreshPlan{WorkItemID: id, Plan: v.Plan})
	return err
}
