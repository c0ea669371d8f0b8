package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/accessible"
	"vise/ui/acp"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/ui/console"
	"vise/ui/mcp"
	"vise/ui/runner"
	"vise/ui/text"
)

// This file builds the frontends and gives each what it needs from this run and the home. In order: hooks, MCP, the drivers of agents'
// programs, the two consoles.

// hookVerb is the command that agents' programs call at their events.
func hookVerb(e *Env) *cobra.Command {
	s := agents.RealStreams()
	s.In, s.Out, s.Err, s.Getenv, s.Now, s.Dir = e.in, e.out, e.err, e.getenv, e.now, e.dir
	return agents.HookCommand(func(dir string) (*home.Home, error) {
		if dir != "" {
			e.flags.home = dir
		}
		return openHome(e)
	}, s)
}

// mcpVerb is the MCP server. It makes a missing home, because an agent's program that is configured to use vise is reason enough.
func mcpVerb(e *Env) *cobra.Command {
	var project string
	c := mcp.Command(func() mcp.Options {
		agent := e.flags.agent
		if agent == "" && project != "" {
			agent = agents.WorktreeAgent(project, e.dir)
		}
		if e.getenv("VISE_HOME") != "" {
			e.flags.home = "" // the settings name the working directory themselves
		}
		o := mcpOptions(e)
		o.Agent, o.Getenv, o.In, o.Out = agent, e.getenv, e.in, e.out
		return o
	})
	flags{{"project", &project, ""}}.add(c.Flags()) // for a project's settings: the program that owns them
	c.AddCommand(mcpTokenVerb().command(e))
	c.Args = usageArgs(c.Use)
	return c
}

// mcpOptions are what the tools need, over any transport.
func mcpOptions(e *Env) mcp.Options {
	return mcp.Options{
		Open: func() (*home.Home, error) {
			h, _, err := openOrCreate(e)
			if err != nil {
				return nil, fault(err)
			}
			return h, nil
		},
		Version: builtVersion().Version,
		Log:     slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		HooksSeen: func(agent model.AgentID) bool {
			dir, err := homeDir(e)
			return err == nil && home.HooksSeen(dir, agent)
		},
		StartTask: e.startTask,
		Attend:    e.attendPlans,
	}
}

// access is the data of mcp token: how to reach an agent's tools over HTTP.
type access struct {
	AgentID model.AgentID `json:"agent_id"`
	URL     string        `json:"url"`
	Token   string        `json:"token"`
}

func mcpTokenVerb() verb {
	base := "http://" + defaultListen
	return verb{
		use: "token", short: "Show how an agent's tools are reached over HTTP, from vise serve --mcp",
		long: `token prints the address and the token of the agent's tools. Whoever shows the token acts as that agent. All tokens
of a home are taken back by removing state/mcp-secret in it, and starting vise serve again.`,
		example: "vise mcp token --agent ann",
		flags:   flags{{"base", &base, "the address of vise serve"}},
		run: func(e *Env) (answer, error) {
			agent, err := ownAgent(e)
			if err != nil {
				return nil, err
			}
			secret, err := mcp.Secret(e.home.Dir())
			if err != nil {
				return nil, err
			}
			out := access{agent, strings.TrimSuffix(base, "/") + mcp.HTTPPath + string(agent), mcp.Token(secret, agent)}
			return answered(out, func(p *page) {
				p.say("%s", out.URL)
				p.line("Authorization: Bearer %s", out.Token)
			}), nil
		},
	}
}

// driver runs agents' programs. Their changes count for the directory where they run.
func driver(e *Env, o driveOptions, argv []string) (*runner.Driver, error) {
	h, err := open(e)
	if err != nil {
		return nil, err
	}
	programs, err := programs(e, o, argv)
	if err != nil {
		return nil, err
	}
	d := &runner.Driver{
		Programs: programs, Home: h.Dir(), Now: e.now, Report: e.reportTurn,
		Dir: threadsOf(e, model.Scheduler).Dir,
		Refresh: func(ctx context.Context, id model.ItemID) error {
			return h.RefreshPlan(ctx, model.Envelope{Actor: model.Watcher}, id)
		},
	}
	d.Ledger = h.With(d.DirOf)
	d.Attended = func() bool {
		s, err := settings(e, "channels", "")
		return home.Marked(h.Dir(), home.MarkConsole) || err == nil && len(s.Channels) > 0
	}
	return d, nil
}

// attend publishes in the home that the scheduler runs, asks forges, wakes the ledger at commits of other processes, and makes it record
// plans that change. It does so until the returned function is called.
func attend(e *Env) (leave func()) {
	withdraw := e.home.Attend()
	told := channels(e, e.home, func(err error) { fmt.Fprintf(e.err, "vise: channels: %s\n", model.Text(err.Error())) })
	stop := beside(e, e.wakeLedger, e.home.KeepPlans, forges(e, e.home).Watch, told.Run)
	return func() { stop(); withdraw() }
}

// consoleRun is one run of a console: what it was given, and what must end with it.
type consoleRun struct {
	*Env
	atEnd []func()
	// hosts are followed while the console runs. A demo has none.
	hosts  *home.Hosts
	isDemo bool
	// exitMessage is written to the terminal after everything has ended.
	exitMessage string
}

func newConsoleRun(a *Env) *consoleRun {
	r := &consoleRun{Env: a, hosts: home.NewHosts(a, hostOptions(a))}
	r.atEnd = append(r.atEnd, r.hosts.Close)
	return r
}

// close ends everything that the run started, in reverse order.
func (r *consoleRun) close() {
	for i := len(r.atEnd) - 1; i >= 0; i-- {
		r.atEnd[i]()
	}
	if r.exitMessage != "" {
		fmt.Fprintln(r.err, r.exitMessage)
	}
}

// openConsole opens the console on the home, or on the choice of the first run.
func openConsole(e *Env) error {
	var stop func()
	e.Context, stop = context.WithCancel(e.Context)
	defer stop()
	r := newConsoleRun(e)
	defer r.close()
	o := r.options()
	if isAccessible(e) || o.Settings.Accessible {
		return r.openAccessible(o.Settings)
	}
	r.hosts.Set(hostsOf(o.Settings.Hosts))
	d, err := open(e)
	switch {
	case home.NoHome(err):
		if o.FirstRun, err = r.firstRun(); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if o.Session, err = r.session(d, e.agent); err != nil {
			return err
		}
	}
	return showConsole(e, o)
}

// options are the console's options without a home. They follow the operator's settings.
func (r *consoleRun) options() console.Options {
	o := console.Options{
		NoColor: r.flags.noColor || r.getenv("NO_COLOR") != "",
		ASCII:   !text.UTF8(r.getenv),
		Editor:  r.openEditor,
		Native:  desktop{r.getenv},
		Pages:   r.markdown,
		RunCustom: func(ctx context.Context, run console.CustomRun) (string, error) {
			return runCustom(ctx, run.Argv, run.Stdin)
		},
		Start: r.startAgent,
		Now:   r.now, NewKey: newKey, ReadLine: r.readLine, LineVerbs: lineVerbs,
	}
	r.followSettings(&o)
	return o
}

// startAgent starts an agent's program as vise start does.
func (r *consoleRun) startAgent(ctx context.Context, ref string, get bool) (string, error) {
	within := *r.Env
	within.Context, within.flags = ctx, globals{actor: string(model.Operator)}
	if within.home == nil {
		return "", refuse("nothing is started in the demo")
	}
	agent, item, err := agentOrItem(&within, ref)
	if err != nil {
		return "", err
	}
	out, err := startDriver(&within, agent, item, "", func(acp.NotInstalled) bool { return get })
	return out.line(), err
}

// session returns a console's session on an open home.
func (r *consoleRun) session(h *home.Home, agent model.AgentID) (console.Session, error) {
	plans, err := watchPlans(r, h, r.hosts, filepath.Join(h.Dir(), "ledger.db"))
	if err != nil {
		return console.Session{}, err
	}
	threads, todos := newThreadView(r, h), newFileTodos(r, r.dir, r.now)
	todos.home, todos.editor = h, r.openEditorAt
	exit := func() { r.exitMessage = exitMessage(context.WithoutCancel(r), h, r.now()) }
	r.atEnd = append(r.atEnd, exit, plans.watch.Close, threads.Close, todos.close)
	r.schedule(h, settling)
	places := newPlaces(h.Dir(), r.getenv, r.now)
	return console.Session{
		Ledger: home.WithHosts{Home: codedHome{h}, Hosts: r.hosts}, Agent: agent,
		Plans: plans, Threads: threads,
		Changes: changesView{home: h}, Files: todos, Keeper: places, Memo: places.last(),
		Drafts: newDrafts(h.Dir()), EditBuffers: newEdits(h), SeenPlans: newSeenPlans(h.Dir()), Saves: h,
		Sessions: sessionsIn(h, r.now),
	}, nil
}

// codedHome is a home that returns file errors with a code and a hint.
type codedHome struct{ *home.Home }

// View is part of console.Ledger.
func (c codedHome) View(ctx context.Context, fn func(model.Reader) error) error {
	err := c.Home.View(ctx, fn)
	if err == nil || model.AsError(err) != nil || ctx.Err() != nil {
		return err
	}
	return fault(err)
}

// firstRun is the choice that is shown if there is no home. It writes nothing before Start.
func (r *consoleRun) firstRun() (*console.FirstRun, error) {
	dir, err := homeDir(r.Env)
	if err != nil {
		return nil, err
	}
	found := installedPrograms()
	return &console.FirstRun{
		Home: shortened(dir, r.getenv("HOME")), Dir: shortened(r.dir, r.getenv("HOME")), Agents: firstAgents(r.Env, found), Programs: found,
		Start: r.start,
		Lines: func(_ context.Context, of []string) (model.Text, error) { return integrationPreview(r.Env, of), nil },
	}, nil
}

// start carries out the choice of the first run.
func (r *consoleRun) start(_ context.Context, agents []model.AgentID, objective model.Text) (console.Session, error) {
	if len(agents) == 0 {
		s, _, err := r.demo()
		return s, err
	}
	d, err := createWith(r.Env, agents)
	if err == nil && objective != "" {
		var in model.Receipt
		if in, err = sendAlso(r.Env, agents[0], model.CreateWorkItem{Objective: objective}); err == nil {
			_, err = sendAlso(r.Env, agents[0], model.PickWorkItem{WorkItemID: in.WorkItemID})
		}
	}
	if err != nil {
		return console.Session{}, err
	}
	return r.session(d, agents[0])
}

// createWith makes the home with its first agents.
func createWith(e *Env, agents []model.AgentID) (*home.Home, error) {
	d, _, err := openOrCreate(e)
	for i := 0; i < len(agents) && err == nil; i++ {
		_, err = sendAlso(e, "", model.AddAgent{AgentID: agents[i]})
	}
	return d, err
}

// schedule runs the scheduler and keeps plans while the console runs, after the delay from, and marks that a person can answer. It repeats
// what fails, and the console shows the result.
func (r *consoleRun) schedule(h *home.Home, from time.Duration) {
	stop := beside(r, func(ctx context.Context) {
		if home.Pause(ctx, from) == nil {
			defer beside(ctx, forges(r.Env, h).Watch, channels(r.Env, h, nil).Run, h.KeepPlans)()
			h.Schedule(ctx, runner.Alive)
		}
	})
	r.atEnd = append(r.atEnd, stop, home.Mark(h.Dir(), home.MarkConsole))
}

// openAccessible is the console of lines. The scheduler runs while it runs.
func (r *consoleRun) openAccessible(s config.Settings) error {
	h, err := open(r.Env)
	if home.NoHome(err) {
		h, err = r.askForHome()
	}
	if err != nil || h == nil {
		return err
	}
	for _, x := range s.Problems {
		fmt.Fprintf(r.out, "Settings: %s\n", x)
	}
	for _, x := range h.Conditions(r) {
		fmt.Fprintf(r.out, "Home: %s; %s\n", model.Text(x.Message), model.Text(x.Hint))
	}
	r.schedule(h, 0)
	return accessible.Run(r, accessible.Options{
		In: r.in, Out: r.out, Run: r.runVerbWithin, Form: r.form, RunCustom: runCustom, Ledger: codedHome{h}, Agent: r.agent, Settings: s,
		Now: r.now,
	})
}

// askForHome asks before it writes anything if there is no home. It returns nil after a no.
func (r *consoleRun) askForHome() (*home.Home, error) {
	programs := installedPrograms()
	names := firstAgents(r.Env, programs)
	dir, err := homeDir(r.Env)
	if err != nil {
		return nil, err
	}
	question := fmt.Sprintf("There is no vise home in %s yet. Nothing has been written.\nMake it, with %s called %s?", model.Text(dir),
		model.Counted(len(names), "agent"), model.Text(strings.Join(as[string](names), ", ")))
	if !r.yes(question) {
		fmt.Fprintln(r.out, "Nothing was written.")
		return nil, nil
	}
	h, err := createWith(r.Env, names)
	if len(programs) == 0 && err == nil {
		fmt.Fprintf(r.out, "No agent's program was found. Once it is on your PATH, vise install PROGRAM --agent %s connects it.\n",
			names[0])
	}
	for i := 0; i < len(programs) && err == nil; i++ {
		fmt.Fprintf(r.out, "%s\n", integrationPreview(r.Env, programs[i:i+1]).Multiline())
		if r.yes("Put vise into " + safe(programs[i]) + "?") {
			_, err = install(r.Env, programs[i], agents.Options{Permit: new(true)})
		}
	}
	return h, err
}

// yes asks a question.
func (e *Env) yes(question string) bool {
	fmt.Fprintf(e.out, "%s yes or no: ", question)
	agreed, _ := yes(e)
	return agreed
}

// runVerbWithin runs a command on the open home with stdin as its input. Its answer and errors go to this run's output. It returns the
// command's exit code.
func (e *Env) runVerbWithin(ctx context.Context, stdin io.Reader, args ...string) int {
	within := *e
	if e.flags.home != "" {
		args = append([]string{"--home", e.flags.home}, args...)
	}
	within.args, within.in, within.ttyIn, within.err = args, stdin, false, e.out
	within.exit, within.flags, within.hasSaved, within.former = 0, globals{}, false, ""
	code := execute(&within, ctx)
	e.home = within.home
	return code
}
