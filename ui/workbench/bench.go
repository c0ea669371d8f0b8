package workbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/holon"
	"vise/store/home"
	"vise/ui/cli"
	"vise/ui/console"
	"vise/ui/demo"
	"vise/ui/markdown"
	"vise/ui/process"
)

// bench is what a console stands on, and what must end with it.
type bench struct {
	cli.Surroundings
	host   cli.Host
	ctx    context.Context
	pages  markdown.Engine
	atEnd  []func()
	inPlay sync.WaitGroup
	// farewell is what is said on the terminal when all has ended.
	farewell string
}

func newBench(ctx context.Context, h cli.Host, pages markdown.Engine) *bench {
	return &bench{Surroundings: h.Surroundings(), host: h, ctx: ctx, pages: pages}
}

// close ends all that a session began, last things first.
func (b *bench) close() {
	for i := len(b.atEnd) - 1; i >= 0; i-- {
		b.atEnd[i]()
	}
	b.inPlay.Wait()
	if b.farewell != "" {
		fmt.Fprintln(b.Err, b.farewell)
	}
}

// session is a console's session on an open home.
func (b *bench) session(h *home.Home, agent model.AgentID) (console.Session, error) {
	e, err := newEyes(b.ctx, h, filepath.Join(h.Dir(), "ledger.db"))
	if err != nil {
		return console.Session{}, err
	}
	e.dir = h.Dir()
	t := newThreadView(b.ctx, h)
	files := newFileRoom(b.ctx, workingDir(), b.Now)
	files.ledger = h
	b.atEnd = append(b.atEnd, func() { b.farewell = farewell(context.WithoutCancel(b.ctx), h, b.Now()) }, e.close, t.Close, files.close)
	b.schedule(h, settling)
	kept := newMemos(h.Dir(), b.Getenv, b.Now)
	return console.Session{Keeper: kept, Memo: kept.last(), Ledger: coded{h}, Agent: agent, Eyes: e, Threads: t, Drafts: newDrafts(h.Dir()),
		Papers: newPapers(h.Files(), h.Dir()), Looks: newLooks(h.Dir()), Files: files}, nil
}

// coded is a home whose trouble with its files comes with a code and a way out.
type coded struct{ *home.Home }

// View is part of console.Ledger.
func (c coded) View(ctx context.Context, fn func(model.Reader) error) error {
	err := c.Home.View(ctx, fn)
	if known := (*model.Error)(nil); err == nil || errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	return cli.Fault(err)
}

// settling is how long the console has the machine and the ledger to itself when it begins.
const settling = 150 * time.Millisecond

// schedule runs the scheduler as long as the console, from a moment on. What it cannot do now it tries again;
// the console shows what became of it, and of a ledger that is busy, by itself.
func (b *bench) schedule(h *home.Home, from time.Duration) {
	ctx, stop := context.WithCancel(b.ctx)
	done := make(chan struct{})
	b.atEnd = append(b.atEnd, func() { stop(); <-done })
	go func() {
		defer close(done)
		if sleep(ctx, from) == nil {
			h.Schedule(ctx, process.Alive)
		}
	}()
}

// firstRun is the choice where no home is. It writes nothing before Start.
func (b *bench) firstRun(agent model.AgentID) (*console.FirstRun, error) {
	dir, err := b.host.HomeDir()
	if err != nil {
		return nil, err
	}
	if agent == "" {
		agent = proposedAgent()
	}
	programs := b.host.Programs()
	return &console.FirstRun{Home: shortened(dir, b.Getenv("HOME")), Agent: agent, Survey: survey, Start: b.start,
		Programs: programs,
		Lines:    func(_ context.Context, of []string) (model.Text, error) { return b.host.Integration(of), nil },
		Install:  func(_ context.Context, program string) error { return b.host.Integrate(program) }}, nil
}

// start carries out the choice of the first run.
func (b *bench) start(ctx context.Context, c console.Choice) (console.Session, error) {
	switch c.Kind {
	case console.ChooseDemo:
		s, _, err := b.demo()
		return s, err
	case console.ChooseImport:
		if err := b.host.Import(ctx, c.Dir); err != nil {
			return console.Session{}, err
		}
		d, err := b.host.Open()
		if err != nil {
			return console.Session{}, err
		}
		return b.session(d, "")
	}
	d, err := b.host.OpenOrCreate()
	if err != nil {
		return console.Session{}, err
	}
	if _, err := b.host.Apply(ctx, "", model.AddAgent{AgentID: c.Agent}); err != nil {
		return console.Session{}, err
	}
	return b.session(d, c.Agent)
}

// survey counts what an import would bring.
func survey(_ context.Context, dir string) (console.Survey, error) {
	l, err := holon.Read(dir)
	if err != nil {
		return console.Survey{Problems: []model.Text{model.Text(cli.Fault(err).Message)}}, nil
	}
	return console.Survey{Agents: len(l.Agents), Items: l.Counts.WorkItems, Open: l.Counts.Open, Waits: l.Counts.ActiveWaits}, nil
}

// demo is a session on a ledger in memory, on which scripted agents begin to play. Its
// plan files lie in a private directory that goes with it.
func (b *bench) demo() (console.Session, *home.Home, error) {
	dir, err := os.MkdirTemp("", "vise-demo-")
	if err != nil {
		return console.Session{}, nil, err
	}
	b.atEnd = append(b.atEnd, func() { os.RemoveAll(dir) })
	plans, err := files.NewHome(dir)
	if err != nil {
		return console.Session{}, nil, err
	}
	h := home.On(store.NewMem(plans), plans, home.Options{Now: b.Now, Dir: dir})
	w := demo.World{
		Ledger: h, Now: b.Now, Sleep: sleep,
		WritePlan: func(agent model.AgentID, id model.ItemID, text string) error {
			return files.WriteAtomic(plans.PlanPath(agent, id), []byte(text))
		},
	}
	if err := demo.Set(b.ctx, w); err != nil {
		return console.Session{}, nil, err
	}
	e, err := newEyes(b.ctx, h, "")
	if err != nil {
		return console.Session{}, nil, err
	}
	b.atEnd = append(b.atEnd, e.close)
	b.host.Use(h)
	b.play(w)
	return console.Session{Ledger: h, Eyes: e, Demo: true}, h, nil
}

// play lets the agents play until the script or the console ends.
func (b *bench) play(w demo.World) {
	ctx, stop := context.WithCancel(b.ctx)
	b.inPlay.Go(func() { _ = demo.Play(ctx, w, demo.Script()) })
	b.atEnd = append(b.atEnd, func() { stop(); b.inPlay.Wait() })
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
