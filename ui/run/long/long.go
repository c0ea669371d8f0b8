// Package long holds the verbs that run for long: the driver of agents' programs, and the
// server with the scheduler. They are apart from package run because an HTTP server is much
// to link for verbs that last a moment.
package long

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/capture"
	"vise/ui/drive"
	"vise/ui/run"
	"vise/ui/serve"
)

// Commands are the verbs.
func Commands(of run.Env) []*cobra.Command {
	e := env{of}
	return []*cobra.Command{e.drive(), e.serve()}
}

// env is what the verbs need of the program that they are part of.
type env struct{ run.Env }

type driveOptions struct {
	agents  []string
	once    bool
	adapter string
	dir     string
	allow   []string
	timeout time.Duration
	rounds  int
	lease   time.Duration
}

func (o *driveOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&o.agents, "only", nil, "drive only these of the configured agents; --agent names one")
	f.StringVar(&o.adapter, "adapter", "", "how the command talks: claude, codex, rounds or text")
	f.StringVar(&o.dir, "dir", "", "where the command is started")
	f.StringSliceVar(&o.allow, "env", nil, "what the command may see of the environment: NAME, or NAME=value")
	f.DurationVar(&o.timeout, "turn-timeout", 0, "end a turn after this long")
	f.IntVar(&o.rounds, "turn-rounds", 0, "end a turn after this many rounds")
	f.DurationVar(&o.lease, "lease", 0, "how long others wait for a driver that died")
}

func (e env) drive() *cobra.Command {
	var o driveOptions
	c := &cobra.Command{
		Use: "drive [--agent A -- COMMAND…]", Short: "Run agents' programs when they have work",
		Long: "drive starts an agent's program when the scheduler offers it work or somebody said something to it, and\n" +
			"carries out what it says. Programs come from the configuration, or for one --agent from the command line.\n" +
			"Any number of drivers may run: an agent has one turn at a time.",
	}
	o.register(c)
	c.Flags().BoolVar(&o.once, "once", false, "end when no agent has anything to do")
	return e.Verb(c, func(ctx context.Context, args []string) (run.Answer, error) {
		d, err := e.driver(ctx, o, args)
		if err != nil {
			return run.Answer{}, err
		}
		d.Once = o.once
		defer e.wakeful(ctx)()
		if err := d.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			return run.Answer{}, err
		}
		return run.Answer{Data: map[string]any{}, Text: func(io.Writer) {}}, nil
	})
}

func (e env) driver(ctx context.Context, o driveOptions, argv []string) (*drive.Driver, error) {
	programs, err := e.programs(o, argv)
	if err != nil {
		return nil, err
	}
	l, err := e.openFor(ctx, programs)
	if err != nil {
		return nil, err
	}
	dir, err := e.Home()
	return &drive.Driver{Ledger: l, Programs: programs, Home: dir, LogDir: filepath.Join(dir, "log"), NewKey: e.NewKey, Now: e.Now,
		Card: e.Card, Ran: e.ran(programs), Report: e.tell}, err
}

// ran takes what programs run as facts of where they run.
func (e env) ran(programs map[model.AgentID]drive.Program) func(context.Context, model.AgentID, int, capture.Ran) {
	if e.Ran == nil {
		return nil
	}
	return func(ctx context.Context, agent model.AgentID, turn int, c capture.Ran) {
		e.Ran(ctx, programs[agent].Dir, fmt.Sprintf("%s turn %d", agent, turn), c.Command, c.ExitStatus)
	}
}

// openFor opens the ledger so that what agents do counts where their programs run.
func (e env) openFor(ctx context.Context, programs map[model.AgentID]drive.Program) (home.Ledger, error) {
	if e.OpenIn == nil {
		return e.Open(ctx)
	}
	dirs := map[model.AgentID]string{}
	for agent, p := range programs {
		dirs[agent] = p.Dir
	}
	return e.OpenIn(ctx, dirs)
}

// programs are those of the command line, else those of the configuration.
func (e env) programs(o driveOptions, argv []string) (map[model.AgentID]drive.Program, error) {
	if len(argv) > 0 {
		agent, err := e.Agent()
		if err == nil && agent == "" {
			err = run.Misuse("agent", "nothing says whose program that is").WithHint("name the agent: --agent A")
		}
		if err != nil {
			return nil, err
		}
		p, err := drive.Program{Command: argv, Adapter: drive.Adapter(o.adapter), Dir: o.dir, Env: o.allow,
			Turn: drive.Limits{Timeout: o.timeout, Rounds: o.rounds, Lease: o.lease}}.Checked()
		if err != nil {
			return nil, run.Misuse("command", "the command line: %v", err)
		}
		return map[model.AgentID]drive.Program{agent: p}, nil
	}
	path, err := e.Config()
	if err != nil {
		return nil, err
	}
	all, err := drive.Programs(path)
	if err != nil {
		return nil, err
	}
	names := o.agents
	if named, err := e.Agent(); err != nil {
		return nil, err
	} else if named != "" {
		names = append(names, string(named))
	}
	return some(all, names)
}

// some are the programs of the agents named; of all when none is.
func some(all map[model.AgentID]drive.Program, names []string) (map[model.AgentID]drive.Program, error) {
	if len(names) == 0 {
		return all, nil
	}
	out := map[model.AgentID]drive.Program{}
	for _, name := range names {
		p, ok := all[model.AgentID(name)]
		if !ok {
			return nil, run.Misuse("only", "agent %s is not configured", model.Text(name)).WithHint("add it to the configuration")
		}
		out[model.AgentID(name)] = p
	}
	return out, nil
}

// wakeful runs Wake until the function that it returns is called.
func (e env) wakeful(ctx context.Context) (stop func()) {
	if e.Wake == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Wake(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// tell writes what a driver does beside the answer, one line an event.
func (e env) tell(x drive.Event) {
	switch {
	case x.Err != nil:
		fmt.Fprintf(e.Err, "vise: %s, turn %d: %s: %s\n", x.Agent, x.Turn, x.What, model.Text(x.Err.Error()))
	case x.Outcome != "":
		fmt.Fprintf(e.Err, "vise: %s, turn %d: %s: %s %s %s\n", x.Agent, x.Turn, x.What, x.Outcome, x.Code, x.Reason)
	default:
		fmt.Fprintf(e.Err, "vise: %s, turn %d: %s\n", x.Agent, x.Turn, x.What)
	}
}

func (e env) serve() *cobra.Command {
	var o driveOptions
	s := &serve.Server{NewKey: e.NewKey, Now: e.Now}
	var also bool
	c := &cobra.Command{
		Use: "serve [--listen 127.0.0.1:PORT]", Short: "Run the scheduler, and take what the outside sends",
		Long: "serve runs the scheduler without a screen, and an HTTP server for the addresses that vise trigger url\n" +
			"makes. /healthz and /metrics are for this machine. With --drive it also drives the configured agents.",
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&s.Listen, "listen", run.DefaultListen, "where to listen")
	f.BoolVar(&s.Public, "public", false, "allow an address that others can reach; without --cert what is sent can be read on the way")
	f.StringVar(&s.Certificate, "cert", "", "a file with the certificate")
	f.StringVar(&s.Key, "cert-key", "", "a file with the certificate's key")
	f.StringSliceVar(&s.Hosts, "host", nil, "names beside the address under which requests may come in")
	f.BoolVar(&also, "drive", false, "drive the configured agents too")
	o.register(c)
	return e.Verb(c, func(ctx context.Context, _ []string) (run.Answer, error) {
		l, err := e.Open(ctx)
		if err != nil {
			return run.Answer{}, err
		}
		s.Ledger = l
		s.Report = func(err error) { fmt.Fprintf(e.Err, "vise: %s\n", model.Text(err.Error())) }
		s.Ready = func(a net.Addr) { fmt.Fprintf(e.Err, "vise: listening on %s\n", a) }
		if also {
			d, err := e.driver(ctx, o, nil)
			if err != nil {
				return run.Answer{}, err
			}
			s.Beside = d.Run
		}
		if s.Public && s.Certificate == "" {
			fmt.Fprintln(e.Err, "vise: warning: without --cert what is sent can be read, and its address be used, by who sees it on the way")
		}
		defer e.wakeful(ctx)()
		if err := s.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			return run.Answer{}, err
		}
		return run.Answer{Data: map[string]any{}, Text: func(io.Writer) {}}, nil
	})
}
