package cli

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"vise/model"
	"vise/ui/agents"
)

// costs is the data of cost: what the turns of a period used, as far as the programs report it.
type costs struct {
	Since     time.Time  `json:"since"`
	Days      []dayCost  `json:"days"`
	WorkItems []itemCost `json:"work_items"`
	Turns     []turnCost `json:"turns"`
	// Own is what sessions used that people run in the programs' own terminals, as their transcripts tell.
	Own []dayCost `json:"interactive,omitempty"`
}

// dayCost is an agent's use on one day (UTC).
type dayCost struct {
	Day     string        `json:"day"`
	AgentID model.AgentID `json:"agent_id"`
	turnsUsed
}

// itemCost is what the turns about an item used. Without an item, it is all other turns.
type itemCost struct {
	WorkItemID model.ItemID `json:"work_item_id,omitempty"`
	Handle     model.Handle `json:"handle,omitempty"`
	Objective  model.Text   `json:"objective,omitempty"`
	turnsUsed
}

type turnsUsed struct {
	Turns int `json:"turns,omitempty"` // not of sessions
	model.Usage
}

// turnCost is one turn. It is about the item that was current at its beginning, else the first item that it changed.
type turnCost struct {
	Turn       int               `json:"turn"`
	At         time.Time         `json:"at"`
	AgentID    model.AgentID     `json:"agent_id"`
	WorkItemID model.ItemID      `json:"work_item_id,omitempty"`
	Outcome    model.TurnOutcome `json:"outcome"`
	model.Usage
}

const (
	defaultCostDays = 7
	maxCostDays     = 366
	// costPage is the most entries in one read of the history.
	costPage = 1000
)

func costVerb() verb {
	days, each := defaultCostDays, false
	var item model.ItemID
	return verb{
		use: "cost [ID]", short: "Show what turns cost, by agent and day, and by work item",
		long: `cost adds up what agents' programs say that the turns of vise drive used: US dollars (Claude Code, OpenCode, rounds)
and tokens (also Codex and Gemini CLI). With ID it shows the turns of that work item. Days are those of UTC.
Apart from these it shows the tokens of sessions that people run in the programs' own terminals, from their transcripts
(Claude Code, Codex, Gemini CLI, Copilot CLI), each reply once.
A limit a day: vise agents set AGENT --max-cost-per-day DOLLARS.`,
		example: "vise cost --days 30",
		flags: flags{
			{"days", upTo{&days, maxCostDays}, "how many days, today's the last"},
			{"turns", &each, "show each turn too"},
		},
		args: to(&item),
		run: func(e *Env) (answer, error) {
			since := e.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
			show := func(p *page, c costs) { p.costs(c, each || item != "") }
			all := false
			out, err := readAnswer(e, show, func(r model.Reader) (costs, error) {
				if err := knownIfNamed(e, r); err != nil {
					return costs{}, err
				}
				var turns []turnCost
				turns, all = turnsSince(r, e.agent, since, item)
				c := costsOf(r, turns, since)
				if item == "" {
					c.Own = ownCosts(e, since)
				}
				return c, nil
			})
			if err == nil && all {
				out.warnings, err = archived(e, e.agent, 0)
			}
			return out, err
		},
	}
}

// turnsSince returns the turns that ended since an instant, newest first. With an item, it returns the turns about it. all is set if the
// whole history was read.
func turnsSince(r model.Reader, agent model.AgentID, since time.Time, item model.ItemID) (out []turnCost, all bool) {
	out = []turnCost{}
	ended := map[model.AgentID]turnCost{} // turns whose beginning was not read yet
	keep := func(t turnCost) {
		if t.Turn > 0 && (item == "" || t.WorkItemID == item) {
			out = append(out, t)
		}
	}
	for before := (model.Position{}); ; {
		list := r.HistoryBefore(agent, before, costPage)
		for _, e := range list {
			before = e.Position()
			t, isOpen := ended[e.AgentID]
			switch {
			case e.Kind == model.EventTurnEnded && e.At.Before(since), e.Kind == model.EventTurnStarted:
				delete(ended, e.AgentID)
				if isOpen {
					t.WorkItemID = cmp.Or(e.WorkItemID, t.WorkItemID)
					keep(t)
				}
			case e.Kind == model.EventTurnEnded:
				news := model.DataOf[model.TurnNews](e)
				ended[e.AgentID] = turnCost{news.Turn, e.At, e.AgentID, e.WorkItemID, news.Outcome, news.Usage}
			case isOpen && e.WorkItemID != "" && e.Actor == model.AgentActor(e.AgentID):
				t.WorkItemID = e.WorkItemID // an earlier one than that found before
				ended[e.AgentID] = t
			}
			if e.At.Before(since) && len(ended) == 0 {
				return out, false
			}
		}
		if len(list) < costPage {
			for _, t := range ended {
				keep(t)
			}
			return out, true
		}
	}
}

// costsOf adds up the costs of turns.
func costsOf(r model.Reader, turns []turnCost, since time.Time) costs {
	out := costs{Since: since, Days: []dayCost{}, WorkItems: []itemCost{}, Turns: turns}
	for _, t := range turns {
		dayOf(&out.Days, t.At.UTC().Format(time.DateOnly), t.AgentID).add(t)
		i := slices.IndexFunc(out.WorkItems, func(x itemCost) bool { return x.WorkItemID == t.WorkItemID })
		if i < 0 {
			w, _ := r.Item(t.WorkItemID)
			i = len(out.WorkItems)
			out.WorkItems = append(out.WorkItems, itemCost{WorkItemID: t.WorkItemID, Handle: w.Handle, Objective: w.Objective})
		}
		out.WorkItems[i].add(t)
	}
	sortDays(out.Days)
	slices.SortStableFunc(out.WorkItems, func(x, y itemCost) int { return cmp.Compare(y.CostUSD, x.CostUSD) })
	return out
}

// ownCosts adds up what the sessions used that people run.
func ownCosts(e *Env, since time.Time) (out []dayCost) {
	agents.CountAll(e.home.Sessions)
	for _, s := range e.sessions() {
		for day, used := range s.Count.Days {
			if day < since.Format(time.DateOnly) || e.agent != "" && e.agent != s.Agent {
				continue
			}
			d := dayOf(&out, day, s.Agent)
			d.Usage = d.Plus(used)
		}
	}
	sortDays(out)
	return out
}

// dayOf returns an agent's day in a list, which gets it if it lacks it.
func dayOf(days *[]dayCost, day string, agent model.AgentID) *dayCost {
	i := slices.IndexFunc(*days, func(d dayCost) bool { return d.Day == day && d.AgentID == agent })
	if i < 0 {
		i, *days = len(*days), append(*days, dayCost{Day: day, AgentID: agent})
	}
	return &(*days)[i]
}

// sortDays puts the newest day first.
func sortDays(days []dayCost) {
	slices.SortFunc(days, func(x, y dayCost) int { return cmp.Or(cmp.Compare(y.Day, x.Day), cmp.Compare(x.AgentID, y.AgentID)) })
}

func (u *turnsUsed) add(t turnCost) { u.Turns, u.Usage = u.Turns+1, u.Plus(t.Usage) }

func (p *page) costs(c costs, each bool) {
	if p.turnCosts(c, each); len(c.Own) > 0 {
		var days [][]string
		for _, d := range c.Own {
			days = append(days, append([]string{d.Day, string(d.AgentID)}, used(d.Usage)[1:]...))
		}
		p.line("\nin the programs' own terminals:")
		p.plainTable(1, days)
	}
}

// used are what was used in cells: dollars, and tokens.
func used(u model.Usage) []string {
	return []string{fmt.Sprintf("$%.2f", u.CostUSD), fmt.Sprintf("tokens in %d", u.InputTokens), fmt.Sprintf("out %d", u.OutputTokens)}
}

func (p *page) turnCosts(c costs, each bool) {
	if len(c.Turns) == 0 {
		p.line("no turns since %s", c.Since.Format(time.DateOnly))
		return
	}
	var days, items, turns [][]string
	for _, d := range c.Days {
		days = append(days, append([]string{d.Day, string(d.AgentID), fmt.Sprintf("turns %d", d.Turns)}, used(d.Usage)...))
	}
	for _, x := range c.WorkItems {
		name, about := string(x.Handle), x.Objective.String()
		if x.WorkItemID == "" {
			name, about = "-", "about no work item"
		}
		items = append(items, append([]string{name, about, fmt.Sprintf("turns %d", x.Turns)}, used(x.Usage)...))
	}
	p.plainTable(1, days)
	p.line("")
	p.plainTable(1, items)
	if !each {
		return
	}
	for _, t := range c.Turns {
		turns = append(turns, append([]string{fmt.Sprintf("turn %d", t.Turn), string(t.AgentID), t.At.Local().Format(time.DateTime)},
			append(used(t.Usage), string(t.Outcome))...))
	}
	p.line("")
	p.plainTable(1, turns)
}
