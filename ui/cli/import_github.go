package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/runner"
)

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

func importGitHubVerb(e *Env) *cobra.Command {
	var label string
	var dryRun bool
	c := &cobra.Command{
		Use: "github OWNER/NAME", Short: "Make work items of the issues of a repository at GitHub",
		Example: "vise import github acme/gateway --label vise",
		Long: "import github asks gh for the open issues with a label, and makes one work item of each. The title\n" +
			"becomes the objective, the text the plan, and the item links to the issue. An issue that was imported\n" +
			"before is skipped, even if its work item is completed.",
	}
	c.Flags().StringVar(&label, "label", "", "the label that the issues have")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be imported")
	needsOne(c, "label")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		return importGitHub(e, args[0], label, dryRun)
	})
}

func importGitHub(e *Env, repo, label string, dryRun bool) (answer, error) {
	if _, err := model.ParseAsked(model.GitHub, model.Text("github:"+repo+"#1")); err != nil {
		return answer{}, misuse("repo", "%q is no repository", model.Text(repo)).WithHint("give it as owner/name")
	}
	if label == "" {
		return answer{}, misuse("label", "no label is named").WithHint("name the one that the issues have: --label L")
	}
	if !dryRun {
		if _, _, err := openOrCreate(e); err != nil {
			return answer{}, err
		}
	}
	agent, err := ownAgent(e)
	if err != nil {
		return answer{}, err
	}
	issues, err := runner.Forge{Program: model.GitHub}.Issues(e, repo, label)
	if err != nil {
		return answer{}, model.Refuse(model.CodeRefused, "the issues of %s cannot be read: %s", model.Text(repo), model.Text(err.Error())).
			At("repo").WithHint("gh must be installed and logged in: gh auth status")
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
		return answer{}, err
	}
	t := takeover{Env: e}
	if !dryRun && out.Skipped < len(issues) {
		err = t.take(in)
		out.Imported, out.Skipped = t.imported, len(issues)-t.imported
	}
	return answer{data: out, warnings: t.warnings, text: func(p *page) { p.importedIssues(out) }}, err
}

// itemOfIssue returns the work item for an issue. Its id is made from the issue's name, so that one issue becomes only one item.
func itemOfIssue(repo string, x runner.Issue) model.Imported {
	name := fmt.Sprintf("%s#%d", repo, x.Number)
	sum := sha256.Sum256([]byte("github:" + strings.ToLower(name)))
	title := cmp.Or(x.Title, name)
	return model.Imported{
		Item: model.WorkItem{
			ID: model.ItemID("wi-" + hex.EncodeToString(sum[:13])), Objective: model.Text(title),
			State: model.Open, PlanStatus: model.Draft,
			Links: model.Links{Refs: []model.Ref{{Kind: "issue", Ref: model.Text(x.URL), Title: model.Text(name)}}},
		},
		Plan: model.Text(fmt.Sprintf("# %s\n\nIssue %s, %s, says:\n\n", title, name, x.URL)) + x.Body + "\n",
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
