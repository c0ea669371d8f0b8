package cli

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/themes"
	"vise/ui/action"
	"vise/ui/runner"
	"vise/ui/text"
)

// status is the data of status.
type status struct {
	Home string `json:"home"`
	// Exists is false if there is no home yet.
	Exists   bool        `json:"exists"`
	HomeID   string      `json:"home_id,omitempty"`
	Revision uint64      `json:"revision"`
	Agents   []agentGist `json:"agents"`
	// NeedsYou is the number of inbox entries.
	NeedsYou int `json:"needs_you"`
	// Degraded are the ways in which the ledger works less well than it should.
	Degraded []model.Condition `json:"degraded"`
	// FileTodos are those of the repository's sessions. It is nil if there are none.
	FileTodos *todoGist `json:"file_todos,omitempty"`
	// Channels are the channels of the configuration.
	Channels []runner.ChannelState `json:"channels,omitempty"`

	inbox []model.Inboxed
}

func homeStatus(e *Env) (answer, error) {
	dir, err := homeDir(e)
	if err != nil {
		return nil, err
	}
	out := status{Home: dir, Agents: []agentGist{}, Degraded: []model.Condition{}, FileTodos: todoGistOf(e)}
	d, err := open(e)
	if err == nil {
		err = out.read(e, d)
	}
	if err == nil {
		out.HomeID = d.Ledger.Home().ID
		out.Degraded = append(out.Degraded, d.Conditions(e)...)
		out.Channels = channelStates(e, d.Dir())
	}
	if home.NoHome(err) {
		err = nil
	}
	return &reply{data: out, conditions: true, text: func(p *page) { p.status(out) }}, err
}

// read reads how things stand in an open home.
func (s *status) read(e *Env, d *home.Home) error {
	return d.View(e, func(r model.Reader) error {
		s.Exists, s.Revision, s.Agents, s.inbox = true, r.Revision(), gists(e, r, e.agent), inbox(e, r)
		s.NeedsYou = len(s.inbox)
		return knownIfNamed(e, r)
	})
}

func (p *page) status(s status) {
	switch {
	case !s.Exists:
		p.say("no vise home in %s yet", s.Home)
		p.line("vise new OBJECTIVE makes one with its first work item; vise admin demo shows what it is like")
	case len(s.Agents) == 0:
		p.line("no agents yet in %s; vise new OBJECTIVE makes the first work item", p.muted(safe(s.Home)))
	default:
		p.lines(p.muted(safe(s.Home)))
	}
	p.agents(agentList{s.Agents})
	if len(s.inbox) > 0 {
		p.line("needs you: %s; vise inbox lists it", action.CountNeeds(s.inbox, ", "))
	}
	p.todoGist(s.FileTodos)
	p.channels(s.Channels)
	for _, x := range s.Degraded {
		p.say("%s: %s; %s", x.Code, x.Message, x.Hint)
	}
}

// barFormats are the output formats of status for a status bar that calls it every few seconds: tmux's status line, Waybar's custom module,
// and the same as JSON for any other.
var barFormats = []string{"tmux", "waybar", "json"}

// bar is the content of a status bar.
type bar struct {
	NeedsYou  int `json:"needs_you"`
	Triggered int `json:"triggered"`
	Queued    int `json:"queued"`
	Blocked   int `json:"blocked"`
	Agents    int `json:"agents"`
	// Working is the number of agents with a current item. Current is that item if there is only one.
	Working int           `json:"working"`
	Current *model.Handle `json:"current,omitempty"`
	// Session is what the only session does that is known to do something, since Since, and at what.
	Session home.SessionState `json:"session,omitempty"`
	Since   time.Time         `json:"since,omitzero"`
	Doing   string            `json:"doing,omitempty"`
	// Class is the most urgent of needs-you, triggered, working, idle, none and error.
	Class string `json:"class"`
	// Trouble is why nothing else is known.
	Trouble string `json:"trouble,omitempty"`

	objective     model.Text
	progress, ago string
	// asks is the inbox. Its first entries are the tooltip.
	asks []model.Inboxed
}

// The limits of a bar.
const (
	barAsks    = 10
	inboxCount = 1000 // the count of inbox entries stops here
	barWords   = 60   // cells of an objective in a tooltip
	barDoing   = 30   // cells of what a session does
)

func statusVerb() verb {
	var format string
	return verb{
		use: "status", short: "Show how things stand in a few lines, or in one for a status bar",
		long: `status says how each agent stands. For a bar, --format tmux prints one line for tmux's status-right,
--format waybar a line of JSON for a Waybar module, --format json the same numbers for any other.`,
		example: "set -g status-right '#(vise status --format tmux)'",
		flags:   flags{{"format", &format, "one line for a status bar: " + strings.Join(barFormats, ", ")}},
		who:     anybody,
		run: func(e *Env) (answer, error) {
			if format != "" {
				return nil, statusBar(e, format)
			}
			if err := e.identify(); err != nil {
				return nil, err
			}
			return homeStatus(e)
		},
	}
}

// statusBar prints one line. It shows an error in the bar, not as an exit code: a bar that disappears on errors would disappear when it
// matters.
func statusBar(e *Env, format string) error {
	b, err := barOf(e)
	if err != nil {
		b.Class, b.Trouble = "error", fault(err).Message
	}
	words, tip := b.words(), b.tooltip()
	if !text.UTF8(e.getenv) {
		words, tip = themes.ASCII.Replace(words), themes.ASCII.Replace(tip)
	}
	switch {
	case format == "tmux" && words != "": // tmux must read neither a format nor a style in it
		_, err = fmt.Fprintln(e.out, strings.ReplaceAll(safe(words), "#", "##"))
		return err
	case format == "tmux":
		return nil
	case format == "waybar": // the text is Pango markup, in which text from outside must be only text
		return writeJSON(e.out, map[string]string{
			"text": html.EscapeString(words), "alt": b.Class, "class": b.Class, "tooltip": html.EscapeString(tip),
		})
	case format == "json":
		return writeJSON(e.out, b)
	}
	return misuse("format", "unknown format %q", format).WithHint("the formats are %s", strings.Join(barFormats, ", "))
}

// bar counts what a bar shows. If there is no home, the class is none.
func barOf(e *Env) (bar, error) {
	b := bar{Class: "none"}
	d, err := open(e)
	if home.NoHome(err) {
		return b, nil
	}
	if err != nil {
		return b, err
	}
	return b, d.View(e, func(r model.Reader) error {
		if err := knownIfNamed(e, r); err != nil {
			return err
		}
		b.count(r, e)
		return nil
	})
}

// inbox returns what needs the operator: for the named agent, else for all.
func inbox(e *Env, r model.Reader) []model.Inboxed {
	return model.Inbox(ofAgent(e, r), e.now(), inboxCount)
}

// ofAgent returns r with an inbox of the named agent alone, if there is one.
func ofAgent(e *Env, r model.Reader) model.Reader {
	if e.agent == "" {
		return r
	}
	return agentInbox{r, e.agent}
}

type agentInbox struct {
	model.Reader
	agent model.AgentID
}

// Inbox is part of model.Reader.
func (r agentInbox) Inbox(need model.Need, visit func(model.Inboxed) bool) {
	r.Reader.Inbox(need, func(x model.Inboxed) bool { return x.AgentID != r.agent || visit(x) })
}

func (b *bar) count(r model.Reader, a *Env) {
	b.asks = inbox(a, r)
	b.NeedsYou = len(b.asks)
	said, now := 0, a.now()
	for _, g := range gists(a, r, a.agent) {
		b.Agents++
		if s := g.Session; s != nil && s.Says(now, g.Decision) != "" {
			b.Session, b.Since, b.Doing = s.State, s.Since, s.Doing
			b.ago = text.Age(now.Sub(s.Since))
			said++
		}
		b.Triggered += g.Counts[model.TriggeredBlocked]
		b.Queued += g.Counts[model.QueuedRunnable]
		b.Blocked += g.Counts[model.BlockedClass]
		if g.Current != nil {
			b.Working++
			b.Current, b.objective = &g.Current.Handle, g.Current.Objective
			if t := g.Current.Todo; t.Total > 0 {
				b.progress = fmt.Sprintf(" %d/%d", t.Done, t.Total)
			}
		}
	}
	if b.Working != 1 {
		b.Current = nil
	}
	if said != 1 {
		b.Session, b.Since, b.Doing = "", time.Time{}, ""
	}
	b.Class = b.class()
}

func (b *bar) class() string {
	switch {
	case slices.ContainsFunc(b.asks, func(x model.Inboxed) bool { return !x.Seen }):
		return "needs-you"
	case b.Triggered > 0:
		return "triggered"
	case b.Working > 0:
		return "working"
	}
	return "idle"
}

// words returns the bar in as few cells as possible: ?3 ◆2 ▶wi-7f3k 3/6.
func (b *bar) words() string {
	g := themes.Unicode
	var parts []string
	add := func(mark string, n int) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s%d", mark, n))
		}
	}
	switch b.Class {
	case "none":
		return ""
	case "error":
		return "vise " + g.Warning
	}
	add(g.NeedsYou, b.NeedsYou)
	add(g.Triggered, b.Triggered)
	if b.Current != nil {
		parts = append(parts, g.Current+string(*b.Current)+b.progress)
	} else {
		add(g.Current, b.Working)
	}
	if b.Session != "" {
		doing := text.Cut(model.Text(b.Doing).String(), barDoing)
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %s", b.Session, b.ago, doing)))
	}
	if b.Working == 0 {
		add(g.Queued, b.Queued)
	}
	if len(parts) == 0 {
		return "vise " + g.Done
	}
	return strings.Join(parts, " ")
}

// tooltip returns what needs the operator, and the counts.
func (b *bar) tooltip() string {
	g := themes.Unicode
	if b.Trouble != "" {
		return b.Trouble
	}
	if b.Class == "none" {
		return "no vise home yet"
	}
	var lines []string
	for _, x := range b.asks[:min(len(b.asks), barAsks)] {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", g.NeedsYou, x.AgentID, x.Handle, text.Cut(x.Objective.String(), barWords)))
	}
	if more := len(b.asks) - barAsks; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if b.Current != nil {
		lines = append(lines, fmt.Sprintf("%s %s %s", g.Current, *b.Current, text.Cut(b.objective.String(), barWords)))
	}
	return strings.Join(append(lines, fmt.Sprintf("%d agents, %d queued, %d blocked", b.Agents, b.Queued, b.Blocked)), "\n")
}
