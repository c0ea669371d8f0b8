package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/ui/mcp"
	"vise/ui/runner"
)

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
	someNames(c, "only", &o.agents)
	f.StringVar(&o.adapter, "adapter", "", "the command's protocol: claude, codex, gemini, opencode, rounds or text")
	f.StringVar(&o.dir, "dir", "", "where the command is started")
	f.StringSliceVar(&o.allow, "env", nil, "a variable of the environment for the command: NAME, or NAME=value")
	spanVar(f, &o.timeout, "turn-timeout", 0, "end a turn after this long")
	f.IntVar(&o.rounds, "turn-rounds", 0, "end a turn after this many rounds")
	spanVar(f, &o.lease, "lease", 0, "how long others wait for a driver that died")
}

func driveVerb(e *Env) *cobra.Command {
	var o driveOptions
	c := &cobra.Command{
		Use: "drive [-- COMMAND…]", Args: cobra.ArbitraryArgs, Short: "Run agents' programs when they have work",
		Example: "vise drive\nvise drive --agent ann --adapter claude -- claude -p",
		Long: "drive starts an agent's program when the agent has work or a message, and carries out what the program\n" +
			"says. The programs come from config.yaml, or for one --agent from the command line. An agent that was\n" +
			"made for a delegation is run by the program of the agent that it works for. Any number of drivers can\n" +
			"run; an agent has one turn at a time.",
	}
	o.register(c)
	c.Flags().BoolVar(&o.once, "once", false, "end when no agent has anything to do")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		d, err := driver(e, o, args)
		if err != nil {
			return answer{}, err
		}
		if d.Once = o.once; d.Once {
			forges(e, e.home).Once(e) // an answer can make work ready
		}
		return runTillStopped(e, d.Run)
	})
}

// limits returns the limits of the command line, else those of the configuration.
func (o driveOptions) limits(t config.Turn) config.Turn {
	t.Timeout, t.Lease = cmp.Or(config.Span(o.timeout), t.Timeout), cmp.Or(config.Span(o.lease), t.Lease)
	t.Rounds = cmp.Or(o.rounds, t.Rounds)
	return t
}

// programs returns the program of the command line, else the programs of the configuration.
func programs(e *Env, o driveOptions, argv []string) (map[model.AgentID]runner.Program, error) {
	if len(argv) > 0 {
		if e.agent == "" {
			return nil, misuse("agent", "which agent does the program work for?").WithHint("name the agent: --agent A")
		}
		p, err := runner.Program{Command: argv, Adapter: config.Adapter(o.adapter), Dir: o.dir, Env: o.allow,
			Turn: o.limits(config.Turn{})}.Checked()
		if err != nil {
			return nil, misuse("command", "the command line: %v", err)
		}
		return map[model.AgentID]runner.Program{e.agent: p}, nil
	}
	if o.adapter != "" || o.dir != "" || len(o.allow) > 0 {
		return nil, misuse("command", "--adapter, --dir and --env need a command").
			WithHint("name the command, or configure the agent: %s", runner.ProgramForm)
	}
	s, err := settings(e, "agents", runner.ProgramForm)
	if err != nil {
		return nil, err
	}
	for name, x := range s.Agents {
		x.Turn = o.limits(x.Turn)
		s.Agents[name] = x
	}
	all, err := runner.Programs(s.Agents)
	if err != nil {
		return nil, err
	}
	names := o.agents
	if e.agent != "" {
		names = append(names, string(e.agent))
	}
	if len(names) == 0 {
		return all, nil
	}
	return readOne(e, func(r model.Reader) (map[model.AgentID]runner.Program, error) { return some(r, all, names) })
}

// some returns the programs of the named agents.
func some(r model.Reader, all map[model.AgentID]runner.Program, names []string) (map[model.AgentID]runner.Program, error) {
	out := map[model.AgentID]runner.Program{}
	for _, name := range names {
		p, ok := runner.ProgramOf(r, all, model.AgentID(name))
		if !ok {
			return nil, misuse("only", "agent %s is not configured", model.Text(name)).WithHint("add it to the configuration")
		}
		out[model.AgentID(name)] = p
	}
	return out, nil
}

// reportTurn writes a driver's events to standard error, one line for each event.
func (e *Env) reportTurn(x runner.Event) {
	switch {
	case x.Err != nil:
		fmt.Fprintf(e.err, "vise: %s, turn %d: %s: %s\n", x.Agent, x.Turn, x.What, model.Text(x.Err.Error()))
	case x.Outcome != "":
		fmt.Fprintf(e.err, "vise: %s, turn %d: %s: %s %s %s\n", x.Agent, x.Turn, x.What, x.Outcome, x.Code, x.Reason)
	default:
		fmt.Fprintf(e.err, "vise: %s, turn %d: %s\n", x.Agent, x.Turn, x.What)
	}
}

func programVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "run -- PROGRAM [ARG…]", Short: "Run an agent's program and keep its reports",
		Long: "run passes input, output and exit code through, and takes the reports of completed items from the\n" +
			"output: exactly from claude -p --output-format stream-json, nearly so from codex exec --json. Of other\n" +
			"programs the last words are offered as a report. The output of a program that needs the terminal for\n" +
			"itself is not read.",
		Example: "vise run -- claude -p --verbose --output-format stream-json 'Work on the current item'",
	}
	return e.verb(c, func(_ context.Context, args []string) (answer, error) { return answer{}, wrap(e, args) })
}

// wrap exits with the program's exit code. It reports the result of the reports on standard error, because standard output is the
// program's.
func wrap(e *Env, argv []string) error {
	agent, err := ownAgent(e)
	if err != nil {
		return err
	}
	out, err := agents.Wrap(e, agents.WrapOptions{Argv: argv, Agent: agent, Home: e.home, In: e.in, Out: e.out, Err: e.err,
		Env: os.Environ(), Now: e.now})
	if err != nil {
		return err
	}
	if out.Promoted > 0 {
		fmt.Fprintf(e.err, "vise: %d reports kept\n", out.Promoted)
	}
	warn(e, out.Warnings...)
	for _, p := range out.Problems {
		fmt.Fprintf(e.err, "vise: %s\n", model.Text(p))
	}
	e.exit = out.Exit
	return nil
}

func serveVerb(e *Env) *cobra.Command {
	var o driveOptions
	s := &runner.Server{Now: e.now}
	var also, tools bool
	c := &cobra.Command{
		Use: "serve [--listen 127.0.0.1:PORT]", Short: "Run the scheduler and take webhooks",
		Example: "vise serve --drive",
		Long: "serve runs the scheduler without a screen, and an HTTP server for the addresses that vise trigger url\n" +
			"makes. /healthz and /metrics are for this machine. With --drive it also drives the configured agents.",
	}
	f := c.Flags()
	f.StringVar(&s.Listen, "listen", defaultListen, "where to listen")
	f.BoolVar(&s.Public, "public", false, "allow an address that others can reach; without --cert the requests are not encrypted")
	f.StringVar(&s.Certificate, "cert", "", "a file with the certificate")
	f.StringVar(&s.Key, "cert-key", "", "a file with the certificate's key")
	f.StringSliceVar(&s.Hosts, "host", nil, "other host names under which requests are accepted")
	f.BoolVar(&also, "drive", false, "drive the configured agents too")
	f.BoolVar(&tools, "mcp", false, "serve agents' tools too, to this machine, at /mcp/AGENT; vise mcp token prints how")
	o.register(c)
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) {
		h, err := open(e)
		if err != nil {
			return answer{}, err
		}
		s.Ledger, s.Answered = h, h.Answered
		s.Report = func(err error) { fmt.Fprintf(e.err, "vise: %s\n", model.Text(err.Error())) }
		s.Ready = func(at net.Addr) { fmt.Fprintf(e.err, "vise: listening on %s\n", at) }
		if tools {
			secret, err := mcp.Secret(h.Dir())
			if err != nil {
				return answer{}, err
			}
			s.MCP, s.MCPPath = mcp.Handler(mcpOptions(e), secret), mcp.HTTPPath
		}
		if also {
			d, err := driver(e, o, nil)
			if err != nil {
				return answer{}, err
			}
			s.Also = d.Run
		}
		if s.Public && s.Certificate == "" {
			warn(e, model.Warning{Kind: model.WarnUnencrypted,
				Message: "without --cert what is sent can be read, and its address be used, by who sees it on the way"})
		}
		return runTillStopped(e, func(ctx context.Context) error {
			ctx, stop := context.WithCancel(ctx)
			var archiving sync.WaitGroup
			archiving.Go(func() {
				if only, _ := h.Ledger().OnlyReads(ctx); only { // an error is told by what is done next
					s.Report(errors.New("this user may only read the ledger: the server schedules nothing and archives nothing"))
				}
				h.Ledger().Archive(ctx, s.Report)
			})
			err := s.Run(ctx)
			stop()
			archiving.Wait()
			return err
		})
	})
}

// runTillStopped runs a scheduler. A stop is its normal end.
func runTillStopped(e *Env, run func(context.Context) error) (answer, error) {
	defer attend(e, e)()
	err := run(e)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return answer{data: map[string]any{}}, err
}
