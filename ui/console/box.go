package console

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/text"
)

// Subject is what a typed line refers to: the agent on screen, and the item under the cursor as shown.
type Subject struct {
	Agent    model.AgentID
	Item     model.ItemID
	Revision uint64
}

// box is the search over everything: available actions, work items of all agents, agents, themes, settings and
// filters. The operator can also type a verb with its arguments, as on the command line.
type box struct {
	*menu
	hits hits
	// recent are the last actions, the newest first. places are where one can go, rest are the other
	// lines beside actions and items.
	recent       []action.ID
	places, rest []menuLine
	verbs        []string
	read         func(words []string, on Subject) tea.Cmd
}

// viewBox marks the search of the box.
const viewBox = viewCount

// mostInBox is the greatest number of work items in the box.
const mostInBox = 50

func openBox(c *console) dialog {
	b := &box{menu: &menu{Title: "Commands", Searchable: true, Foot: "{open} run · {back} close"}, recent: c.recent,
		places: goLines(c)[1:], rest: boxLines(c), verbs: c.opt.LineVerbs}
	b.Of = b.lines
	for i := range b.places {
		b.places[i].Key = c.keys.KeyOf(action.GoTo) + " " + b.places[i].Key
	}
	if limits := c.limits(false); limits != "" {
		b.Limit = "Searched were only " + limits + "."
	}
	read, ctx := c.opt.ReadLine, c.fx.ctx
	b.read = func(words []string, on Subject) tea.Cmd {
		return attempt(func() (tea.Msg, error) {
			cmd, err := read(ctx, words, on)
			said := clean(strings.Join(words, " "))
			return apply{Command: cmd, Said: said}, err
		})
	}
	return b
}

// asks is what the box searches for now.
func (b *box) asks(now time.Time) (asked, action.RowFilter) {
	f := action.ParseFilter(b.Typed(), now)
	if f.Empty() || f.Trouble != "" {
		return asked{}, action.RowFilter{}
	}
	return asked{view: viewBox, words: strings.TrimSpace(b.Typed())}, f
}

// lines are the box's lines for some words. Disabled lines appear only if there are words.
func (b *box) lines(x facts, words string) []menuLine {
	on, off := boxActs(x, b.recent)
	if words == "" {
		return slices.Concat(on, b.places, b.rest)
	}
	out := append(b.typed(x, words), narrowed(append(on, b.places...), words)...)
	out = append(append(out, b.items(x)...), narrowed(append(b.rest, off...), words)...)
	if len(out) == 0 {
		out = near(slices.Concat(on, b.places, b.rest, off), words)
	}
	return out
}

// typed is the line that runs a typed verb with its arguments, if the words are one.
func (b *box) typed(x facts, line string) []menuLine {
	words := action.FilterWords(line)
	at := slices.IndexFunc(x.Catalogue, func(a action.Action) bool {
		verb, _, _ := strings.Cut(a.Verb, " ")
		return len(words) > 1 && a.In == action.Desk && a.Writes && verb == words[0] && slices.Contains(b.verbs, verb)
	})
	if at < 0 {
		return nil
	}
	for i := range words {
		words[i] = strings.Trim(words[i], `"`)
	}
	on, of := Subject{Agent: x.State.Agent}, x.AgentName(x.State.Agent)
	if r := x.State.Item; r != nil && x.Catalogue[at].ID != action.New && x.Catalogue[at].ID != action.Message {
		on.Item, on.Revision, of = r.ID, x.Revision(*r), string(r.Handle)+" "+x.Cut(r.Objective, 40)
	}
	return []menuLine{{Group: "WITH ARGUMENTS", Title: x.Show(model.Text(line)), Does: of, Off: x.Refusal(x.Catalogue[at], x.State),
		Result: effect{Do: b.read(words, on), Waits: true}}}
}

// items are the work items, and the places in sessions, that the search found.
func (b *box) items(x facts) (out []menuLine) {
	if b.hits.words != strings.TrimSpace(b.Typed()) {
		return nil
	}
	for _, r := range b.hits.rows[:min(len(b.hits.rows), mostInBox)] {
		out = append(out, menuLine{Group: "WORK ITEMS", Title: string(r.Handle) + " " + x.AgentName(r.AgentID),
			Does:   x.RowMark(r).Text + " " + x.Show(r.Objective),
			Result: act(func(c *console) { c.goToItem(r.AgentID, r.ID) })})
	}
	for _, s := range b.hits.said {
		out = append(out, menuLine{Group: "SAID IN SESSIONS", Title: x.AgentName(s.Agent) + " " + x.Age(s.At), Does: x.Show(s.Line),
			Result: act(func(c *console) { toFound(c, s) })})
	}
	return out
}

// found takes the result of a search step. If the typed words have changed since, the next step starts a new
// search. The cursor stays on its line.
func (b *box) found(h hits, x facts) {
	before := b.Chosen(x)
	b.hits = h
	same := func(l menuLine) bool { return l.Group == before.Group && l.Title == before.Title }
	if at := slices.IndexFunc(b.Shown(x), same); at >= 0 && before.Off == "" {
		b.At = at
	}
}

// boxActs are the available actions, the recent ones first, and the actions that are not available.
func boxActs(x facts, recent []action.ID) (on, off []menuLine) {
	for _, a := range x.Catalogue {
		if a.In != action.Desk || a.Group == action.Move || slices.Contains([]action.ID{action.Submit, action.Palette, action.GoTo}, a.ID) {
			continue
		}
		l := menuLine{Group: string(a.Group), Title: a.Title, Does: x.Keyed(a.Does), Key: keysOf(a),
			Off: x.Refusal(a, x.State), Result: run(a.ID)}
		if l.Off != "" {
			l.Group = "NOT NOW"
			off = append(off, l)
			continue
		}
		on = append(on, l)
	}
	rank := func(l menuLine) int {
		if at := slices.Index(recent, action.ID(l.Result.(run))); at >= 0 {
			return at
		}
		return len(recent)
	}
	slices.SortStableFunc(on, func(a, b menuLine) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range on {
		if rank(on[i]) < len(recent) {
			on[i].Group = "RECENT"
		}
	}
	return on, off
}

// boxLines are the lines of copies, agents, themes, settings and filters.
func boxLines(c *console) []menuLine {
	out := copyLines()
	for _, l := range agentMenu(c).(*menu).Lines {
		l.Group = "AGENTS"
		out = append(out, l)
	}
	for _, s := range c.opt.Settings.Choices() {
		for _, v := range s.Values {
			l := menuLine{Group: "SETTINGS", Title: model.Spaced(s.Name) + " " + v,
				Result: settingMsg{s.Name, v}}
			if v == s.Is {
				l.Does = "it is so now"
			}
			out = append(out, l)
		}
	}
	for _, name := range config.Names(c.opt.Settings.Filters) {
		filter := c.opt.Settings.Filters[name]
		out = append(out, menuLine{Group: "SAVED FILTERS", Title: "Filter: " + name, Does: filter,
			Result: act(func(c *console) { c.filtered(filter) })})
	}
	return out
}

// settingMsg changes a setting's value.
type settingMsg struct{ name, value string }

func (m settingMsg) handle(c *console) {
	if m.name == "theme" {
		c.opt.Settings.Theme = m.value
	}
	said := text.Sentence(model.Spaced(m.name) + " is " + m.value)
	save := c.opt.SaveSetting
	if save == nil {
		c.say(said + " The configuration cannot be changed from here.")
		return
	}
	c.start(attempt(func() (tea.Msg, error) { return sayMsg(said), save(c.fx.ctx, m.name, m.value) }))
}

// themed shows the theme under the cursor of the box, or else the theme of the settings.
func themed(c *console) {
	want := c.opt.Settings.Theme
	if b, ok := c.layers.top().(*box); ok {
		if s, ok := b.Chosen(c.facts()).Result.(settingMsg); ok && s.name == "theme" {
			want = s.value
		}
	}
	if want == c.terminal.theme {
		return
	}
	o := c.opt
	o.Settings.Theme = want
	c.styles, c.terminal.theme = c.terminal.styles(o), want
	c.drawPlan()
}

// mostRecent is the number of recent actions that are kept.
const mostRecent = 5

// remembered are the recent actions on work after one more action.
func remembered(recent []action.ID, a action.Action) []action.ID {
	if a.Group != action.Work {
		return recent
	}
	out := append([]action.ID{a.ID}, slices.DeleteFunc(slices.Clone(recent), func(id action.ID) bool { return id == a.ID })...)
	return out[:min(len(out), mostRecent)]
}

// readLine reads a verb with its arguments.
type readLine = func(ctx context.Context, words []string, on Subject) (model.Command, error)
