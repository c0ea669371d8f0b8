package agents

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/diff"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/transcript"
)

// Options say for whom and how vise is installed.
type Options struct {
	Program string
	// Agent is the agent that the program works as. If it is empty, the program keeps the agent that its settings name.
	Agent string
	// Unnamed is the agent that a program without one works as, if no other program does; if empty, the program's name.
	Unnamed string
	// Vise is the command that the program will call.
	Vise string
	// Home is the home in which the program works by default.
	Home string
	// Project is the directory whose settings are edited; if empty, the user's settings are edited.
	Project string
	// Uninstall removes vise's entries for any home, or with OnlyHome only those for Home.
	Uninstall, OnlyHome bool
	DryRun              bool
	// AskReport makes the Stop hook ask once for a missing report.
	AskReport bool
	// Tools names the tools that the MCP server offers: usual or all; empty keeps the current choice.
	Tools string
	// Permit makes the program run vise's tools, and Codex its hooks, without asking a person; nil keeps the current state.
	Permit *bool
	// permitted is the value of Permit, or the current state if Permit is nil.
	permitted bool
	// byWorktree means that each worktree has its own agent.
	byWorktree bool
	Getenv     func(string) string
}

// Installed says what was done, or with a dry run what would be done.
type Installed struct {
	Program string          `json:"program,omitempty"`
	Agent   string          `json:"agent_id,omitempty"`
	DryRun  bool            `json:"dry_run,omitempty"`
	Files   []installedFile `json:"files"`
	Notes   []string        `json:"notes,omitempty"`
}

// installedFile is one file of a program's settings.
type installedFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	// Diff is the change in unified form.
	Diff string `json:"diff,omitempty"`
}

// target is a file, and how vise is added to it or removed from it. edit gets nil for a file that is missing, and returns nil for a file
// that should be removed.
type target struct {
	path string
	edit func(before []byte, remove bool) (after []byte, note string, err error)
}

// Install edits a program's settings: all files, or none if one of them cannot be edited.
func Install(o Options) (Installed, error) {
	if o.Project != "" && !slices.Contains(ProjectPrograms, o.Program) {
		return Installed{}, model.Invalid("vise does not know what settings %s has for a project",
			model.Text(o.Program)).At("project",
			"it knows those of %s; name the agent in the environment: VISE_AGENT", strings.Join(ProjectPrograms, ", "))
	}
	o.nameAgent()
	if o.Tools != "" && o.Tools != "usual" && o.Tools != allTools {
		return Installed{}, model.Invalid("unknown tools %q", model.Text(o.Tools)).At("tools",
			"use usual or all")
	}
	list, err := o.settings()
	if err != nil {
		return Installed{}, err
	}
	o.asItIs(list)
	list, _ = o.settings() // they were readable a moment ago
	if o.Uninstall {
		list = append(list, o.primerOf()...)
	}
	return o.carryOut(list, Installed{Program: o.Program, Agent: o.Agent, DryRun: o.DryRun, Notes: o.notes()})
}

// carryOut edits all files or none.
func (o Options) carryOut(list []target, out Installed) (Installed, error) {
	out.Files = []installedFile{}
	var changes []change
	for _, t := range list {
		c, note, err := plan(o, t)
		if err != nil {
			return Installed{}, err
		}
		if note != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: %s", c.path, note))
		}
		diff := string(diff.Diff(c.path, c.before, c.path, c.after))
		if c.before == nil && c.after == nil {
			continue
		}
		out.Files = append(out.Files, installedFile{Path: c.path, Changed: c.changes(), Diff: diff})
		changes = append(changes, c)
	}
	if o.DryRun {
		return out, nil
	}
	for i, c := range changes {
		err := c.keep(o)
		if err == nil {
			err = c.write()
		}
		if err != nil {
			for _, done := range changes[:i] {
				err = errors.Join(err, change{path: done.path, before: done.after, after: done.before}.write())
			}
			return out, err
		}
	}
	for _, c := range slices.Backward(changes) { // inner directories were made last
		if o.Uninstall && (!o.OnlyHome || c.changes()) {
			c.forget(o)
		}
	}
	return out, nil
}

// nameAgent determines the agent that the program works as.
func (o *Options) nameAgent() {
	switch o.Agent = cmp.Or(o.Agent, o.agentNow()); {
	case o.Agent != "":
	case o.Project != "":
		o.Agent, o.byWorktree = WorktreeAgent(o.Program, o.Project), true
	case o.Unnamed != "" && !slices.Contains(Working(o.Getenv), o.Unnamed):
		o.Agent = o.Unnamed
	default:
		o.Agent = o.Program
	}
}

// agentNow returns the agent that the program's settings name; empty if they name none.
func (o Options) agentNow() string {
	p := programOf(o.Program)
	if p.settings == nil {
		return "" // settings reports the program
	}
	for _, t := range p.settings(o) {
		if _, raw, err := readSettings(t.path); err == nil {
			if agent := agentIn(raw); agent != "" {
				return agent
			}
		}
	}
	return ""
}

// Working returns the agents that programs work as by the user's settings, in the order of Programs.
func Working(getenv func(string) string) (names []string) {
	for _, program := range Programs {
		if agent := (Options{Program: program, Getenv: getenv}).agentNow(); agent != "" {
			names = append(names, agent)
		}
	}
	return names
}

// allTools is the choice of tools that is not the default.
const allTools = "all"

// asItIs fills the options that keep the current state.
func (o *Options) asItIs(list []target) {
	p := programOf(o.Program)
	allTheTools := regexp.MustCompile(`"mcp",\s*"--(?:agent|project)"[^\]]*"--tools",\s*"all"`)
	o.permitted = o.Permit != nil && *o.Permit
	for _, t := range list {
		_, raw, err := readSettings(t.path)
		if err != nil {
			continue // planning its change reports the reason
		}
		if o.Tools == "" && allTheTools.Match(raw) {
			o.Tools = allTools
		}
		if o.Permit == nil && p.permitted != nil && p.permitted(raw) {
			o.permitted = true
		}
	}
}

// change holds the content of a file before and after; nil means no file.
type change struct {
	path          string
	before, after []byte
	// was is the content from before vise.
	was backup
}

func (c change) changes() bool {
	return (c.before == nil) != (c.after == nil) || !bytes.Equal(c.before, c.after)
}

func plan(o Options, t target) (c change, note string, err error) {
	if c.path, c.before, err = readSettings(t.path); err != nil {
		return c, "", err
	}
	if c.was, err = recall(o, c.path); err != nil {
		return c, "", err
	}
	if o.Uninstall && c.before == nil {
		return c, "", nil
	}
	text, marked := bytes.CutPrefix(c.before, []byte(byteOrderMark))
	if c.after, note, err = t.edit(text, o.Uninstall); err != nil {
		return c, "", refusal(c.path, err)
	}
	if marked && c.after != nil {
		c.after = append([]byte(byteOrderMark), c.after...)
	}
	if !o.Uninstall {
		c.was = c.was.renewed(t, c.before)
		return c, note, nil
	}
	switch {
	case o.OnlyHome && !o.isOfHome(c):
		c.after = c.before
	case c.was.After == model.Hash(string(c.before)):
		c.after = c.was.Before
	case !c.was.Existed && isBlank(c.after) && !isBlank(c.before):
		c.after = nil
	}
	return c, note, nil
}

func refusal(path string, why error) error {
	return model.Refused("%s cannot be edited: %s", model.Text(path), model.Text(why.Error())).
		WithHint("change the file first; nothing was changed")
}

// maxSettings bounds a settings file in bytes.
const maxSettings = 16 << 20

// readSettings reads a settings file through symbolic links; nil means no file.
func readSettings(path string) (real string, raw []byte, err error) {
	real, raw, err = files.ReadLinked(path, maxSettings)
	if files.IsGone(err) {
		return path, nil, nil
	}
	if err != nil {
		return real, nil, refusal(real, err)
	}
	if info, err := os.Stat(real); err == nil && info.Mode().Perm()&0o200 == 0 {
		return real, nil, refusal(real, errors.New("it is read-only"))
	}
	return real, raw, nil
}

func (c change) write() error {
	if !c.changes() {
		return nil
	}
	if c.after == nil {
		return os.Remove(c.path)
	}
	err := os.MkdirAll(filepath.Dir(c.path), 0o755)
	if err == nil {
		err = files.WriteAtomic(c.path, c.after)
	}
	if err != nil {
		return model.Refused("%s cannot be written", model.Text(c.path)).Because(err).
			WithHint("make the directory writable for you; nothing was changed")
	}
	return nil
}

// Check is the result of one check of Doctor.
type Check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// NoTime: it is not ok only because it did not end in time.
	NoTime bool `json:"no_time,omitempty"`
	// NotYet: it is not ok only because the program was not run yet, or not permitted what it will ask for.
	NotYet bool `json:"not_yet,omitempty"`
}

// Doctor reports whether vise is in a program's settings, and which of its hooks have been seen.
func Doctor(o Options, now time.Time) ([]Check, error) {
	o.DryRun, o.Uninstall = true, false
	found, err := Install(o)
	if err != nil {
		return nil, err
	}
	out := []Check{onPath(o)}
	for _, f := range found.Files {
		c := Check{Name: "settings", OK: !f.Changed, Message: f.Path + " has vise's entries"}
		if f.Changed {
			c.Message = f.Path + " lacks entries of vise, or has old ones"
			c.Hint = "vise install " + o.Program + " writes them; with --dry-run it shows them first"
		}
		out = append(out, c)
	}
	out = append(append(out, present(o)...), permissions(o)...)
	out = append(out, seen(o, now)...)
	out = append(out, fine("answers", "%s", programOf(o.Program).answers))
	if waiting, refused := home.Queued(o.Home); waiting+refused > 0 {
		out = append(out, Check{Name: "spool", OK: refused == 0,
			Message: fmt.Sprintf("%d hooks wait in the queue, %d were refused", waiting, refused),
			Hint:    "the next vise that opens the ledger takes them in; refused ones lie in " + filepath.Join(o.Home, "spool", "refused")})
	}
	return out, nil
}

// present says whether Claude Code has vise's tools in the model's first request. Its settings can set variables of its environment.
func present(o Options) []Check {
	o.nameAgent()
	list, err := o.settings()
	if o.Program != "claude" || err != nil {
		return nil
	}
	const variable = "ENABLE_TOOL_SEARCH"
	search, loads := o.Getenv(variable), false
	for _, t := range list {
		_, raw, _ := readSettings(t.path) // another check reports the error
		search = cmp.Or(setting[string](raw, "env", variable), search)
		loads = loads || setting[bool](raw, "mcpServers", "vise", "alwaysLoad")
	}
	switch {
	case search == "false":
		return []Check{fine("tools", "claude has vise's tools in its first request: %s=false", variable)}
	case loads:
		return []Check{fine("tools", "claude has vise's tools in its first request, by alwaysLoad in its settings")}
	}
	return []Check{{Name: "tools", Message: "claude defers vise's tools: the model sees only their names at first",
		Hint: "vise install claude sets alwaysLoad"}}
}

// leastLines is how many lines a transcript has that tells something.
const leastLines = 3

// Unread returns the newest transcript of a program if vise understands none of its lines.
func Unread(o Options, now func() time.Time) string {
	for _, s := range home.SessionsIn(o.Home, now).Known(nil) {
		if s.Program != o.Program {
			continue
		}
		lines, known := 0, false
		end, _ := transcriptEnd(o.Getenv, s, maxReply)
		for line := range bytes.Lines(end) {
			l := transcript.Read(s.Program, bytes.TrimSpace(line))
			lines, known = lines+1, known || len(entries(l)) > 0
		}
		switch {
		case known:
			return ""
		case lines >= leastLines:
			return s.Transcript
		}
	}
	return ""
}

func onPath(o Options) Check {
	if _, err := exec.LookPath(o.Vise); err != nil {
		return Check{Name: "program", Message: o.Vise + " is not found by other programs",
			Hint: "put vise on the PATH, then vise install " + o.Program}
	}
	return fine("program", "%s is found", o.Vise)
}

// seen lists the events that the program should send, and which of them it has sent.
func seen(o Options, now time.Time) []Check {
	p, all := programOf(o.Program), seenEvents(o.Home, o.Program)
	var out []Check
	for _, e := range p.expected {
		if !slices.ContainsFunc(all, func(s seenEvent) bool { return s.Event == e }) {
			out = append(out, Check{Name: "hook " + e, Message: e + " was never seen", Hint: p.hint, NotYet: len(all) == 0})
		}
	}
	for _, s := range all {
		out = append(out, fine("hook "+s.Event, "%s seen %d times, last %s ago", s.Event, s.Count, now.Sub(s.Last).Round(time.Second)))
	}
	return out
}

// serverLimit bounds the start of the MCP server and one call of it.
const serverLimit = 10 * time.Second

// Serves starts the MCP server as the settings do, in a throwaway home, and calls a tool.
func Serves(ctx context.Context, o Options) Check {
	c := Check{Name: "server", Hint: "run it yourself: " + o.Vise + " mcp --agent " + o.Program}
	ctx, cancel := context.WithTimeout(ctx, serverLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "vise-doctor-")
	if err != nil {
		c.Message = err.Error()
		return c
	}
	defer os.RemoveAll(dir)
	o.nameAgent()
	cmd := exec.CommandContext(ctx, o.Vise, o.serverArgs()...)
	cmd.Env = append(os.Environ(), "VISE_HOME="+filepath.Join(dir, "home"), "VISE_AGENT="+o.Agent, "VISE_ACTOR=", "VISE_TURN=")
	begun := time.Now()
	tools, err := called(ctx, cmd)
	if err != nil {
		c.Message = fmt.Sprintf("%s mcp does not serve: %s", o.Vise, model.Text(err.Error()))
		return c
	}
	return fine("server", "%s mcp offers %d tools, and ListWorkItems answered, after %s", o.Vise, tools,
		time.Since(begun).Round(time.Millisecond))
}

// fine returns a check that passed.
func fine(name, format string, args ...any) Check {
	return Check{Name: name, OK: true, Message: fmt.Sprintf(format, args...)}
}

// called starts a server, and returns how many tools it offers after one of them has answered.
func called(ctx context.Context, cmd *exec.Cmd) (tools int, err error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "vise-doctor"}, nil)
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	out, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "ListWorkItems", Arguments: map[string]any{"limit": 1}})
	if err == nil && out.IsError {
		err = out.GetError()
	}
	return len(list.Tools), err
}
