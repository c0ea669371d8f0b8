package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/ui/runner"
)

// imported is the data of import.
type imported struct {
	Dir    string          `json:"dir"`
	DryRun bool            `json:"dry_run"`
	Counts holonCounts     `json:"counts"`
	Agents []importedAgent `json:"agents"`
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

func importVerb() verb {
	return verb{
		use: "import", short: "Take over the work of another tool",
		verbs: []verb{importHolonVerb(), importGitHubVerb()},
	}
}

func importHolonVerb() verb {
	var dryRun bool
	return verb{
		use: "holon DIR", short: "Take over a Holon agent's work",
		long: `import holon reads DIR/.holon/ledger or DIR/ledger, the last snapshot of each id, and takes over the
agent with its work items, plans, waits, timers, tasks and queued messages. It lists what it leaves out,
and why. It writes nothing below DIR. If a line is malformed, nothing is imported. What was imported
before is skipped: a second import brings what is new or was not reached.`,
		example: "vise admin import holon ~/holon --dry-run",
		flags:   flags{{"dry-run", &dryRun, "only say what would be imported"}},
		run: func(e *Env) (answer, error) {
			done := doing(e, "reading what is there")
			l, err := readHolon(e, e.words[0])
			done()
			if err == nil {
				err = rename(e, &l)
			}
			if err == nil && !dryRun {
				_, _, err = openOrCreate(e)
			}
			if err != nil {
				return nil, err
			}
			out := l.imported
			out.DryRun, out.Agents = dryRun, []importedAgent{}
			var warnings []model.Warning
			saved := 0
			for _, x := range l.Agents {
				g := importedAgent{AgentID: x.AgentID, WorkItems: len(x.Items), Waits: len(x.Waits), Tasks: len(x.Tasks),
					Messages: len(x.Messages), Focus: x.Focus}
				if !dryRun {
					t := takeover{Env: e}
					done := doing(e, fmt.Sprintf("taking over the %d records of agent %s", g.records(), g.AgentID))
					err := t.take(x)
					done()
					if saved += t.imported; err != nil {
						return nil, importedSome(err, saved)
					}
					g.Imported, g.Skipped = t.imported, g.records()-t.imported
					out.Left = append(out.Left, t.left...)
					warnings = append(warnings, t.warnings...)
				}
				out.Agents = append(out.Agents, g)
			}
			return answerOf(out, (*page).imported).warned(warnings), nil
		},
	}
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
	if _, err := sendAlso(t.Env, "", model.AddAgent{AgentID: in.AgentID}); err != nil {
		return err
	}
	for _, part := range in.Parts(t.home.Ledger.AtOnce(importOperations, importedAtOnce), importedBytes) {
		if err := t.takePart(part); err != nil {
			return err
		}
	}
	return nil
}

// takePart makes the plan files before it calls the ledger. The ledger also makes plan files, while it holds its lock. For files that exist
// it only checks that they exist.
func (t *takeover) takePart(in model.Import) error {
	err := read(t.Env, func(r model.Reader) error {
		in.Items = slices.DeleteFunc(in.Items, func(x model.Imported) bool {
			w, known := r.Item(x.Item.ID)
			if known && (x.Item.UpdatedAt.After(w.UpdatedAt) || x.Item.Revision > w.Revision) {
				t.left = append(t.left, leftBehind{fmt.Sprintf("%s: its change to revision %d", w.ID, x.Item.Revision), 1,
					fmt.Sprintf("it is newer there; the work item here stays as it is, at revision %d", w.Revision)})
			}
			return known
		})
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
	out, err := sendAlso(t.Env, "", in)
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
	p.say("%s: %d work items (%d open, %d completed), %d waits, %d tasks (%d running), %d messages",
		m.Dir, c.WorkItems, c.Open, c.Completed, c.Waits, c.Tasks, c.Running, c.Messages)
	p.line("plans: %d from records, %d from files", c.InlinePlans, c.PlanFiles)
	for _, l := range m.Left[:min(len(m.Left), shownLeft)] {
		p.say("left there: %s, %d: %s", l.What, l.Count, l.Why)
	}
	if more := len(m.Left) - shownLeft; more > 0 {
		p.line("left there: and %d more kinds (--json has all)", more)
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

const shownLeft = 20

// importedIssues is the data of import github.
type importedIssues struct {
	Repo    string        `json:"repo"`
	Label   string        `json:"label"`
	AgentID model.AgentID `json:"agent_id"`
	DryRun  bool          `json:"dry_run"`
	// Imported and Skipped count the open issues with the label. Skipped issues were imported before.
	Imported int             `json:"imported"`
	Skipped  int             `json:"skipped"`
	Issues   []importedIssue `json:"issues"`
}

type importedIssue struct {
	WorkItemID model.ItemID `json:"work_item_id"`
	Issue      string       `json:"issue"`
	Title      model.Text   `json:"title"`
	URL        string       `json:"url"`
	// Known means that the issue was imported before.
	Known bool `json:"known,omitempty"`
}

func importGitHubVerb() verb {
	var label string
	var dryRun bool
	return verb{
		use: "github OWNER/NAME", short: "Make work items of the issues of a repository at GitHub",
		long: `import github asks gh for the open issues with a label, and makes one work item of each. The title
becomes the objective, the text the plan, and the item links to the issue. An issue that was imported
before is skipped, even if its work item is completed.`,
		example: "vise admin import github acme/gateway --label vise",
		flags: flags{
			{"label", &label, "the label that the issues have"},
			{"dry-run", &dryRun, "only say what would be imported"},
		},
		needs: "label",
		run:   func(e *Env) (answer, error) { return importGitHub(e, e.words[0], label, dryRun) },
	}
}

func importGitHub(e *Env, repo, label string, dryRun bool) (answer, error) {
	if _, err := model.ParseAsked(model.GitHub, model.Text("github:"+repo+"#1")); err != nil {
		return nil, misuse("repo", "%q is no repository", repo).WithHint("give it as owner/name")
	}
	if label == "" {
		return nil, misuse("label", "no label is named").WithHint("name the one that the issues have: --label L")
	}
	if !dryRun {
		if _, _, err := openOrCreate(e); err != nil {
			return nil, err
		}
	}
	agent, err := ownAgent(e)
	if err != nil {
		return nil, err
	}
	issues, err := runner.Forge{Program: model.GitHub}.Issues(e, repo, label)
	if err != nil {
		return nil, refuse("the issues of %s cannot be read: %s", repo, err).At("repo",
			"gh must be installed and logged in: gh auth status")
	}
	out := importedIssues{Repo: repo, Label: label, AgentID: agent, DryRun: dryRun, Issues: []importedIssue{}}
	in := model.Import{AgentID: agent}
	for _, x := range issues {
		item := itemOfIssue(repo, x)
		in.Items = append(in.Items, item)
		out.Issues = append(out.Issues, importedIssue{WorkItemID: item.Item.ID, Issue: fmt.Sprintf("%s#%d", repo, x.Number),
			Title: item.Item.Objective, URL: x.URL})
	}
	if err := read(e, func(r model.Reader) error {
		for i, x := range out.Issues {
			if _, out.Issues[i].Known = r.Item(x.WorkItemID); out.Issues[i].Known {
				out.Skipped++
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	t := takeover{Env: e}
	if !dryRun && out.Skipped < len(issues) {
		err = t.take(in)
		out.Imported, out.Skipped = t.imported, len(issues)-t.imported
	}
	return answerOf(out, (*page).importedIssues).warned(t.warnings), err
}

// itemOfIssue returns the work item for an issue. Its id is made from the issue's name, so that one issue becomes only one item.
func itemOfIssue(repo string, x runner.Issue) model.Imported {
	name := fmt.Sprintf("%s#%d", repo, x.Number)
	title := cmp.Or(x.Title, name)
	return model.Imported{
		Item: model.WorkItem{
			ID: model.ItemID("wi-" + model.Hash("github:" + strings.ToLower(name))[:26]), Objective: model.Text(title),
			State: model.Open, PlanStatus: model.Draft,
			Links: model.Links{Refs: []model.Ref{{Kind: "issue", Ref: model.Text(x.URL), Title: model.Text(name)}}},
		},
		Plan: model.Textf("# %s\n\nIssue %s, %s, says:\n\n", title, name, x.URL) + x.Body + "\n",
	}
}

func (p *page) importedIssues(m importedIssues) {
	for _, x := range m.Issues {
		if !x.Known {
			p.line("%s  %s", p.strong(x.Issue), x.Title)
		}
	}
	did := fmt.Sprintf("%d imported", m.Imported)
	if m.DryRun {
		did = fmt.Sprintf("%d would be imported", len(m.Issues)-m.Skipped)
	}
	p.line("agent %s: %s, %d known before", p.strong(string(m.AgentID)), did, m.Skipped)
	if len(m.Issues) == runner.MaxIssues {
		p.line("gh listed %d, which is the most; there may be more", runner.MaxIssues)
	}
}
