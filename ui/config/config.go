// Package config is the operator's configuration: one YAML file, read strictly.
//
// The struct Config is the only list of settings. The file is checked against it, the JSON schema and docs/config.md are made from it, and
// the origin of each value is kept. A file with an error does not change the current settings, and the error names the place.
//
// Read this file first, then read.go (how a file becomes a Config), check.go (what a value must be), load.go (the settings in use),
// place.go (the file's path) and schema.go.
package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
)

// Config is everything that can be set. Its zero value is not usable: begin with Default.
type Config struct {
	Theme      string  `yaml:"theme" json:"theme" jsonschema:"auto follows the background; else a theme, also of themes/NAME.yaml."`
	DarkTheme  string  `yaml:"dark_theme" json:"dark_theme" jsonschema:"The theme that auto takes on a dark background."`
	LightTheme string  `yaml:"light_theme" json:"light_theme" jsonschema:"The theme that auto takes on a light background."`
	Colours    colours `yaml:"colours" json:"colours" jsonschema:"How many colours the terminal has; auto finds out. At the next start."`
	Glyphs     glyphs  `yaml:"glyphs" json:"glyphs" jsonschema:"Which marks and borders are drawn; auto asks the locale."`

	Mouse       bool `yaml:"mouse" json:"mouse" jsonschema:"Take wheel and clicks. Off leaves the mouse to the terminal."`
	Accessible  bool `yaml:"accessible" json:"accessible" jsonschema:"For screen readers: lines and numbered menus, nothing redrawn."`
	WindowTitle bool `yaml:"window_title" json:"window_title" jsonschema:"Set the title of the terminal's window to who needs you."`

	Notifications notifications `yaml:"notifications" json:"notifications" jsonschema:"How vise calls you while its window has no focus."`
	QuietHours    quietHours    `yaml:"quiet_hours" json:"quiet_hours" jsonschema:"No notification at these times, as 22:00-07:00."`

	Channels map[string]Channel `yaml:"channels" json:"channels" jsonschema:"Ways to you of what needs you, by name."`

	Keys     map[action.ID]Keys `yaml:"keys" json:"keys" jsonschema:"All keys of an action, by its id in docs/keys.md; []: none."`
	Commands []Command          `yaml:"commands" json:"commands" jsonschema:"Custom commands: in the palette and under their own keys."`
	Filters  map[string]string  `yaml:"filters" json:"filters" jsonschema:"Saved filters by name, for the palette and vise list --filter."`

	Hosts map[string]string `yaml:"hosts" json:"hosts" jsonschema:"Other machines' homes by name, as ssh://user@host:port/path."`

	Todos  todos            `yaml:"todos" json:"todos" jsonschema:"File todos."`
	Agents map[string]Agent `yaml:"agents" json:"agents" jsonschema:"How vise drive starts each agent's program, by the agent's name."`
}

// notifications are the settings for calling the operator.
type notifications struct {
	Via   Via  `yaml:"via" json:"via" jsonschema:"auto asks the terminal (OSC 99, 777, bell); native: the desktop's program."`
	Batch Span `yaml:"batch" json:"batch" jsonschema:"What happens within this time is one notification."`
}

// todos are the settings of file todos.
type todos struct {
	Stale stale `yaml:"stale" json:"stale" jsonschema:"From when on a todo counts as left behind."`
}

// stale are the thresholds of package model/todo.
type stale struct {
	InProgress  Span `yaml:"in_progress" json:"in_progress" jsonschema:"In progress for this long."`
	Blocked     Span `yaml:"blocked" json:"blocked" jsonschema:"Blocked for this long."`
	Interrupted Span `yaml:"interrupted" json:"interrupted" jsonschema:"Interrupted for this long."`
}

// Command is a custom command.
type Command struct {
	Name      string   `yaml:"name" json:"name" jsonschema:"What the palette calls it."`
	Key       string   `yaml:"key" json:"key,omitempty" jsonschema:"A key of the desk; empty: it has none."`
	Context   context  `yaml:"context" json:"context,omitempty" jsonschema:"item: the one under the cursor, on stdin; agent: the shown."`
	Run       []string `yaml:"run" json:"run" jsonschema:"Program and arguments; {id}, {handle}, {agent}, {plan} are replaced."`
	Dangerous bool     `yaml:"dangerous" json:"dangerous,omitempty" jsonschema:"Ask before it is run."`
	Output    output   `yaml:"output" json:"output,omitempty" jsonschema:"Where its output goes; of a status only the last line."`
}

// Agent says how vise drive runs one agent's program. vise drive documents each field in more detail.
type Agent struct {
	Program Program  `yaml:"program" json:"program,omitempty" jsonschema:"A program that vise knows how to start."`
	Command []string `yaml:"command" json:"command,omitempty" jsonschema:"Program and arguments; {context} is replaced by the context."`
	Shell   string   `yaml:"shell" json:"shell,omitempty" jsonschema:"A line for /bin/sh instead of command."`
	Adapter Adapter  `yaml:"adapter" json:"adapter,omitempty" jsonschema:"How the command talks: Agent Client Protocol, rounds, text."`
	Dir     string   `yaml:"dir" json:"dir,omitempty" jsonschema:"Its working directory, absolute."`
	Env     []string `yaml:"env" json:"env,omitempty" jsonschema:"Variables that it may see, or sets as NAME=value."`
	Turn    Turn     `yaml:"turn" json:"turn,omitzero" jsonschema:"What bounds one turn."`

	Permissions permissions `yaml:"permissions" json:"permissions,omitempty" jsonschema:"What it does unasked; ask_here: hooks ask here."`
}

// Turn bounds one turn of an agent.
type Turn struct {
	Timeout Span  `yaml:"timeout" json:"timeout,omitempty" jsonschema:"How long it may take."`
	Rounds  int   `yaml:"rounds" json:"rounds,omitempty" jsonschema:"How many rounds it may have."`
	Output  int64 `yaml:"output" json:"output,omitempty" jsonschema:"How many bytes the program may write."`
	Context int   `yaml:"context" json:"context,omitempty" jsonschema:"How many tokens of context it begins with; messages come on top."`
	Lease   Span  `yaml:"lease" json:"lease,omitempty" jsonschema:"How long others wait for a driver that died."`
}

// choices lists the allowed words of these types.
type (
	colours     string
	glyphs      string
	Via         string
	context     string
	output      string
	Adapter     string
	Program     string
	permissions string
)

const (
	coloursAuto colours = "auto"

	glyphsAuto    glyphs = "auto"
	GlyphsUnicode glyphs = "unicode"
	GlyphsASCII   glyphs = "ascii"

	ViaAuto   Via = "auto"
	ViaOSC99  Via = "osc99"
	ViaOSC777 Via = "osc777"
	ViaBell   Via = "bell"
	ViaNative Via = "native"
	ViaOff    Via = "off"

	ofItem  context = "item"
	OfAgent context = "agent"

	AdapterACP    Adapter = "acp"
	AdapterRounds Adapter = "rounds"
	AdapterText   Adapter = "text"

	PermitEdits permissions = "edits"
	PermitAll   permissions = "all"
	AskHere     permissions = "ask_here"

	toStatus output = "status"
	ToPopup  output = "popup"
	ToPane   output = "pane"
)

// ThemeAuto is the theme that follows the terminal's background.
const ThemeAuto = "auto"

// Keys are the keys of an action. In the file, a single key needs no list.
type Keys []string

// Default returns the values that are used if nothing is set.
func Default() Config {
	return Config{
		Theme: ThemeAuto, DarkTheme: "dark", LightTheme: "light", Colours: coloursAuto, Glyphs: glyphsAuto,
		Mouse: true, WindowTitle: true,
		Notifications: notifications{Via: ViaAuto, Batch: Span(10 * time.Second)},
		Todos:         todos{stale{InProgress: Span(24 * time.Hour), Blocked: Span(72 * time.Hour), Interrupted: Span(24 * time.Hour)}},
	}
}

// Span is a length of time as people write it: 100ms, 30m, 72h, 3d; or none.
type Span time.Duration

func (s Span) Duration() time.Duration { return time.Duration(s) }

// String formats s without the zeros that time.Duration adds.
func (s Span) String() string {
	out := time.Duration(s).String()
	if strings.HasSuffix(out, "m0s") {
		out = strings.TrimSuffix(out, "0s")
	}
	if strings.HasSuffix(out, "h0m") {
		out = strings.TrimSuffix(out, "0m")
	}
	return out
}

// MarshalText implements encoding.TextMarshaler.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Span) UnmarshalText(text []byte) error {
	if none := strings.TrimSpace(string(text)); none == "0" || none == "0s" {
		*s = 0
		return nil
	}
	d, err := model.ParseSpan(string(text))
	if err == nil {
		*s = Span(d)
	}
	return err
}

// quietHours are the local times of day between which no notification is sent.
type quietHours string

// Hold reports whether now, in its own location, is within the quiet hours.
func (q quietHours) Hold(now time.Time) bool {
	from, to, ok := q.times()
	if !ok {
		return false
	}
	at := now.Hour()*60 + now.Minute()
	if from <= to {
		return from <= at && at < to
	}
	return at >= from || at < to
}

// times returns from and to in minutes of the day. ok is false if there are no quiet hours.
func (q quietHours) times() (from, to int, ok bool) {
	a, b, cut := strings.Cut(string(q), "-")
	start, err := time.Parse("15:04", strings.TrimSpace(a))
	end, err2 := time.Parse("15:04", strings.TrimSpace(b))
	if !cut || err != nil || err2 != nil {
		return 0, 0, false
	}
	return start.Hour()*60 + start.Minute(), end.Hour()*60 + end.Minute(), true
}

// Filled returns a command's words for an agent and, if the command is about an item, for that item. stdin is its standard input: the item
// as vise show --json prints it, or the agent.
func (x Command) Filled(agent model.AgentID, item model.View) (argv []string, stdin []byte, err error) {
	words := map[string]string{"{agent}": string(agent)}
	var about any = struct {
		AgentID model.AgentID `json:"agent_id"`
	}{agent}
	if x.OfItem() {
		words["{id}"], words["{handle}"], words["{plan}"] = string(item.ID), string(item.Handle), item.Plan.Path
		about = struct {
			WorkItem model.View `json:"work_item"`
		}{item}
	}
	argv = slices.Clone(x.Run)
	for i, w := range argv {
		if v, ok := words[w]; ok && i > 0 {
			argv[i] = v
		}
	}
	stdin, err = json.Marshal(about)
	return argv, stdin, err
}
