package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"vise/model"
	"vise/ui/action"
)

// choices are the words that a type allows.
var choices = map[reflect.Type][]string{
	reflect.TypeFor[colours]():     {"auto", "truecolor", "256", "16", "none"},
	reflect.TypeFor[glyphs]():      {"auto", "unicode", "ascii"},
	reflect.TypeFor[Via]():         {"auto", "osc99", "osc777", "bell", "native", "off"},
	reflect.TypeFor[context]():     {"item", "agent"},
	reflect.TypeFor[output]():      {"status", "popup", "pane"},
	reflect.TypeFor[permissions](): {"ask", "edits", "all", "ask_here"},
	reflect.TypeFor[need]():        needNames(),
	reflect.TypeFor[Program]():     {"claude", "codex", "opencode", "gemini", "copilot"},
	reflect.TypeFor[Adapter]():     {"acp", "rounds", "text"},
}

// The bounds of custom commands and filters.
const (
	maxCommands = 50
	maxFilters  = 50
	maxWords    = 200 // of a name or a filter, in bytes
)

// checker finds what is wrong across several fields.
type checker struct {
	Config
	themes []string
	found  []finding
}

type finding struct{ path, message, hint string }

func (c *checker) find(path, message, hint string) {
	c.found = append(c.found, finding{path, message, hint})
}

// atMost finds a list or a map that is too long.
func (c *checker) atMost(most, n int, path string) {
	if n > most {
		c.find(path, fmt.Sprintf("more than %d %s", most, path), "")
	}
}

// named finds a name of something that is not usable as one.
func (c *checker) named(path, name, what string) {
	if !model.ValidID(name) {
		c.find(path+"."+name, "is not usable as "+what+" name", "use 1 to 64 of a-z, 0-9, - and _")
	}
}

// hours finds quiet hours that are none.
func (c *checker) hours(path string, q quietHours) {
	if _, _, ok := q.times(); !ok && q != "" {
		c.find(path, fmt.Sprintf("%q are no hours", string(q)), "write them like 22:00-07:00")
	}
}

// check checks a configuration. themes are the known names.
func (c *checker) check() []finding {
	for path, name := range map[string]string{"theme": c.Theme, "dark_theme": c.DarkTheme, "light_theme": c.LightTheme} {
		if !slices.Contains(c.themes, name) && (path != "theme" || name != ThemeAuto) {
			c.find(path, fmt.Sprintf("there is no theme %q", name), meant(name, append(slices.Clone(c.themes), ThemeAuto)))
		}
	}
	c.hours("quiet_hours", c.QuietHours)
	for path, s := range map[string]Span{
		"todos.stale.in_progress": c.Todos.Stale.InProgress,
		"todos.stale.blocked":     c.Todos.Stale.Blocked, "todos.stale.interrupted": c.Todos.Stale.Interrupted,
	} {
		if s <= 0 {
			c.find(path, "must be longer than nothing", "")
		}
	}
	c.commands()
	c.filters()
	c.hosts()
	c.keys()
	c.channels()
	for name := range c.Agents {
		c.named("agents", name, "an agent's")
	}
	slices.SortFunc(c.found, func(a, b finding) int { return strings.Compare(a.path, b.path) })
	return c.found
}

func (c *checker) commands() {
	c.atMost(maxCommands, len(c.Commands), "commands")
	seen := map[action.ID]bool{}
	for i, x := range c.Commands {
		path := fmt.Sprintf("commands[%d]", i)
		switch {
		case !word(x.Name):
			c.find(path+".name", "a command needs a name on one line", "")
		case seen[x.ID()]:
			c.find(path+".name", fmt.Sprintf("there are two commands %q", x.Name), "")
		}
		if len(x.Run) == 0 || x.Run[0] == "" {
			c.find(path+".run", "names no program", `it is a list: ["git", "log"]`)
		}
		seen[x.ID()] = true
	}
}

func (c *checker) filters() {
	c.atMost(maxFilters, len(c.Filters), "filters")
	for _, name := range Names(c.Filters) {
		if !word(name) || !word(c.Filters[name]) {
			c.find("filters."+name, "a filter needs a name and words, each on one line", "")
		} else if slices.Contains(model.Filters, model.Filter(name)) {
			c.find("filters."+name, "vise list has a filter of that name", "give it another")
		}
	}
}

// keys builds the table of actions once, to find conflicts.
func (c *checker) keys() {
	_, troubles := c.remap()
	for _, x := range troubles {
		path, hint := c.keyPath(x), ""
		if x.Key == "" && action.Standard().ByID(x.ID).Title == "" {
			hint = cmp.Or(meant(string(x.ID), action.IDs()), "docs/keys.md lists them")
		}
		c.find(path, x.Why, hint)
	}
}

// keyPath returns the part of the file that causes a problem with a key.
func (c *checker) keyPath(x action.KeyTrouble) string {
	for _, id := range []action.ID{x.ID, x.With} {
		if _, given := c.Keys[id]; given {
			return "keys." + string(id)
		}
		if i := slices.IndexFunc(c.Commands, func(x Command) bool { return x.ID() == id }); i >= 0 {
			return fmt.Sprintf("commands[%d].key", i)
		}
	}
	return "keys"
}

func (c Config) remap() (action.Catalogue, []action.KeyTrouble) {
	custom := make([]action.Action, len(c.Commands))
	for i, x := range c.Commands {
		custom[i] = action.Custom(x.ID(), x.Name, model.Text(strings.Join(x.Run, " ")).String(), x.Key, x.OfItem())
	}
	return action.Remap(c.Keys, custom)
}

// Table returns the table of actions with this configuration's keys and commands.
func (c Config) Table() action.Catalogue {
	table, troubles := c.remap()
	if len(troubles) > 0 {
		return action.Standard()
	}
	return table
}

// ID returns the command's name in the table of actions.
func (x Command) ID() action.ID {
	slug := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, x.Name)
	return action.ID("own-" + slug)
}

// OfItem reports whether the command is about a work item. That is the default.
func (x Command) OfItem() bool { return x.Context != OfAgent }

// word reports whether s is not empty, at most maxWords long, and one line that a screen can show unchanged.
func word(s string) bool {
	t := model.Text(s)
	return strings.TrimSpace(s) != "" && len(s) <= maxWords && t.String() == s
}
