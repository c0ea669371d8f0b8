package cli

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store"
	"vise/store/files"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/ui/console"
	"vise/ui/linear"
	"vise/ui/mcp"
	"vise/ui/resume"
	"vise/ui/runner"
	"vise/ui/scheduler"
	"vise/ui/text"
	"vise/ui/transcript"
)

// This file puts the frontends together: what each of them is given of this run and of the
// home. In order: hooks, MCP, what drives agents' programs, the two consoles.

// hookVerb is what agents' programs call at their events.
func (a *app) hookVerb() *cobra.Command {
	s := agents.RealStreams()
	s.In, s.Out, s.Err, s.Getenv, s.Now = a.in, a.out, a.err, a.getenv, a.now
	return agents.HookCommand(func(dir string) (*store.Ledger, files.Home, error) {
		if dir != "" {
			a.flags.home = dir
		}
		d, err := a.openHome()
		if err != nil {
			return nil, files.Home{}, err
		}
		return d.ledger, d.files, nil
	}, s)
}

// mcpVerb is the MCP server. It makes the home where none is: an agent's program that was
// told of vise is reason enough.
func (a *app) mcpVerb() *cobra.Command {
	return mcp.Command(func() mcp.Options {
		return mcp.Options{
			Open: func(context.Context) (*store.Ledger, files.Home, error) {
				d, _, err := a.openOrCreate()
				if err != nil {
					return nil, files.Home{}, fault(err)
				}
				return d.ledger, d.files, nil
			},
			Agent: a.flags.agent, Getenv: a.getenv, Now: a.now, In: a.in, Out: a.out, Version: builtVersion().Version,
			Log: slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Follow: func(ctx context.Context, l *store.Ledger, c model.Command, in model.Receipt) []model.Warning {
				return a.room(model.AgentActor(in.AgentID)).After(ctx, l, c, in)
			},
			Before: func(links []model.ThreadLink) []model.Warning { return a.room("").Before(links) },
		}
	})
}

// driver runs agents' programs. What they do counts where they run.
func (a *app) driver(programs map[model.AgentID]runner.Program) (*runner.Driver, error) {
	dirs := map[model.AgentID]string{}
	for agent, p := range programs {
		dirs[agent] = p.Dir
	}
	l, err := a.followed(dirs)
	if err != nil {
		return nil, err
	}
	dir := a.door.dir
	return &runner.Driver{
		Ledger: l, Programs: programs, Home: dir, LogDir: filepath.Join(dir, "log"), NewKey: newKey, Now: a.now, Report: a.reportTurn,
		Plan: a.door.look,
		Card: func(ctx context.Context, dir string, links []model.ThreadLink) thread.Card {
			return a.roomIn(dir, model.Scheduler).Card(ctx, links)
		},
		Ran: func(ctx context.Context, agent model.AgentID, turn int, c transcript.Ran) {
			run := resume.Run{ID: fmt.Sprintf("%s turn %d", agent, turn), Command: c.Command, ExitStatus: c.ExitStatus}
			_ = a.roomIn(programs[agent].Dir, model.Scheduler).Overhear(ctx, run) // then nothing is learned
		},
	}, nil
}

// attend says in the home that the scheduler runs, and wakes the ledger at commits of other
// processes, until the function that it returns is called.
func (a *app) attend(ctx context.Context) (leave func()) {
	withdraw, stop := scheduler.Attend(a.door.dir), a.wakeful(ctx)
	return func() {
		stop()
		withdraw()
	}
}

// consoleRun is one run of a console: what it was given, and what must end with it.
type consoleRun struct {
	*app
	ctx     context.Context
	atEnd   []func()
	running sync.WaitGroup
	// exitMessage is written to the terminal when all has ended.
	exitMessage string
}

// close ends all that the run began, last things first.
func (r *consoleRun) close() {
	for i := len(r.atEnd) - 1; i >= 0; i-- {
		r.atEnd[i]()
	}
	r.running.Wait()
	if r.exitMessage != "" {
		fmt.Fprintln(r.err, r.exitMessage)
	}
}

// openConsole opens the console on the home, or on the choice of the first run.
func (a *app) openConsole(ctx context.Context) error {
	agent, err := a.namedAgent()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &consoleRun{app: a, ctx: ctx}
	defer r.close()
	o := r.options()
	if a.accessible() || o.Settings.Accessible {
		return r.openAccessible(agent, o.Settings)
	}
	d, err := a.open()
	switch {
	case isNoHome(err):
		if o.FirstRun, err = r.firstRun(agent); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if o.Session, err = r.session(d, agent); err != nil {
			return err
		}
	}
	return showConsole(ctx, o)
}

// options are the console's options, without a home. They follow the operator's settings.
func (r *consoleRun) options() console.Options {
	dir, _ := r.homeDir()
	o := console.Options{
		NoColor: r.flags.noColor || r.getenv("NO_COLOR") != "",
		ASCII:   !text.UTF8(r.getenv),
		Editor:  r.openEditor,
		Native:  desktop{r.getenv},
		Pages:   r.markdown,
		RunOwn: func(ctx context.Context, run console.OwnRun) (string, error) {
			return runCustom(ctx, run.Argv, run.Stdin)
		},
		Home: shortened(dir, r.getenv("HOME")),
		Now:  r.now, NewKey: newKey,
	}
	r.followSettings(&o)
	return o
}

// session is a console's session on an open home.
func (r *consoleRun) session(d *door, agent model.AgentID) (console.Session, error) {
	plans, err := watchPlans(r.ctx, d.ledger, d.files, filepath.Join(d.dir, "ledger.db"))
	if err != nil {
		return console.Session{}, err
	}
	plans.dir = d.dir
	room := r.room(model.Operator)
	ledger := Threaded{Ledger: d.ledger, Room: room}
	threads := newThreadView(r.ctx, room, ledger)
	todos := newFileTodos(r.ctx, workingDir(), r.now)
	todos.ledger = ledger
	exit := func() { r.exitMessage = exitMessage(context.WithoutCancel(r.ctx), d, r.now()) }
	r.atEnd = append(r.atEnd, exit, scheduler.Attend(d.dir), plans.close, threads.Close, todos.close)
	r.schedule(d.ledger, settling)
	places := newPlaces(d.dir, r.getenv, r.now)
	return console.Session{
		Ledger: ledger, Agent: agent, Eyes: plans, Threads: threads, Files: todos, Keeper: places, Memo: places.last(),
		Drafts: newDrafts(d.dir), Papers: newEdits(d.files, d.dir), Looks: newSeenPlans(d.dir),
	}, nil
}

// firstRun is the choice where no home is. It writes nothing before Start.
func (r *consoleRun) firstRun(agent model.AgentID) (*console.FirstRun, error) {
	dir, err := r.homeDir()
	if err != nil {
		return nil, err
	}
	if agent == "" {
		agent = proposedAgent()
	}
	return &console.FirstRun{
		Home: shortened(dir, r.getenv("HOME")), Agent: agent, Survey: surveyHolon, Start: r.start, Programs: installedPrograms(),
		Lines:   func(_ context.Context, of []string) (model.Text, error) { return r.integrationPreview(of), nil },
		Install: func(_ context.Context, program string) error { return r.integrate(program) },
	}, nil
}

// start carries out the choice of the first run.
func (r *consoleRun) start(ctx context.Context, c console.Choice) (console.Session, error) {
	switch c.Kind {
	case console.ChooseDemo:
		s, _, err := r.demo()
		return s, err
	case console.ChooseImport:
		if _, err := r.importHolon(ctx, c.Dir, false); err != nil {
			return console.Session{}, err
		}
		return r.session(r.door, "")
	}
	d, err := r.createWith(ctx, c.Agent)
	if err != nil {
		return console.Session{}, err
	}
	return r.session(d, c.Agent)
}

// createWith makes the home with its first agent.
func (a *app) createWith(ctx context.Context, agent model.AgentID) (*door, error) {
	d, _, err := a.openOrCreate()
	if err == nil {
		_, err = a.apply(ctx, mutation{}, "", model.AddAgent{AgentID: agent})
	}
	return d, err
}

// schedule runs the scheduler as long as the console, from a moment on. What it cannot do now
// it tries again; the console shows what became of it.
func (r *consoleRun) schedule(l *store.Ledger, from time.Duration) {
	ctx, stop := context.WithCancel(r.ctx)
	r.atEnd = append(r.atEnd, stop)
	s := &scheduler.Scheduler{Ledger: l, Now: r.now, NewKey: newKey, Alive: runner.Alive}
	r.running.Go(func() {
		if sleep(ctx, from) == nil {
			_ = s.Run(ctx) // ends with ctx
		}
	})
}

// openAccessible is the console of lines. The scheduler runs as long as it does.
func (r *consoleRun) openAccessible(agent model.AgentID, s config.Settings) error {
	d, err := r.open()
	if isNoHome(err) {
		d, err = r.askForHome(agent)
	}
	if err != nil || d == nil {
		return err
	}
	for _, x := range s.Problems.Bad() {
		fmt.Fprintf(r.out, "Settings: %s\n", x)
	}
	r.schedule(d.ledger, 0)
	room := r.room(model.Operator)
	ledger := Threaded{Ledger: d.ledger, Room: room}
	todos, threads := newFileTodos(r.ctx, workingDir(), r.now), newThreadView(r.ctx, room, ledger)
	r.atEnd = append(r.atEnd, scheduler.Attend(d.dir), todos.close, threads.Close)
	edits := newEdits(d.files, d.dir)
	return linear.Run(r.ctx, linear.Env{
		In: r.in, Out: r.out, Run: r.runVerbWithin, Ledger: ledger, Agent: agent, Settings: s, Now: r.now, NewKey: newKey,
		Rooms: linear.Rooms{
			Plans: linePlans{edits, newSeenPlans(d.dir), r.app}, Findings: lineTodos{todos}, Threads: threads,
			Clip: r.clip(edits), RunOwn: runCustom, Against: room.Before, SaveFilter: r.filterSaver(),
		},
	})
}

// askForHome asks before anything is written where no home is; nil after a no.
func (r *consoleRun) askForHome(agent model.AgentID) (*door, error) {
	if agent == "" {
		agent = proposedAgent()
	}
	dir, err := r.homeDir()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(r.out, "There is no vise home in %s yet. Nothing has been written.\nMake it, with an agent called %s? yes or no: ",
		model.Text(dir), model.Text(agent))
	var in string
	if _, err := fmt.Fscanln(r.in, &in); err != nil || !strings.HasPrefix(strings.ToLower(in), "y") {
		fmt.Fprintln(r.out, "Nothing was written.")
		return nil, nil
	}
	return r.createWith(r.ctx, agent)
}

// runVerbWithin carries out a verb on the home that is open, with stdin as its input. Its
// answer and its errors go to this run's output; the exit code is the verb's.
func (a *app) runVerbWithin(ctx context.Context, stdin string, args ...string) int {
	within := *a
	if a.flags.home != "" {
		args = append([]string{"--home", a.flags.home}, args...)
	}
	within.args, within.in, within.ttyIn, within.err = args, strings.NewReader(stdin), false, a.out
	within.exit, within.flags, within.ending = 0, globals{}, ending{}
	code := within.execute(ctx)
	a.door = within.door
	return code
}
