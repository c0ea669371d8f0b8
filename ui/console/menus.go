package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/acp"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// keysOf spells an action's keys, but for those that only terminals send.
func keysOf(a action.Action) string {
	var keys []string
	for _, k := range a.Keys {
		if !strings.HasPrefix(k, "alt+") {
			keys = append(keys, action.Shown(k))
		}
	}
	return strings.Join(keys, " ")
}

// agentMenu chooses the agent whose desk is shown.
func agentMenu(c *console) dialog {
	m := &menu{Title: "Agents", Searchable: true, Foot: "{open} show desk · {back} close"}
	needs := map[model.AgentID]int{}
	for _, x := range c.inbox() {
		needs[x.AgentID]++
	}
	for i, a := range c.truth.agents {
		does := agentWords(a, c.now)
		if n := needs[a.ID]; n > 0 {
			does = model.Counted(n, "need") + " · " + does
		}
		if a.ID == c.agent {
			m.At = i
		}
		m.Lines = append(m.Lines, menuLine{Title: string(a.ID), Does: does,
			Result: act(func(c *console) { c.visit(a.ID) })})
	}
	return m
}

// statusMenu sets the plan status.
func statusMenu(c *console) dialog {
	r := *c.row()
	set := func(u *model.UpdateWorkItem, p *model.PlanStatus) { u.PlanStatus = p }
	return choices(r, "Plan status", r.PlanStatus, set, []choice[model.PlanStatus]{
		{model.Draft, "the plan is being written"}, {model.Ready, "the plan can be carried out"},
		{model.NeedsInput, "you must say something first; the agent lets go of it"},
	})
}

// priorityMenu sets the operator's order of the queue.
func priorityMenu(c *console) dialog {
	r := *c.row()
	is := cmp.Or(r.Priority, model.PriorityNormal)
	set := func(u *model.UpdateWorkItem, p *model.ItemPriority) { u.Priority = p }
	return choices(r, "Priority", is, set, []choice[model.ItemPriority]{
		{model.PriorityHigh, "before the rest of the agent's queue"}, {model.PriorityNormal, "oldest update first"},
		{model.PriorityLow, "after the rest of the agent's queue"},
	})
}

// choice is one of a field's few values, with its meaning.
type choice[T ~string] struct {
	value T
	does  string
}

// choices is a menu of a field's few values. set puts the chosen value into the update.
func choices[T ~string](r model.Row, field string, is T, set func(*model.UpdateWorkItem, *T), list []choice[T]) dialog {
	return choiceMenu(field+" of "+text.Cut(r.Objective.String(), 50), is, list, func(value T) message {
		update := model.UpdateWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
		set(&update, &value)
		return apply{Said: field + " is " + model.Spaced(value), Command: update}
	})
}

// choiceMenu is a menu of a few values, with the cursor on the present one.
func choiceMenu[T ~string](title string, is T, list []choice[T], chosen func(T) message) dialog {
	m := &menu{Title: title}
	for i, x := range list {
		l := menuLine{Title: model.Spaced(x.value), Does: x.does, Result: chosen(x.value)}
		if x.value == is {
			l.Off, m.At = "it is so already", i
		}
		m.Lines = append(m.Lines, l)
	}
	return m
}

// CustomRun is a custom command with its words filled in.
type CustomRun struct {
	// Argv runs as it is; no shell reads it.
	Argv []string
	// Stdin is the work item as vise show --json prints it, or the agent.
	Stdin []byte
}

// runCustom runs a custom command and returns its output, which has a size limit. The error text is shown on
// screen.
type runCustom func(context.Context, CustomRun) (output string, err error)

// custom runs a custom command. It asks first if the command is dangerous.
func custom(x config.Command) act {
	return func(c *console) {
		run, why := customRun(c, x)
		switch {
		case why != "":
			c.say(text.Sentence(why))
			return
		case x.Dangerous:
			c.open(askingCustom(x, run))
			return
		}
		c.runCustom(x, run)
	}
}

func (c *console) runCustom(x config.Command, run CustomRun) {
	do, ctx := c.opt.RunCustom, c.fx.ctx
	c.say("Running " + x.Name + "…")
	c.start(func() tea.Msg {
		out, err := do(ctx, run)
		return act(func(c *console) { ran(c, x, out, err) })
	})
}

// startAgent starts the agent's program on the item at the cursor.
func startAgent(c *console) {
	ref := string(c.agent)
	if d := c.detail(); d != nil && !d.Row.OfAgent() && d.View.State == model.Open {
		ref = string(d.View.ID)
	}
	if c.opt.Start == nil {
		c.say("No agent is started here.")
		return
	}
	startProgram(c, ref, false)
}

// startProgram starts the program of an agent or an item's agent. It asks before it gets a program that is missing.
func startProgram(c *console, ref string, get bool) {
	c.say("Starting " + string(c.agent) + "…")
	c.start(func() tea.Msg {
		out, err := c.opt.Start(c.fx.ctx, ref, get)
		return act(func(c *console) {
			var missing acp.NotInstalled
			switch {
			case errors.As(err, &missing) && !get:
				c.open(&menu{
					Title: "Starting " + string(c.agent), Foot: "{open} get it and start · {back} leave it",
					Lines: []menuLine{{
						Key: "y", Title: "Get " + missing.Command[0] + ": " + missing.Size,
						Result: act(func(c *console) { startProgram(c, ref, true) }),
					}},
					Below: func(x facts) []string {
						return x.Notes("It is not installed. npm installs it into a directory of vise's own, or you do: " + missing.Install)
					},
				})
			case err != nil:
				c.complain(err)
			default:
				showTab(c, screen.TabSession)
				c.say(text.Sentence(out))
			}
		})
	})
}

// customRun fills in a command's words, or returns the reason why the command cannot run.
func customRun(c *console, x config.Command) (CustomRun, string) {
	if c.opt.RunCustom == nil {
		return CustomRun{}, "commands cannot be run here"
	}
	var item model.View
	if d := c.detail(); d != nil {
		item = d.View
	} else if x.OfItem() {
		return CustomRun{}, "the work item is not read yet"
	}
	argv, stdin, err := x.Filled(c.agent, item)
	if err != nil {
		return CustomRun{}, err.Error()
	}
	return CustomRun{Argv: argv, Stdin: stdin}, ""
}

// askingCustom asks before a dangerous command.
func askingCustom(command config.Command, run CustomRun) dialog {
	return &form{
		Title: "Run " + command.Name,
		Head: func(x facts) []string {
			return []string{x.Note("  " + x.Show(model.Text(strings.Join(run.Argv, " "))))}
		},
		Warn:   func(facts) []string { return []string{"This command is marked as dangerous."} },
		Foot:   "{submit} run · {back} cancel",
		Submit: func(facts) message { return act(func(c *console) { c.runCustom(command, run) }) },
		Chord:  true,
	}
}

// ran shows the output of a command in the place that its settings name.
func ran(c *console, x config.Command, output string, err error) {
	lines := model.Text(strings.TrimRight(output, "\n")).Lines()
	last := "It wrote nothing."
	if len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	switch {
	case err != nil:
		said := strings.Join(strings.Fields(strings.Join(lines[max(len(lines)-2, 0):], "; ")), " ") // a problem, and what helps
		c.complain(fmt.Errorf("%s: %w. %s", x.Name, err, cmp.Or(said, last)))
	case x.Output != config.ToPopup && x.Output != config.ToPane || c.layers.top() != nil:
		c.say(x.Name + ": " + last)
	default:
		c.note.text = ""
		c.open(&pager{Title: x.Name, Narrow: true, Full: x.Output == config.ToPane, Foot: "{back} close",
			Lines: func(x facts, _ int) []string {
				out := make([]string, len(lines))
				for i, l := range lines {
					out[i] = " " + x.Text.Paint(x.Safe(l))
				}
				return out
			}})
	}
}

// maxFilterName is the longest name of a filter, in Unicode scalars.
const maxFilterName = 40

// savingFilter asks for a name for the current filter.
func savingFilter(c *console) {
	save, words := c.opt.SaveFilter, c.filter
	if save == nil {
		c.say("The configuration cannot be changed from here.")
		return
	}
	var name model.Text
	c.open(&form{
		Title:  "Save filter",
		Fields: []formField{lineField("Name", maxFilterName, &name, "a filter needs a name")},
		Head:   func(x facts) []string { return []string{x.Note(x.Show(model.Text(words))), ""} },
		Tail: func(x facts) []string {
			return append([]string{""}, x.Notes("It is in the palette then, and in vise list --filter NAME.")...)
		},
		Foot: "{open} save · {back} cancel",
		Submit: func(facts) message {
			return effect{Do: attempt(func() (tea.Msg, error) {
				return sayMsg("Filter " + name.String() + " is saved."), save(c.fx.ctx, name.Raw(), words) // raw: stored, not shown
			})}
		},
	})
}

// priorities are the priorities of a message, in the order of likely use, each with its meaning.
var priorities = []choice[model.Priority]{
	{model.Normal, "after what is queued already"},
	{model.Next, "before what is queued, in the next turn"},
	{model.Background, "after everything else"},
	{model.Interject, "ends the running turn; the agent gets it in the next one"},
}

// messaging sends a message to the agent on screen. A message never becomes a work item by itself.
func messaging(c *console) dialog {
	x, say := c.facts(), model.Say{AgentID: c.agent}
	var names []string
	for _, p := range priorities {
		names = append(names, string(p.value))
	}
	f := &form{
		Title:    "Message to " + x.Cut(model.Text(c.agent), 40),
		DraftKey: "message:" + string(c.agent),
		Head: func(x facts) []string {
			if q := queuedWords(x.State.Desk.Agent); q != "" {
				return []string{x.Note(q + " already")}
			}
			return nil
		},
		Fields: []formField{
			textField("Message", 5, model.MaxMessage, &say.Text, "a message is needed"), {Label: "Priority", Options: names},
		},
		Tail: handedOver,
		Foot: "{submit} send · {next-pane} priority · {back} keeps the draft",
	}
	chosen := func() choice[model.Priority] { return priorities[f.Fields[len(f.Fields)-1].Chosen] }
	f.Fields[1].Note = func(facts) string { return chosen().does }
	f.Submit = func(x facts) message {
		say.Priority = chosen().value
		return apply{Said: "Queued for " + x.AgentName(say.AgentID), Command: say}
	}
	return f
}

// queuedWords says how much input waits for an agent's next turn; empty when there is none.
func queuedWords(a model.Agent) string {
	if a.QueuedInput == 0 {
		return ""
	}
	return model.Counted(a.QueuedInput, "message")
}

// agentWords is the agent picker's text about an agent.
func agentWords(a model.Agent, now time.Time) string {
	parts := []string{string(a.Posture)}
	switch {
	case a.Posture == model.Stopped:
		parts = []string{"STOPPED"}
		if a.Turn.Runs(now) {
			parts = append(parts, "its turn ends")
		}
	case a.Turn.Runs(now):
		parts = []string{"in a turn"}
	}
	if q := queuedWords(a); q != "" {
		parts = append(parts, q)
	}
	return strings.Join(append(parts, "changed "+text.Age(now.Sub(a.UpdatedAt))+" ago"), " · ")
}

// stopOrResume stops the agent that the screen names, or lets it run again; what was read last may be of the one before.
func stopOrResume(c *console) {
	a := c.truth.desk.Agent
	if a.ID != c.agent {
		c.say(clean(c.agent) + c.keys.Keyed(" is still being read. Press {posture} again."))
		return
	}
	posture, said := model.Stopped, "Stopped "+clean(a.ID)+": no turn begins"
	if a.Posture == model.Stopped {
		posture, said = model.Awake, "Resumed "+clean(a.ID)
	}
	c.send(model.UpdateAgent{AgentID: a.ID, Posture: &posture}, said)
}
