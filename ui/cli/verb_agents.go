package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/agents"
)

// agentList is the data of agents and its parts.
type agentList struct {
	Agents []agentGist `json:"agents"`
}

// agentGist is an agent in a few numbers.
type agentGist struct {
	AgentID       model.AgentID       `json:"agent_id"`
	Posture       model.Posture       `json:"posture"`
	AutoPick      bool                `json:"auto_pick"`
	ParentAgentID model.AgentID       `json:"parent_agent_id,omitempty"`
	Current       *model.Row          `json:"current,omitempty"`
	Counts        map[model.Class]int `json:"counts"`
	NeedsOperator int                 `json:"needs_operator"`
	Decision      model.Decision      `json:"decision"`
	Limits        model.Limits        `json:"limits,omitzero"`
	// Failure is how the last turn failed; missing when it did not.
	Failure *model.TurnFailure `json:"failure,omitempty"`
}

// maxAgents bounds how many agents are listed.
const maxAgents = 1000

func (a *app) agentsVerb() *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "List the agents, add one, change one"}
	c.AddCommand(a.agentsAddVerb(), a.agentsSetVerb(),
		a.agentsPostureVerb("stop", "Leave an agent alone: no turn begins, a running one ends", model.Stopped),
		a.agentsPostureVerb("resume", "Let a stopped agent run again", model.Awake))
	return a.plain(c, func(ctx context.Context, _ []string) (answer, error) {
		return readAnswer(ctx, a, (*page).agents, func(r model.Reader) (agentList, error) { return agentList{a.gists(r, "")}, nil })
	})
}

func (a *app) agentsAddVerb() *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "add NAME [MESSAGE]", Short: "Make an agent known before it has work",
		Long: "With --for-delegation it works for --agent, whose program runs it too where the configuration gives it none.\n" +
			"MESSAGE tells it what to do; the first work item that it makes then serves that agent's focus, as a delegation.",
	}
	m.keyed(c)
	forDelegation := c.Flags().Bool("for-delegation", false, "it works for --agent, and is run by its program")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		if *forDelegation {
			parent, err := readOne(ctx, a, a.agentOf)
			if err != nil {
				return answer{}, err
			}
			return a.changeAgent(ctx, m, parent, model.SpawnAgent{AgentID: model.AgentID(args[0]),
				InitialMessage: model.Text(strings.Join(args[1:], ""))})
		}
		if len(args) > 1 {
			return answer{}, misuse("for-delegation", "a message is for an agent that works for another").
				WithHint("add --for-delegation, or say it afterwards: vise say %s MESSAGE", args[0])
		}
		return a.changeAgent(ctx, m, "", model.AddAgent{AgentID: model.AgentID(args[0])})
	})
}

func (a *app) agentsPostureVerb(name, short string, to model.Posture) *cobra.Command {
	var m mutation
	c := &cobra.Command{Use: name + " NAME", Short: short}
	m.keyed(c)
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return a.changeAgent(ctx, m, "", model.UpdateAgent{AgentID: model.AgentID(args[0]), Posture: &to})
	})
}

func (a *app) agentsSetVerb() *cobra.Command {
	var m mutation
	var autoPick bool
	var posture, quiet, turns, cost string
	c := &cobra.Command{Use: "set NAME", Short: "Change an agent's settings"}
	m.keyed(c)
	c.Flags().BoolVar(&autoPick, "auto-pick", false, "let the scheduler pick the first queued item at idle")
	c.Flags().StringVar(&posture, "posture", "", "awake, asleep or stopped")
	c.Flags().StringVar(&quiet, "max-quiet-turns-per-hour", "", "how many turns may change nothing: 1 to 60, default (6) or off")
	c.Flags().StringVar(&turns, "max-turns-per-hour", "", "how many turns there may be: 1 to 60, or off")
	c.Flags().StringVar(&cost, "max-cost-per-day", "", "what a day's turns (UTC) may cost, in US dollars, as its program tells it; or off")
	c.MarkFlagsOneRequired("auto-pick", "posture", "max-quiet-turns-per-hour", "max-turns-per-hour", "max-cost-per-day")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		u := model.UpdateAgent{AgentID: model.AgentID(args[0])}
		if c.Flags().Changed("auto-pick") {
			u.AutoPick = &autoPick
		}
		if c.Flags().Changed("posture") {
			p := model.Posture(posture)
			u.Posture = &p
		}
		var err error
		if u.MaxQuietTurnsPerHour, err = limit(c, "max-quiet-turns-per-hour", quiet, -1, strconv.Atoi); err != nil {
			return answer{}, err
		}
		if u.MaxTurnsPerHour, err = limit(c, "max-turns-per-hour", turns, 0, strconv.Atoi); err != nil {
			return answer{}, err
		}
		if u.MaxCostPerDay, err = limit(c, "max-cost-per-day", cost, 0, dollars); err != nil {
			return answer{}, err
		}
		return a.changeAgent(ctx, m, "", u)
	})
}

// limit reads a limit, if it is given: a number above zero, off, or default.
func limit[N int | float64](c *cobra.Command, flag, said string, off N, read func(string) (N, error)) (*N, error) {
	if !c.Flags().Changed(flag) {
		return nil, nil
	}
	var n N
	switch said {
	case "off":
		n = off
	case "default":
	default:
		var err error
		if n, err = read(said); err != nil || n <= 0 {
			return nil, misuse(flag, "--%s %s is no limit", flag, model.Text(said)).WithHint("give a number above zero, off, or default")
		}
	}
	return &n, nil
}

func dollars(s string) (float64, error) { return strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64) }

func (a *app) changeAgent(ctx context.Context, m mutation, as model.AgentID, c model.Command) (answer, error) {
	o := order{mutation: m, agent: as, command: c}
	return changeAnswer(ctx, a, o, (*page).agents, func(r model.Reader, in model.Receipt) agentList {
		return agentList{a.gists(r, in.AgentID)}
	})
}

func (a *app) gists(r model.Reader, only model.AgentID) []agentGist {
	out := []agentGist{}
	list := r.Agents("", maxAgents)
	if only != "" {
		x, _ := r.Agent(only)
		list = []model.Agent{x}
	}
	for _, x := range list {
		g := agentGist{
			AgentID: x.ID, Posture: x.Posture, AutoPick: x.AutoPick, ParentAgentID: x.ParentAgentID, Counts: map[model.Class]int{},
			NeedsOperator: r.Count(x.ID, model.TallyNeedsOperator), Decision: model.Decide(r, x.ID, a.now()),
			Limits: x.Limits, Failure: x.Pace.Failure,
		}
		if w, ok := model.Focus(r, x.ID); ok {
			row := model.RowOf(w, r.ItemWaits(x.ID, w.ID), true)
			g.Current = &row
		}
		for _, c := range model.Classes {
			g.Counts[c] = r.Count(x.ID, model.ClassTally(c))
		}
		out = append(out, g)
	}
	return out
}

func (p *page) agents(l agentList) {
	for i, g := range l.Agents {
		if i > 0 {
			p.line("")
		}
		p.line("%s  %s", p.strong(string(g.AgentID)), decisionWords(g.Decision))
		if g.Failure != nil {
			p.line("  failing: turn %d, %s", g.Failure.Turn, strings.ReplaceAll(string(g.Failure.Code), "_", " "))
		}
		counts := ""
		for _, c := range model.Classes {
			mark, name := className(c)
			if n := g.Counts[c]; n > 0 {
				counts += p.class(c, fmt.Sprintf("  %s %d %s", mark, n, name))
			}
		}
		if counts == "" {
			counts = "  no work items"
		}
		p.line("%s", counts)
		if g.ParentAgentID != "" {
			p.line("  was made to work for %s", g.ParentAgentID)
		}
		if g.Current != nil {
			p.line("  works on %s %s", g.Current.Handle, g.Current.Objective)
		}
		if more := g.NeedsOperator - g.Counts[model.WaitingForOperator]; more > 0 {
			p.line("  %s", p.class(model.WaitingForOperator, fmt.Sprintf("%d more need you", more)))
		}
	}
}

// of is " 3 of 12", or only the first number where there is no more.
func of(n, total int) string {
	if n >= total {
		return fmt.Sprintf(" %d", n)
	}
	return fmt.Sprintf(" %d of %d", n, total)
}

func (a *app) installVerb() *cobra.Command {
	var o agents.Options
	c := &cobra.Command{
		Use: "install PROGRAM", Short: "Put vise into an agent program's settings",
		Long: "install adds the MCP server and the hooks of vise to the user's settings of claude, codex, crush or opencode.\n" +
			"It edits its own entries alone, and writes all files or none. --uninstall takes them out again, whatever\n" +
			"home they are for, and restores what was there before; with --home only those for that home.",
		Example: "vise install claude --dry-run", ValidArgs: agents.Programs,
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "show the change and write nothing")
	f.BoolVar(&o.Uninstall, "uninstall", false, "take vise's entries out")
	project := f.Bool("project", false, "the settings of this git worktree; without --agent each worktree has an agent of its own")
	f.BoolVar(&o.AskReport, "ask-report", false, "when the agent completes an item without a word, ask it once for the report")
	permit := f.Bool("permit", false, "have the program run vise's tools, and Codex its hooks, without asking you each time; "+
		"false takes that back (default: as it is; a terminal is asked)")
	f.StringVar(&o.Tools, "tools", "", "usual, or all: also those that notify the operator, delegate and start tasks (default: as it is)")
	return a.verb(c, func(_ context.Context, args []string) (answer, error) {
		if *project {
			o.Project = agents.Worktree(a.dir)
		}
		if f.Changed("permit") {
			o.Permit = permit
		}
		return a.install(args[0], o)
	})
}

// installOptions are o with what this run says of a program.
func (a *app) installOptions(program string, o agents.Options) (_ agents.Options, err error) {
	o.Program, o.Agent, o.Vise, o.Version, o.Getenv = program, string(a.agent), ownName(), versionOf(program), a.getenv
	o.Home, err = a.homeDir()
	o.OnlyHome = a.flags.home != ""
	return o, err
}

// versionTimeout is what a program may take to tell its version.
const versionTimeout = 5 * time.Second

// versionOf is what Claude Code and Codex say of their version, as what they can do depends
// on that; empty where it is not said, or cannot be found.
func versionOf(program string) string {
	if program != "claude" && program != "codex" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.WaitDelay = time.Second // a child of its own may hold the pipe
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(string(out)) {
		if word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}

func (a *app) install(program string, o agents.Options) (answer, error) {
	o, err := a.installOptions(program, o)
	if err != nil {
		return answer{}, err
	}
	if o.Permit == nil && !o.DryRun && !o.Uninstall && a.ttyIn && !a.flags.json {
		o.Permit = a.askPermit(o)
	}
	out, err := agents.Install(o)
	return answer{data: out, text: func(p *page) { p.installed(out, o) }}, err
}

// askPermit asks what the program would ask again and again; nil leaves that to the program.
func (a *app) askPermit(o agents.Options) *bool {
	asks := agents.Asks(o)
	if asks == "" {
		return nil
	}
	fmt.Fprintf(a.err, "%s.\nPermit that in its settings, once and for all? [y/N] ", asks)
	said, _ := bufio.NewReader(a.in).ReadString('\n')
	yes := isYes(said)
	if !yes {
		return nil
	}
	return &yes
}

// isYes reads the answer to a question that ends with [y/N].
func isYes(said string) bool {
	said = strings.ToLower(strings.TrimSpace(said))
	return said == "y" || said == "yes"
}

// integration shows the changes of a program's settings, and says how many files they are in.
func (p *page) integration(out agents.Installed) (changed int) {
	for _, f := range out.Files {
		if !f.Changed {
			p.line("%s is as it should be", model.Text(f.Path))
			continue
		}
		changed++
		p.line("%s", model.Text(strings.TrimRight(f.Diff, "\n")).Multiline())
	}
	for _, n := range out.Notes {
		p.line("note: %s", model.Text(n))
	}
	return changed
}

func (p *page) installed(out agents.Installed, o agents.Options) {
	switch changed := p.integration(out); {
	case changed == 0:
		p.line("nothing to change")
	case o.DryRun:
		p.line("nothing was written")
	case o.Uninstall:
		p.line("vise is out of %s's settings", out.Program)
	default:
		p.line("%s works as agent %s; vise doctor %s says whether its hooks arrive", out.Program, out.Agent, out.Program)
	}
}

// ownName is how other programs call this one: by its name if that finds it, else by its path.
func ownName() string {
	self, err := os.Executable()
	if err != nil {
		return "vise"
	}
	found, err := exec.LookPath("vise")
	if err != nil {
		return self
	}
	a, errA := filepath.EvalSymlinks(self)
	b, errB := filepath.EvalSymlinks(found)
	if errA == nil && errB == nil && a == b {
		return "vise"
	}
	return self
}

// doctorProgram says whether a program's hooks arrive.
func (a *app) doctorProgram(program string) (answer, error) {
	o, err := a.installOptions(program, agents.Options{})
	if err != nil {
		return answer{}, err
	}
	list, err := agents.Doctor(o, a.now())
	out := checkup{Home: o.Home, Checks: []check{}}
	for _, c := range list {
		out.add(c.Name, c.OK, c.Message, c.Hint)
	}
	return answer{data: out, exit: failed(out.Problems > 0), text: func(p *page) { p.checkup(out) }}, err
}

// installedPrograms are the agents' programs of this machine that vise can be put into.
func installedPrograms() (found []string) {
	for _, p := range agents.Programs {
		if _, err := exec.LookPath(p); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// integrationPreview is what vise install would change for some programs, as it prints it. Nothing
// is written. What is wrong with one program's settings stands in its place.
func (a *app) integrationPreview(programs []string) model.Text {
	var p page
	for _, name := range programs {
		p.line("vise install %s", name)
		yes := true // who writes it has seen it
		o, err := a.installOptions(name, agents.Options{DryRun: true, Permit: &yes})
		var out agents.Installed
		if err == nil {
			out, err = agents.Install(o)
		}
		if err != nil {
			p.line("! %s", fault(err).Message)
		}
		p.integration(out)
		p.line("")
	}
	return model.Text(strings.TrimSuffix(p.b.String(), "\n"))
}

// integrate writes what integrationPreview tells of one program.
func (a *app) integrate(program string) error {
	yes := true
	_, err := a.install(program, agents.Options{Permit: &yes})
	return err
}
