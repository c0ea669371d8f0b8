package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"

	"github.com/coreos/go-systemd/v22/daemon"

	"vise/model"
	"vise/store/home"
	"vise/store/transfer"
	"vise/ui/acp"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/ui/mcp"
	"vise/ui/runner"
)

type driveOptions struct {
	agents  only
	program runner.Program
}

func (o *driveOptions) flags(own flags) flags {
	return append(own, flags{
		{"only", o.agents.add, "drive only these of the configured agents; --agent names one"},
		{"program", &o.program.Program, "a program that vise knows, instead of a command: claude, codex, opencode, gemini or copilot"},
		{"adapter", &o.program.Adapter, "how the command talks: acp, rounds or text; default: acp"},
		{"permissions", &o.program.Permissions, "what the program may do unasked: ask, edits or all; default: ask"},
		{"dir", &o.program.Dir, "where the command is started"},
		{"env", (*commas)(&o.program.Env), "a variable of the environment for the command: NAME, or NAME=value"},
		{"turn-timeout", &o.program.Turn.Timeout, "end a turn after this long"},
		{"turn-rounds", &o.program.Turn.Rounds, "end a turn after this many replies"},
		{"lease", &o.program.Turn.Lease, "how long others wait for a driver that died"},
	}...)
}

func driveVerb() verb {
	var o driveOptions
	var once, alone bool
	return verb{
		use: "drive [-- COMMAND…]", short: "Run agents' programs when they have work",
		long: `drive starts an agent's program when the agent has work or a message, and carries out what the program
says. The programs come from config.yaml, or for one --agent from the command line. An agent that was
made for a delegation is run by the program of the agent that it works for. Any number of drivers can
run; an agent has one turn at a time.`,
		example: `vise drive
vise drive --agent claude
vise drive --agent ann --program codex
vise drive --agent ann -- my-agent --acp`,
		flags: o.flags(flags{{"once", &once, "end when no agent has anything to do"},
			{"alone", &alone, "end when the agent is stopped"}}),
		run: func(e *Env) (answer, error) {
			d, err := driver(e, o, e.words)
			if err != nil {
				return nil, err
			}
			d.Alone = alone
			if d.Once = once; once {
				forges(e, e.home).Once(e) // an answer can make work ready
			}
			// A driver hands words on and waits. With one thread it takes a quarter less: 2.4 % of a core at 60 words a second.
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			return runTillStopped(e, d.Run)
		},
	}
}

// limits returns the limits of the command line, else those of the configuration.
func (o driveOptions) limits(t config.Turn) config.Turn {
	said := o.program.Turn
	t.Timeout, t.Rounds, t.Lease = cmp.Or(said.Timeout, t.Timeout), cmp.Or(said.Rounds, t.Rounds), cmp.Or(said.Lease, t.Lease)
	return t
}

// programs returns the program of the command line, else the programs of the configuration.
func programs(e *Env, o driveOptions, argv []string) (map[model.AgentID]runner.Program, error) {
	if len(argv) > 0 || o.program.Program != "" || o.program.Adapter != "" {
		if e.agent == "" {
			return nil, misuse("agent", "which agent does the program work for?").WithHint("name the agent: --agent A")
		}
		o.program.Command = argv
		p, err := o.program.Checked()
		if err != nil {
			return nil, misuse("command", "the command line: %v", err).
				WithHint("name the command, or configure the agent: %s", runner.ProgramForm)
		}
		return map[model.AgentID]runner.Program{e.agent: p}, nil
	}
	s, err := settings(e, "agents", runner.ProgramForm)
	if err != nil {
		return nil, err
	}
	for name, x := range s.Agents {
		x.Turn = o.limits(x.Turn)
		x.Dir, x.Permissions = cmp.Or(o.program.Dir, x.Dir), cmp.Or(o.program.Permissions, x.Permissions)
		x.Env = append(x.Env, o.program.Env...)
		s.Agents[name] = x
	}
	all, err := runner.Programs(s.Agents)
	if err != nil {
		return nil, err
	}
	if known := programOf(e); e.agent != "" && all[e.agent].Adapter == "" && known != "" {
		o.program.Program = known
		return programs(e, o, nil)
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

// programOf returns the program of an agent that is not configured: its last session's, or the one that has its name.
func programOf(e *Env) (name config.Program) {
	if e.home != nil {
		s, _ := e.home.LastSession(e.agent)
		name = config.Program(s.Program)
	}
	for _, x := range []config.Program{name, config.Program(e.agent)} {
		if _, ok := acp.Named(string(x)); ok {
			return x
		}
	}
	return ""
}

// some returns the programs of the named agents.
func some(r model.Reader, all map[model.AgentID]runner.Program, names []string) (map[model.AgentID]runner.Program, error) {
	out := map[model.AgentID]runner.Program{}
	for _, name := range names {
		p, ok := runner.ProgramOf(r, all, model.AgentID(name))
		if !ok {
			return nil, misuse("only", "no program of agent %s is known", name).
				WithHint("name it: --program NAME, with %s; or in config.yaml: %s", acp.Names(), runner.ProgramForm)
		}
		out[model.AgentID(name)] = p
	}
	return out, nil
}

// reportTurn writes a driver's events to standard error, one line for each event.
func (e *Env) reportTurn(x runner.Event) {
	who, said := string(x.Agent), ""
	if x.Turn > 0 {
		who += fmt.Sprintf(", turn %d", x.Turn)
	}
	if x.Err != nil {
		said = ": " + fault(x.Err).Message
	} else if x.Outcome != "" {
		said = fmt.Sprintf(": %s %s %s", x.Outcome, x.Code, x.Reason)
	}
	fmt.Fprintf(e.err, "vise: %s: %s%s\n", cmp.Or(who, "drive"), x.What, said)
}

// wrap exits with the program's exit code. It reports on standard error, because standard output is the program's.
func wrap(e *Env, argv []string) error {
	agent, err := ownAgent(e)
	if err != nil {
		return err
	}
	out, err := agents.Wrap(e, agents.WrapOptions{Argv: argv, Agent: agent, Home: e.home, In: e.in, Out: e.out, Err: e.err,
		Env: os.Environ(), Now: e.now})
	warn(e, out.Warnings...)
	for _, p := range out.Problems {
		fmt.Fprintf(e.err, "vise: %s\n", model.Text(p.Error()))
	}
	e.exit = out.Exit
	return err
}

func serveVerb() verb {
	var o driveOptions
	s := &runner.Server{Listen: defaultListen}
	var also, tools, check bool
	return verb{
		use: "serve [--listen 127.0.0.1:PORT]", short: "Run the scheduler and take webhooks",
		long: `serve runs the scheduler without a screen, and an HTTP server for the addresses that vise trigger url
makes. /healthz, /readyz and /metrics are for this machine. With --drive it also drives the configured agents.`,
		example: "vise serve --drive",
		flags: o.flags(flags{
			{"listen", &s.Listen, "where to listen"},
			{"public", &s.Public, "allow an address that others can reach; without --cert the requests are not encrypted"},
			{"cert", &s.Certificate, "a file with the certificate"},
			{"cert-key", &s.Key, "a file with the certificate's key"},
			{"host", (*commas)(&s.Hosts), "other host names under which requests are accepted"},
			{"drive", &also, "drive the configured agents too"},
			{"mcp", &tools, "serve agents' tools too, to this machine, at /mcp/AGENT; vise mcp token prints how"},
			{"check", &check, "only ask the server at --listen whether it is ready: for a container's health check"},
		}),
		run: func(e *Env) (answer, error) {
			if check {
				return nil, s.Check(e)
			}
			h, err := open(e)
			if err != nil {
				return nil, err
			}
			s.Ledger, s.Answered, s.Now = h, h.Answered, e.now
			s.Version, s.Conditions, s.Sessions = builtVersion().Version, h.Conditions, sessionsIn(h, e.now).Known
			hosts := home.NewHosts(e, hostOptions(e))
			defer hosts.Close()
			s.Machines = func() []model.HostState {
				s, _ := settings(e, "hosts", "")
				hosts.Set(hostsOf(s.Hosts))
				return hosts.States()
			}
			if _, shared := h.Ledger.Cluster(); shared {
				s.Cluster = h.ClusterStatus
			}
			log := slog.New(slog.NewTextHandler(e.err, nil))
			s.Report = func(err error) { log.Error(safe(err.Error())) }
			s.Ready = func(at net.Addr) {
				log.Info("listening on " + at.String())
				if _, err := daemon.SdNotify(true, daemon.SdNotifyReady); err != nil {
					s.Report(err)
				}
			}
			if tools {
				secret, err := mcp.Secret(h.Dir())
				if err != nil {
					return nil, err
				}
				s.MCP, s.MCPPath = mcp.Handler(mcpOptions(e), secret), mcp.HTTPPath
			}
			if also {
				d, err := driver(e, o, nil)
				if err != nil {
					return nil, err
				}
				s.Also = d.Run
			}
			if s.Public && s.Certificate == "" {
				warn(e, model.Warning{Kind: model.WarnUnencrypted,
					Message: "without --cert what is sent can be read, and its address be used, by who sees it on the way"})
			}
			return runTillStopped(e, func(ctx context.Context) error {
				defer beside(ctx, func(ctx context.Context) {
					if only, _ := h.Ledger.OnlyReads(ctx); only { // an error is told by what is done next
						s.Report(errors.New("this user may only read the ledger: the server schedules nothing and archives nothing"))
					}
					transfer.RunArchive(ctx, h.Ledger, s.Report)
				})()
				return s.Run(ctx)
			})
		},
	}
}

// runTillStopped runs a scheduler. A stop is its normal end.
func runTillStopped(e *Env, run func(context.Context) error) (answer, error) {
	defer attend(e)()
	err := run(e)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return &reply{data: map[string]any{}}, err
}
