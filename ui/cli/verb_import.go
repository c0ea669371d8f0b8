package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
)

// imported is the data of import.
type imported struct {
	Dir    string          `json:"dir"`
	DryRun bool            `json:"dry_run"`
	Counts holonCounts     `json:"counts"`
	Agents []importedAgent `json:"agents"`
	Notes  []string        `json:"notes,omitempty"`
	// Left is what was not brought over, and why.
	Left []leftBehind `json:"left"`
}

type importedAgent struct {
	AgentID   model.AgentID `json:"agent_id"`
	WorkItems int           `json:"work_items"`
	Waits     int           `json:"waits"`
	Tasks     int           `json:"tasks"`
	Messages  int           `json:"messages"`
	Focus     model.ItemID  `json:"current_work_item_id,omitempty"`
	// Imported and Skipped are of all these: those known before are skipped.
	Imported int `json:"imported"`
	Skipped  int `json:"skipped"`
}

func (g importedAgent) records() int { return g.WorkItems + g.Waits + g.Tasks + g.Messages }

func (a *app) importVerb() *cobra.Command {
	c := &cobra.Command{Use: "import", Short: "Take over the work of another tool"}
	var dryRun bool
	from := &cobra.Command{
		Use: "holon DIR", Short: "Take over a Holon agent's work",
		Example: "vise import holon ~/holon --dry-run",
		Long: "import holon reads DIR/.holon/ledger or DIR/ledger, the last snapshot of each id, and takes over the\n" +
			"agent with its work items, plans, waits, timers, tasks and queued messages. It says what it leaves, and\n" +
			"why. It writes nothing below DIR. A malformed line is an error, and nothing is imported then. What was\n" +
			"imported before is skipped: a second import brings what is new, and one that was cut short the rest.",
	}
	from.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be imported")
	c.AddCommand(a.verb(from, func(ctx context.Context, args []string) (answer, error) { return a.importHolon(ctx, args[0], dryRun) }))
	return a.group(c)
}

func (a *app) importHolon(ctx context.Context, dir string, dryRun bool) (answer, error) {
	l, err := readHolon(dir)
	if err != nil {
		return answer{}, err
	}
	if err := a.rename(&l); err != nil {
		return answer{}, err
	}
	out := imported{Dir: l.Dir, DryRun: dryRun, Counts: l.Counts, Notes: l.Notes, Left: append([]leftBehind{}, l.Left...),
		Agents: []importedAgent{}}
	if !dryRun {
		if _, _, err := a.openOrCreate(); err != nil {
			return answer{}, err
		}
	}
	var warnings []model.Warning
	for _, x := range l.Agents {
		g := importedAgent{AgentID: x.AgentID, WorkItems: len(x.Items), Waits: len(x.Waits), Tasks: len(x.Tasks),
			Messages: len(x.Messages), Focus: x.Focus}
		if !dryRun {
			done := a.doing(fmt.Sprintf("taking over %d records of agent %s", g.records(), g.AgentID))
			in, left, err := a.takeOver(ctx, x)
			done()
			if err != nil {
				return answer{}, importedSome(err, out.Agents)
			}
			g.Imported, g.Skipped = in.Imported, g.records()-in.Imported
			out.Left = append(out.Left, left...)
			warnings = append(warnings, in.Warnings...)
		}
		out.Agents = append(out.Agents, g)
	}
	return answer{data: out, warnings: warnings, text: func(p *page) { p.imported(out) }}, nil
}

// importedSome says what of an import was saved before it failed.
func importedSome(err error, done []importedAgent) error {
	if len(done) == 0 {
		return err
	}
	e := fault(err)
	e.Hint = fmt.Sprintf("the work of %d agents was imported before it, and is saved; run it again for the rest. ", len(done)) + e.Hint
	return e
}

// takeOver imports one agent's work. Adding the agent first finds out whether the ledger
// takes writes, before a file is made for it.
func (a *app) takeOver(ctx context.Context, in model.Import) (model.Receipt, []leftBehind, error) {
	if _, err := a.apply(ctx, mutation{}, "", model.AddAgent{AgentID: in.AgentID}); err != nil {
		return model.Receipt{}, nil, err
	}
	err := a.read(ctx, func(r model.Reader) error {
		in.Items = slices.DeleteFunc(in.Items, func(x model.Imported) bool { _, known := r.Item(x.Item.ID); return known })
		return nil
	})
	if err != nil {
		return model.Receipt{}, nil, err
	}
	left := a.keepPlans(in)
	if err := a.makePlans(ctx, in); err != nil {
		return model.Receipt{}, left, err
	}
	out, err := a.apply(ctx, mutation{}, "", in)
	return out, left, err
}

// keepPlans gives new work items the plan files that are in the home already, and says which of
// them are other ones than the import brings.
func (a *app) keepPlans(in model.Import) (left []leftBehind) {
	for i, x := range in.Items {
		have := a.home.Files().Plan(in.AgentID, x.Item.ID)
		if have.Condition == model.PlanMissing || string(have.Raw) == x.Plan.Raw() { // raw: compared, not shown
			continue
		}
		in.Items[i].Plan = model.Text(have.Raw)
		left = append(left, leftBehind{string(x.Item.ID) + ": the imported plan", 1, "a plan.md is in the home already, and counts"})
	}
	return left
}

// rename gives the items to the agent that --agent names. The environment does not count:
// it says who acts, not whose work this is.
func (a *app) rename(l *holonLedger) error {
	if a.flags.agent == "" {
		return nil
	}
	if len(l.Agents) > 1 {
		return misuse("agent", "the ledger holds the work of %d agents", len(l.Agents)).WithHint("leave --agent out; they keep their names")
	}
	for i := range l.Agents {
		l.Agents[i].AgentID = a.agent
	}
	return nil
}

func (p *page) imported(m imported) {
	c := m.Counts
	p.line("%s: %d work items (%d open, %d completed), %d waits (%d active), %d tasks (%d running), %d messages; %d older snapshots",
		model.Text(m.Dir), c.WorkItems, c.Open, c.Completed, c.Waits, c.ActiveWaits, c.Tasks, c.Running, c.Messages, c.Superseded)
	p.line("plans: %d from records, %d from files; %d items with fields kept in a link", c.InlinePlans, c.PlanFiles, c.KeptFields)
	for _, l := range m.Left[:min(len(m.Left), shownNotes)] {
		p.line("left there: %s, %d: %s", model.Text(l.What), l.Count, model.Text(l.Why))
	}
	if more := len(m.Left) - shownNotes; more > 0 {
		p.line("left there: and %d more kinds (--json has all)", more)
	}
	for _, n := range m.Notes[:min(len(m.Notes), shownNotes)] {
		p.line("note: %s", model.Text(n))
	}
	if more := len(m.Notes) - shownNotes; more > 0 {
		p.line("note: and %d more (--json has all)", more)
	}
	for _, g := range m.Agents {
		did := fmt.Sprintf("%d records imported, %d known before", g.Imported, g.Skipped)
		switch {
		case m.DryRun:
			did = fmt.Sprintf("%d records would be imported", g.records())
		case g.records() == 0:
			did = "it has no records"
		case g.Imported == 0:
			did = fmt.Sprintf("nothing new, %d records known before", g.Skipped)
		}
		p.line("agent %s: %s; current %s", p.strong(string(g.AgentID)), did, cmp.Or(string(g.Focus), "none"))
	}
}

const shownNotes = 20

// makePlans makes the plan files of an import before the ledger is asked. The ledger makes
// them too, while it holds its lock; of those that are there it only sees that they are.
// The import is judged first, so that one which is refused leaves no file behind.
func (a *app) makePlans(ctx context.Context, in model.Import) error {
	change, err := model.Step(store.Empty(), model.Stamp{At: a.now(), NewID: "judged", Actor: a.actor}, in)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(change.NewPlans, plansAtOnce) {
		if err := errors.Join(ctx.Err(), a.home.Files().CreatePlans(some)); err != nil {
			return err
		}
	}
	return nil
}

// plansAtOnce is how many plan files are made between two looks at an interruption.
const plansAtOnce = 2000
