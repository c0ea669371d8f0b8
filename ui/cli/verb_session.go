package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/ui/runner"
)

// driverStarted is the data of start: whose program runs now.
type driverStarted struct {
	AgentID model.AgentID `json:"agent_id"`
	Item    model.ItemID  `json:"work_item_id,omitempty"`
	Dir     string        `json:"dir"`
	// Log is where the driver writes what it does.
	Log string `json:"log"`
}

func startVerb() verb {
	var o worktreeOptions
	var program config.Program
	var inWorktree, get bool
	return verb{
		use: "start ID|AGENT", short: "Start an agent's program, in a process of its own",
		long: `start runs vise drive for the agent in a process that outlives this one. With an ID the agent picks that item first.
The program works in the item's work tree if it has one. A missing program is installed with npm after a yes, into a
directory of vise's own. vise log -f AGENT shows what it says, vise stop AGENT ends it.`,
		example: "vise start wi-7f3k --worktree\nvise start claude",
		flags: flags{
			{"program", &program, "the agent's program: " + acp.Names() + " (default: the configured one, or its last one)"},
			{"worktree", &inWorktree, "make a git work tree for the item, and work there"},
			{"get", &get, "install the program without asking if it is missing"},
		},
		run: func(e *Env) (answer, error) {
			agent, item, err := agentOrItem(e, e.words[0])
			if err != nil {
				return nil, err
			}
			if o.program = "none"; inWorktree {
				if item.ID == "" {
					return nil, misuse("worktree", "--worktree needs an item").WithHint("vise start ID --worktree")
				}
				if _, err := newWorktree(e, string(item.ID), o); err != nil {
					return nil, err
				}
				if item, err = itemOf(e, string(item.ID)); err != nil {
					return nil, err
				}
			}
			out, err := startDriver(e, agent, item, program, func(p acp.NotInstalled) bool {
				return get || e.ttyIn && !e.flags.json && e.yes(safe(p.Error())+"\nInstall it into "+safe(acp.OwnDir())+"?")
			})
			return oneLine(out, "%s", out.line()), err
		},
	}
}

// agentOrItem reads a reference to an agent, or to an item and its agent.
func agentOrItem(e *Env, ref string) (model.AgentID, model.WorkItem, error) {
	if known, err := isAgent(e, ref); known || err != nil {
		return model.AgentID(ref), model.WorkItem{}, err
	}
	item, err := itemOf(e, ref)
	if err != nil {
		if _, ok := acp.Named(ref); ok { // an agent that has no work yet
			return model.AgentID(ref), item, nil
		}
		return "", item, fault(err).WithHint("vise list shows the work items, vise agents the agents")
	}
	return item.AgentID, item, nil
}

// line says that the driver runs, and how it is followed and ended.
func (d driverStarted) line() string {
	return fmt.Sprintf("agent %s is started in %s; vise log -f %[1]s shows what it says, vise stop %[1]s ends it", d.AgentID, safe(d.Dir))
}

// recordOf reads an agent. The record of an unknown one is empty.
func recordOf(e *Env, id model.AgentID) (a model.Agent, err error) {
	err = read(e, func(r model.Reader) error { a, _ = r.Agent(id); return nil })
	return a, err
}

// startDriver starts a driver for an agent. A program that is missing is installed if get allows it.
func startDriver(e *Env, agent model.AgentID, item model.WorkItem, program config.Program, get func(acp.NotInstalled) bool) (
	out driverStarted, err error,
) {
	dir := cmp.Or(item.Links.OwnWorktree(), e.dir)
	e.agent = agent
	all, err := programs(e, driveOptions{program: runner.Program{Program: program}}, nil)
	if err != nil {
		return out, err
	}
	err = all[agent].Spec().Missing()
	if missing, is := errors.AsType[acp.NotInstalled](err); is {
		if get(missing) {
			err = missing.Get(e)
		}
		if err != nil {
			return out, refuse("agent %s is not started", agent).Because(err).
				WithHint("vise start %s --get installs it, npm comes with Node.js; or run the program yourself: vise install %s",
					agent, missing.Name)
		}
	}
	runs := func() bool { return home.Marked(e.home.Dir(), home.MarkDriver(agent)) }
	was, err := recordOf(e, agent)
	if err != nil {
		return out, err
	}
	if was.Posture == model.Stopped { // the driver that vise stop ended needs a moment
		e.await(endTime, func() bool { return !runs() })
	}
	if runs() {
		return out, refuse("a driver runs agent %s already", agent).WithHint("vise log -f %s shows it, vise stop %[1]s ends it", agent)
	}
	if _, err := sendAlso(e, "", model.AddAgent{AgentID: agent}); err != nil {
		return out, err
	}
	if _, err := sendAlso(e, "", model.UpdateAgent{AgentID: agent, Posture: new(model.Awake)}); err != nil {
		return out, err
	}
	focus, err := focusOf(e, agentOf)
	if err != nil {
		return out, err
	}
	if item.ID != "" && focus.ID != item.ID {
		if _, err := sendAlso(e, agent, model.PickWorkItem{WorkItemID: item.ID}); err != nil {
			return out, err
		}
	}
	out = driverStarted{AgentID: agent, Item: item.ID, Dir: dir, Log: filepath.Join(e.home.Dir(), "log", "drivers", string(agent)+".log")}
	log, err := openLog(out.Log)
	if err != nil {
		return out, err
	}
	defer log.Close()
	args := []string{"drive", "--alone", "--home", e.home.Dir(), "--agent", string(agent), "--dir", dir}
	if program != "" {
		args = append(args, "--program", string(program))
	}
	if err := runner.Detach(args, log, "VISE_AGENT=", "VISE_ACTOR=", "VISE_TURN="); err != nil {
		return out, refuse("vise drive was not started").Because(err)
	}
	if !e.await(startTime, runs) {
		return out, refuse("the driver of agent %s ended at once: %s", agent, tail(out.Log)).WithHint("its log is %s", out.Log)
	}
	return out, nil
}

func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return files.OpenRegular(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC)
}

// tail returns the last lines of a driver's log.
func tail(path string) model.Text {
	raw, _ := files.ReadSmall(path, 1<<20)
	s := strings.TrimSpace(string(raw))
	return model.Text(s[max(0, len(s)-500):])
}

// startTime is how long start and stop wait for the driver, endTime how long start waits for the end of one that stop has told to end.
const (
	startTime = 15 * time.Second
	endTime   = 2 * time.Second
)

// await asks again until done, and reports whether it was within the limit.
func (e *Env) await(limit time.Duration, done func() bool) bool {
	ctx, cancel := context.WithTimeout(e, limit)
	defer cancel()
	for !done() {
		if home.Pause(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return false
		}
	}
	return true
}

func stopVerb() verb {
	var agent model.AgentID
	return verb{
		use: "stop AGENT", short: "Stop an agent: its turn ends, and its program; nothing is undone",
		long: `stop ends the agent's turn and the driver that vise start began. What the agent said and did stays. No turn begins
until vise start AGENT, or vise agents resume AGENT.`,
		example: "vise stop claude", args: to(&agent), keyed: true,
		run: func(e *Env) (answer, error) {
			in, err := send(e, "", model.UpdateAgent{AgentID: agent, Posture: new(model.Stopped)})
			if err != nil {
				return nil, err
			}
			ending := home.Scheduler{Ledger: e.home, Now: e.now, NewKey: home.NewKey, Alive: runner.Alive}
			_, _ = ending.Settle(e, agent) // it ends the turn of a driver that died; else the next scheduler does
			over := func() bool {
				a, _ := recordOf(e, agent)
				return !a.Turn.Runs(e.now()) && !slices.ContainsFunc(e.home.Known(agents.Lives), func(s home.Session) bool {
					return s.Driver.PID != 0 && s.Agent == agent && s.State != home.SessionGone
				})
			}
			out := fmt.Sprintf("agent %s is stopped", agent)
			if !e.await(startTime, over) {
				return receiptAnswer(in, "%s; its program has not ended yet", out), nil
			}
			ended, named, err := runner.EndLeft(e.home.Dir(), agent)
			if len(ended) > 0 {
				out += "; what a driver that died left was ended: processes " + runner.Numbers(ended)
			}
			if len(named) > 0 {
				out += "; still running, and not proven to be its own: processes " + runner.Numbers(named)
			}
			if err != nil {
				out += "; what its last driver left was not looked for: " + fmt.Sprint(model.Text(err.Error()))
			}
			return receiptAnswer(in, "%s", out), nil
		},
	}
}

// sessionList is the data of sessions.
type sessionList struct {
	Sessions []home.Session `json:"sessions"`
}

func sessionsVerb() verb {
	return verb{
		use: "sessions [ID|AGENT]", short: "List the sessions of agents' programs",
		long: `sessions lists what each session does, newest first: starting, working, asks, idle (its program waits) or gone. Sessions
that people run in the programs' own terminals are known from hooks, and say so. vise run goes to one there.`,
		example: "vise sessions claude",
		run: func(e *Env) (answer, error) {
			list, err := sessionsOf(e, first(e.words))
			return answerOf(sessionList{list}, (*page).sessions), err
		},
	}
}

// sessionsOf returns the sessions of an agent or item, or all.
func sessionsOf(e *Env, ref string) (_ []home.Session, err error) {
	var agent model.AgentID
	var item model.WorkItem
	if ref == "" {
		_, err = open(e)
	} else {
		agent, item, err = agentOrItem(e, ref)
	}
	out := []home.Session{}
	for _, s := range e.sessions() {
		if (ref == "" || s.Agent == agent) && (item.ID == "" || s.Item == item.ID) {
			out = append(out, s)
		}
	}
	return out, err
}

func (p *page) sessions(list sessionList) {
	if len(list.Sessions) == 0 {
		p.line("no session; vise start AGENT begins one")
	}
	for _, s := range list.Sessions {
		doing := s.Used()
		if s.Doing != "" {
			doing = fmt.Sprint(" · ", model.Text(s.Doing), doing)
		}
		if s.Driver.PID == 0 {
			doing += " · in its own terminal"
		}
		p.line("%s  %s  %s %s%s", cmp.Or(model.Text(s.ID), "-"), s.Agent, s.State, p.age(s.Since), doing)
	}
}

func logVerb() verb {
	var follow bool
	return verb{
		use: "log SESSION|ID|AGENT", short: "Show what a session said and did; follow it",
		long: `log prints what a session said: of a long one, the last 2 MiB. Of a session that a person runs in its program's own
terminal it is read from the program's transcript: Claude Code, Codex, Gemini CLI and Copilot CLI keep one.`,
		example: "vise log -f claude",
		flags:   flags{{"follow,f", &follow, "print what comes, until interrupted"}},
		run: func(e *Env) (answer, error) {
			return nil, e.showLog(e.words[0], follow)
		},
	}
}

// oneSession returns the session with an id, or the newest one of an agent or item. One that only starts has no id.
func oneSession(e *Env, ref string) (home.Session, error) {
	list, err := sessionsOf(e, "")
	at := slices.IndexFunc(list, func(s home.Session) bool { return s.ID == ref })
	if at < 0 && err == nil {
		list, err = sessionsOf(e, ref)
		at = max(0, slices.IndexFunc(list, func(s home.Session) bool { return s.ID != "" }))
	}
	if err == nil && len(list) == 0 {
		err = notFound("no session of %s is known", model.Text(ref)).
			WithHint("vise sessions lists them; vise start %s begins one", model.Text(ref))
	}
	if err != nil {
		return home.Session{}, err
	}
	return list[at], nil
}

// showLog prints the log of the session that ref names. With follow it prints what is added to it, and goes on with the next session.
func (e *Env) showLog(ref string, follow bool) error {
	s, err := oneSession(e, ref)
	story, next := acp.StoryOf(s.Program), s
	say := func(line string) {
		if err == nil {
			_, err = fmt.Fprintln(e.out, line)
		}
	}
	for printed, at, i := 0, int64(0), 1; err == nil; i++ {
		entries, to, failed := sessionsIn(e.home, e.now).Read(s, at, acp.MaxRead)
		switch isNone := errors.Is(failed, fs.ErrNotExist); {
		case failed == nil, isNone && follow: // one that only starts has none
		case isNone && s.ID == "":
			return refuse("the session of %s only starts, and has said nothing", model.Text(ref)).
				WithHint("vise log -f %s follows it", model.Text(ref))
		default:
			return refuse("the log of session %s does not read", model.Text(s.ID)).Because(failed)
		}
		for _, x := range entries {
			if story.Add(x); e.flags.json {
				raw, _ := json.Marshal(x) // what was decoded marshals
				say(string(raw))
			}
		}
		at = to
		last := len(story.Parts)
		if e.flags.json {
			printed = last
		}
		if follow && next.ID == s.ID && last > 0 && story.Parts[last-1].GoesOn() {
			last--
		}
		for ; printed < last; printed++ {
			say(logLines(story.Parts[printed]))
		}
		switch {
		case !follow || e.Err() != nil:
			if words := s.Steered(); words != "" && !e.flags.json {
				say("── " + words)
			}
			return err
		case next.ID != s.ID:
			s, story, printed, at = next, acp.StoryOf(next.Program), 0, 0
		case home.Pause(e, 200*time.Millisecond) == nil && i%5 == 0:
			next, err = oneSession(e, ref)
		}
	}
	return err
}

// logLines are the lines of a part for a terminal.
func logLines(p acp.Part) string {
	switch p.Kind {
	case acp.PartThought:
		return "  (" + p.Text.Multiline() + ")"
	case acp.PartNotice:
		return "! " + strings.TrimSpace(p.Text.Multiline())
	case acp.PartPrompt:
		if p.From == model.Scheduler {
			return "> [the context of the turn]"
		}
		return "> " + p.Text.Multiline()
	case acp.PartCall, acp.PartAsk:
		verb, about := p.Call.Line()
		line := fmt.Sprintf("  %s  %s  %s", verb, about, p.Call.Outcome())
		if p.Kind == acp.PartAsk {
			line = fmt.Sprintf("? asks to %s  %s  %s", verb, about, p.Text)
		}
		return strings.TrimRight(line, " ")
	case acp.PartPlan:
		var lines []string
		for _, x := range p.Plan {
			lines = append(lines, fmt.Sprintf("  - %s %s", x.Status, model.Text(x.Content)))
		}
		return strings.Join(lines, "\n")
	case acp.PartTurn:
		return fmt.Sprintf("── turn %d, %s", p.Turn, p.At.Local().Format(time.DateTime))
	case acp.PartEnded:
		return fmt.Sprint("── ", p.Text)
	}
	return p.Text.Multiline()
}
