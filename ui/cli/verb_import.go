package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

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
	// Left is what was not imported, and why.
	Left []leftBehind `json:"left"`
}

// leftBehind is something that an import does not take over: its name, its count, and the reason.
type leftBehind struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

// holonCounts count what a ledger holds.
type holonCounts struct {
	WorkItems int `json:"work_items"`
	Open      int `json:"open"`
	Completed int `json:"completed"`
	Waits     int `json:"waits"`
	// Timers are also counted as waits. Messages wait for a turn.
	Timers   int `json:"timers"`
	Tasks    int `json:"tasks"`
	Running  int `json:"running_tasks"`
	Messages int `json:"messages"`
	// InlinePlans come from the records, PlanFiles from plan.md files in the agent's home.
	InlinePlans int `json:"inline_plans"`
	PlanFiles   int `json:"plan_files"`
}

// importedAgent is what is imported for one agent.
type importedAgent struct {
	AgentID   model.AgentID `json:"agent_id"`
	WorkItems int           `json:"work_items"`
	Waits     int           `json:"waits"`
	Tasks     int           `json:"tasks"`
	Messages  int           `json:"messages"`
	Focus     model.ItemID  `json:"current_work_item_id,omitempty"`
	// Imported and Skipped count all of these. Skipped records were imported before.
	Imported int `json:"imported"`
	Skipped  int `json:"skipped"`
}

func (g importedAgent) records() int { return g.WorkItems + g.Waits + g.Tasks + g.Messages }

func importVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "import", Short: "Take over the work of another tool"}
	var dryRun bool
	from := &cobra.Command{
		Use: "holon DIR", Short: "Take over a Holon agent's work",
		Example: "vise import holon ~/holon --dry-run",
		Long: "import holon reads DIR/.holon/ledger or DIR/ledger, the last snapshot of each id, and takes over the\n" +
			"agent with its work items, plans, waits, timers, tasks and queued messages. It lists what it leaves out,\n" +
			"and why. It writes nothing below DIR. If a line is malformed, nothing is imported. What was imported\n" +
			"before is skipped: a second import brings what is new or was not reached.",
	}
	from.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be imported")
	c.AddCommand(e.verb(from, func(_ context.Context, args []string) (answer, error) { return importHolon(e, args[0], dryRun) }))
	c.AddCommand(importGitHubVerb(e))
	return group(e, c)
}

func importHolon(e *Env, dir string, dryRun bool) (answer, error) {
	done := doing(e, "reading what is there")
	l, err := readHolon(e, dir)
	done()
	if err != nil {
		return answer{}, err
	}
	if err := rename(e, &l); err != nil {
		return answer{}, err
	}
	out := l.imported
	out.DryRun, out.Agents = dryRun, []importedAgent{}
	if !dryRun {
		if _, _, err := openOrCreate(e); err != nil {
			return answer{}, err
		}
	}
	var warnings []model.Warning
	saved := 0
	for _, x := range l.Agents {
		g := importedAgent{AgentID: x.AgentID, WorkItems: len(x.Items), Waits: len(x.Waits), Tasks: len(x.Tasks),
			Messages: len(x.Messages), Focus: x.Focus}
		if !dryRun {
			t := takeover{Env: e}
			done := showProgress(e, func() string {
				return fmt.Sprintf("taking over agent %s: %d of %d records", g.AgentID, t.passed.Load(), g.records())
			})
			err := t.take(x)
			done()
			if saved += t.imported; err != nil {
				return answer{}, importedSome(err, saved)
			}
			g.Imported, g.Skipped = t.imported, g.records()-t.imported
			out.Left = append(out.Left, t.left...)
			warnings = append(warnings, t.warnings...)
		}
		out.Agents = append(out.Agents, g)
	}
	return answer{data: out, warnings: warnings, text: func(p *page) { p.imported(out) }}, nil
}

// importedSome adds to an import's error what was saved before it failed.
func importedSome(err error, saved int) error {
	e := fault(err)
	if saved > 0 {
		e.Hint = fmt.Sprintf("%d records were taken over before that, and are saved; run it again for the rest", saved)
	}
	return e
}

// takeover imports one agent's work in parts. Other processes can write between the parts, and an import that was interrupted or killed
// continues where it stopped.
type takeover struct {
	*Env
	// passed counts the records of the finished parts.
	passed   atomic.Int64
	imported int
	left     []leftBehind
	warnings []model.Warning
}

const (
	// importedAtOnce is the most work items that one change imports, and importedBytes their most JSON. A change has up to three times as
	// much in the journal, and one of more than 1 MiB keeps the ledger from a cluster.
	importedAtOnce = 1000
	importedBytes  = 300 << 10
	// importOperations is what a work item takes of the operations of a cluster's change, with its waits and tasks.
	importOperations = 20
)

// take adds the agent first. This shows whether the ledger accepts writes before a file is made for it. Every record was checked when it
// was read.
func (t *takeover) take(in model.Import) error {
	if _, err := send(t.Env, mutation{}, "", model.AddAgent{AgentID: in.AgentID}); err != nil {
		return err
	}
	most, err := t.home.Ledger().AtOnce(t, importOperations, importedAtOnce)
	if err != nil {
		return err
	}
	for _, part := range in.Parts(most, importedBytes) {
		n := len(part.Items) + len(part.Tasks) + len(part.Waits) + len(part.Messages)
		if err := t.takePart(part); err != nil {
			return err
		}
		t.passed.Add(int64(n))
	}
	return nil
}

// takePart makes the plan files before it calls the ledger. The ledger also makes plan files, while it holds its lock. For files that exist
// it only checks that they exist.
func (t *takeover) takePart(in model.Import) error {
	err := read(t.Env, func(r model.Reader) error {
		in.Items = slices.DeleteFunc(in.Items, func(x model.Imported) bool { _, known := r.Item(x.Item.ID); return known })
		return nil
	})
	if err != nil {
		return err
	}
	change, err := judged(in, t.now())
	if err != nil {
		return err
	}
	had, err := t.home.Files().CreatePlans(in.AgentID, change.NewPlans)
	if err != nil {
		return err
	}
	t.keepPlans(in, had)
	out, err := send(t.Env, mutation{}, "", in)
	t.imported += out.Imported
	for _, w := range out.Warnings {
		if !slices.ContainsFunc(t.warnings, func(x model.Warning) bool { return x.Kind == w.Kind && x.Message == w.Message }) {
			t.warnings = append(t.warnings, w)
		}
	}
	return err
}

// judged returns the change that an import would make in an empty ledger.
func judged(in model.Import, now time.Time) (model.Change, error) {
	return model.Step(store.Empty(), model.Stamp{At: now, NewID: "judged", Actor: model.Operator}, in)
}

// keepPlans gives new work items the plans in their existing files, and reports which of these differ from the imported plans.
func (t *takeover) keepPlans(in model.Import, had []model.ItemID) {
	for i, x := range in.Items {
		if !slices.Contains(had, x.Item.ID) {
			continue
		}
		have := t.home.Files().Plan(in.AgentID, x.Item.ID)
		if string(have.Raw) == x.Plan.Raw() { // raw: compared, not shown
			continue
		}
		in.Items[i].Plan = model.Text(have.Raw)
		t.left = append(t.left, leftBehind{string(x.Item.ID) + ": the imported plan", 1, "a plan.md is in the home already, and counts"})
	}
}

// rename gives the items to the agent that --agent names. The environment does not count: it names the actor, not the owner of this work.
func rename(e *Env, l *holonLedger) error {
	if e.flags.agent == "" {
		return nil
	}
	if len(l.Agents) > 1 {
		return misuse("agent", "the ledger holds the work of %d agents", len(l.Agents)).WithHint("leave --agent out; they keep their names")
	}
	for i := range l.Agents {
		l.Agents[i].AgentID = e.agent
	}
	return nil
}

func (p *page) imported(m imported) {
	c := m.Counts
	p.line("%s: %d work items (%d open, %d completed), %d waits, %d tasks (%d running), %d messages",
		model.Text(m.Dir), c.WorkItems, c.Open, c.Completed, c.Waits, c.Tasks, c.Running, c.Messages)
	p.line("plans: %d from records, %d from files", c.InlinePlans, c.PlanFiles)
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
