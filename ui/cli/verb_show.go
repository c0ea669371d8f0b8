package cli

import (
	"strconv"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/store/home"
	"vise/ui/text"
)

// shown is the data of show: GetWorkItem's answer and the item's waits, including ended waits.
type shown struct {
	home.GetResult
	Waits []model.Wait `json:"wait_conditions"`
	// Linked are the file todos that the item links to, with the state of their files.
	Linked []prompt.LinkedTodo `json:"linked_todos,omitempty"`
	// Story is the item's history, with --story.
	Story *model.Story `json:"story,omitempty"`
}

// shownWaits is the most waits that show lists.
const shownWaits = 50

func showVerb() verb {
	var story bool
	return verb{
		use: "show ID", short: "Show all that is known of a work item",
		long: `show prints a work item as it stands; with --story its life instead, in at most twenty lines, and where its
time went. Worked: it was its agent's focus and could go on. Waited for you: it had asked you something, or its
plan needed input. Waited for others: all other time, in the queue too. The three add up to its age.`,
		example: "vise show wi-7f3k --story",
		flags:   flags{{"story", &story, "its life and where its time went"}},
		who:     anybody,
		run: func(e *Env) (answer, error) {
			id, err := resolve(e, e.words[0])
			if err != nil {
				return nil, err
			}
			var out shown
			_ = e.home.RefreshTrees(e, model.Envelope{Actor: model.Watcher}, id) // the next reader records what could not be recorded now
			err = read(e, func(r model.Reader) error {
				out.GetResult = home.GetResultOf(r, id, true)
				out.Waits = listed(r.Waits(out.WorkItem.AgentID, id, shownWaits))
				if w, ok := r.Item(id); ok && story {
					out.Story = new(model.StoryOf(r, w, e.now()))
				}
				return nil
			})
			if refs := out.WorkItem.Links.TodoRefs; err == nil && len(refs) > 0 {
				files := home.NewTodoFiles()
				defer files.Close()
				out.WorkItem.TodoList = files.Derive(out.WorkItem.TodoList, refs)
				out.Linked = files.Todos(refs)
				_ = e.home.RefreshTodos(e, model.Envelope{Actor: model.Watcher}, id)
			}
			return answered(out, func(p *page) {
				if story {
					p.story(out)
					return
				}
				p.item(out.WorkItem, out.Waits)
				p.evidence(out.Evidence)
				p.linked(out.Linked)
			}), err
		},
	}
}

// evidence writes what vise saw that can verify the work.
func (p *page) evidence(e *model.Evidence) {
	if e == nil {
		return
	}
	p.line("")
	p.line("%s %s", p.strong("Evidence"), e.Words())
	for _, x := range e.Checks {
		p.line("  %s", x.Words())
		p.line("    %s", p.muted(when(x.At)+" "+x.On().String()))
	}
}

func (p *page) story(out shown) {
	p.line("%s  %s", p.strong(string(out.WorkItem.Handle)), p.strong(out.WorkItem.Objective.String()))
	p.line("%s", out.Story.Words())
	for _, x := range out.Story.Lines {
		p.line("%s  %-7s  %s", p.muted(when(x.At)), x.Lasted(), x.Text)
	}
}

func contextVerb() verb {
	budget := prompt.DefaultBudget
	return verb{
		use: "context [ID]", short: "Show what an agent is told of its work, or what is worth knowing of a work item's history",
		long: `context prints what an agent is told: the current work item, where the work on it was left (its thread in this
repository, its linked file todos that are open), then items with news, queued, waiting and blocked ones, and
the newest reports. One token counts as four characters. The text never exceeds the budget: a
part that does not fit is shortened, and then only counted. With an ID it lists what matters in that item's
history: scope, steps, blockers, news, answers, decisions with a reason, plan changes, tasks and reports;
not replies, ticks and turns. vise events lists everything.`,
		example: "vise context --agent ann --budget 2000\nvise context wi-7f3k",
		flags:   flags{{"budget", &budget, "how many tokens at most"}},
		verbs:   []verb{primeVerb()},
		run: func(e *Env) (answer, error) {
			if len(e.words) > 0 {
				return readItem(e, e.words[0], (*page).notes, func(r model.Reader, w model.WorkItem) noted {
					t, _ := r.Trace(w.AgentID, w.ID)
					return noted{w.ID, prompt.NotesOf(r.Entries(w.ID, eventsNoted)), prompt.TrailOf(t.Entries)}
				})
			}
			if budget < 1 {
				return nil, misuse("budget", "a budget is at least one token")
			}
			agent, err := readAgent(e)
			if err != nil {
				return nil, err
			}
			focus, err := e.home.Focus(e, agent)
			if err != nil {
				return nil, err
			}
			o := prompt.Options{Budget: budget, Now: e.now(), Left: threadsOf(e, "").Left(e, focus.Links)}
			return readAnswer(e, func(p *page, l prompt.Layered) { p.b.WriteString(l.Text()) }, func(
				r model.Reader) (prompt.Layered, error) {
				return prompt.Fit(r, agent, o), nil
			})
		},
	}
}

// noted is the data of context about a work item.
type noted struct {
	WorkItemID model.ItemID  `json:"work_item_id"`
	Notes      []prompt.Note `json:"notes"`
	Trace      prompt.Trail  `json:"trace"`
}

// eventsNoted limits how many events are read back for that.
const eventsNoted = 500

func (p *page) notes(out noted) {
	for _, n := range out.Notes {
		p.line("%s  %s", n.At.Format(time.RFC3339), n.Text)
	}
	for _, s := range out.Trace.Steps {
		p.say("%s  reply: %s", s.At.Format(time.RFC3339), s.Words())
	}
}

// reasons are the data of why.
type reasons struct {
	itemName
	Objective model.Text `json:"objective"`
	model.Why
	model.Path
}

// agentReasons are the data of why for an agent.
type agentReasons struct {
	model.AgentWhy
	model.Path
	upNext
}

func whyVerb() verb {
	return verb{
		use: "why [ID|AGENT]", short: "Explain what an agent does next, or why a work item is where it is",
		long: `why says of an agent when it runs next, what it works on then, and why; of a work item why it is where it is
in that order. Without a name it is about the agent.`,
		example: `vise why
vise why wi-7f3k`,
		who: anybody,
		run: func(e *Env) (answer, error) {
			args := e.words
			if len(args) == 0 {
				agent, err := readAgent(e)
				if err != nil {
					return nil, err
				}
				return whyAgent(e, agent)
			}
			if known, err := isAgent(e, args[0]); err != nil || known {
				return whyAgent(e, model.AgentID(args[0]))
			}
			return readItem(e, args[0], (*page).why, func(r model.Reader, w model.WorkItem) reasons {
				now := e.now()
				why := model.Explain(r, w, now)
				last := &why.Lines[len(why.Lines)-1]
				e.doesNow(w.AgentID, why.Decision, &last.Label, &last.Text)
				return reasons{itemName{w.ID, w.Handle}, w.Objective, why, model.PathOf(r, w.AgentID, now)}
			})
		},
	}
}

func (p *page) whyAgent(y agentReasons) {
	p.lines(p.strong("agent " + string(y.AgentID)))
	for _, l := range y.Lines {
		p.block(l.Label, local(l.Text))
	}
	p.path(y.Path, "")
}

func (p *page) why(y reasons) {
	p.line("%s  %s", p.strong(string(y.Handle)), y.Objective)
	for _, l := range y.Lines {
		p.block(l.Label, local(l.Text))
	}
	p.path(y.Path, y.WorkItemID)
}

// local is a text with its UTC times as people read them here.
func local(t model.Text) model.Text { return model.Text(text.LocalTimes(t.Raw(), time.Local)) } // raw: a Text again

// path writes what an agent works on next and after that, with here marked.
func (p *page) path(y model.Path, here model.ItemID) {
	if len(y.Steps) > 0 {
		p.line("\n%s", p.strong("order"))
		rows := make([][]cell, len(y.Steps))
		for i, r := range y.Steps {
			mark, _ := className(r.Class)
			at := "-"
			if r.Position > 0 {
				at = strconv.Itoa(r.Position)
			}
			if r.ID == here {
				at = "> " + at
			}
			rows[i] = []cell{{text: at}, {text: mark, paint: func(s string) string { return p.class(r.Class, s) }},
				{text: string(r.Handle)}, {text: r.Objective.String()}, {text: local(r.Because).String()}}
		}
		p.table(3, rows)
	}
}
