package runner

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
)

// The GraphQL query asks GitHub in one request for the checks of a commit, the state of a pull request, and its recent comments. If there
// are more comments than the query names, new since the last request or unresolved, the rest are not fetched.
const (
	githubChecks = `oid statusCheckRollup{state contexts(first:100){nodes{__typename ` +
		`...on CheckRun{databaseId name status conclusion startedAt detailsUrl title summary checkSuite{workflowRun{workflow{name}}}} ` +
		`...on StatusContext{context state targetUrl description createdAt}}}}`
	githubSaid = `id url body createdAt author{login}`
	githubPull = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){pullRequest(number:$number){` +
		`state reviewDecision latestOpinionatedReviews(last:50){nodes{state}} commits(last:1){nodes{commit{` + githubChecks + `}}} ` +
		`comments(last:50){nodes{` + githubSaid + `}} reviews(last:50){nodes{state ` + githubSaid + `}} ` +
		`reviewThreads(last:50){nodes{isResolved path line comments(last:20){nodes{state ` + githubSaid + `}}}}}}}`
	githubBranch = `query($owner:String!,$name:String!,$ref:String!){repository(owner:$owner,name:$name){ref(qualifiedName:$ref){` +
		`target{...on Commit{` + githubChecks + `}}}}}`
)

type githubAnswer struct {
	Data struct {
		Repository struct {
			PullRequest *githubPullRequest
			Ref         *struct {
				Target githubCommit
			} `json:"ref"`
		} `json:"repository"`
	} `json:"data"`
}

type nodes[T any] struct {
	Nodes []T
}

type githubPullRequest struct {
	State          string
	ReviewDecision string
	Opinions       nodes[struct{ State string }] `json:"latestOpinionatedReviews"`
	Commits        nodes[struct{ Commit githubCommit }]
	Comments       nodes[forgeComment]
	Reviews        nodes[forgeComment]
	Threads        nodes[struct {
		IsResolved bool
		Path       string
		Line       int
		Comments   nodes[forgeComment]
	}] `json:"reviewThreads"`
}

type githubCommit struct {
	OID    string
	Rollup *struct {
		State    string
		Contexts nodes[githubCheck]
	} `json:"statusCheckRollup"`
}

// githubCheck is a check run, or a commit status, which is the older form.
type githubCheck struct {
	DatabaseID int64
	Name       string
	Status     string
	Conclusion string
	StartedAt  time.Time
	DetailsURL string
	Title      string
	Summary    string
	CheckSuite struct {
		WorkflowRun *struct {
			Workflow struct{ Name string }
		} `json:"workflowRun"`
	} `json:"checkSuite"`
	Context     string
	State       string
	TargetURL   string
	Description string
	CreatedAt   time.Time
}

// forgeComment is a comment or a review, or a note of GitLab.
type forgeComment struct {
	ID        string
	URL       string
	Body      string
	State     string
	CreatedAt time.Time
	// System marks notes that GitLab wrote.
	System bool
	Author *struct {
		Login string
	} `json:"author"`
}

// github asks GitHub about a pull request or a branch.
func (f Forge) github(ctx context.Context, a model.Asked) (forgeSaid, error) {
	owner, name, _ := strings.Cut(a.Repo, "/")
	query, field, what := githubBranch, "-f", "ref=refs/heads/"+a.Branch
	if a.Number > 0 {
		query, field, what = githubPull, "-F", fmt.Sprintf("number=%d", a.Number)
	}
	var got githubAnswer
	err := f.ask(ctx, &got, "api", "graphql", "-f", "query="+query, "-f", "owner="+owner, "-f", "name="+name, field, what)
	if err != nil {
		return forgeSaid{}, err
	}
	r := got.Data.Repository
	switch {
	case r.PullRequest != nil:
		return r.PullRequest.said(a), nil
	case r.Ref != nil:
		out := forgeSaid{}
		r.Ref.Target.add(&out)
		return out, nil
	case a.Number > 0:
		return forgeSaid{}, problem("gh: there is no pull request " + a.String())
	}
	return forgeSaid{}, problem("gh: there is no branch " + a.String())
}

func (p *githubPullRequest) said(a model.Asked) (out forgeSaid) {
	out.State = map[string]model.PullState{"OPEN": model.PullOpen, "MERGED": model.PullMerged, "CLOSED": model.PullClosed}[p.State]
	out.Review = p.review()
	if n := len(p.Commits.Nodes); n > 0 {
		p.Commits.Nodes[n-1].Commit.add(&out)
	}
	all := append(worded(p.Comments.Nodes, a.String()), worded(p.Reviews.Nodes, a.String())...)
	for _, t := range p.Threads.Nodes {
		if !t.IsResolved {
			all = append(all, worded(t.Comments.Nodes, a.String()+", "+oneLine(t.Path, maxProblem)+lineOf(t.Line))...)
		}
	}
	out.comments = told(all)
	return out
}

// worded returns the comments on something that have words, each as a message.
func worded(list []forgeComment, where string) (out []forgeComment) {
	for _, c := range list {
		if strings.TrimSpace(c.Body) != "" && c.ID != "" && c.State != "PENDING" { // a PENDING review is a draft that was not sent
			c.Body = c.words(where)
			out = append(out, c)
		}
	}
	return out
}

// told returns the newest comments, oldest first.
func told(all []forgeComment) (out []model.ForgeComment) {
	slices.SortStableFunc(all, func(x, y forgeComment) int { return x.CreatedAt.Compare(y.CreatedAt) })
	for _, c := range all[max(0, len(all)-model.MaxForgeComments):] {
		out = append(out, model.ForgeComment{ID: oneLine(c.ID, maxProblem), Text: model.Text(c.Body)})
	}
	return out
}

func lineOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" line %d", n)
}

// review returns the reviewers' decision: GitHub's own if the repository requires reviews, else one derived from the reviews.
func (p *githubPullRequest) review() model.ReviewState {
	words := []string{p.ReviewDecision}
	if p.ReviewDecision == "" {
		for _, o := range p.Opinions.Nodes {
			words = append(words, o.State)
		}
	}
	switch {
	case slices.Contains(words, "CHANGES_REQUESTED"):
		return model.ReviewChanges
	case slices.Contains(words, "APPROVED"):
		return model.ReviewApproved
	}
	return ""
}

// words returns the comment as a message: author, place, text and address.
func (c forgeComment) words(where string) string {
	who := "somebody"
	if c.Author != nil {
		who = oneLine(c.Author.Login, maxCheckName)
	}
	did := cmp.Or(map[string]string{"APPROVED": "approved", "CHANGES_REQUESTED": "asks for changes on"}[c.State], "commented on")
	return fmt.Sprintf("%s %s %s:\n\n%s\n\n%s", who, did, where, paragraphs(c.Body, maxCommentText), oneLine(c.URL, maxProblem))
}

// add records the checks of the commit. If one failed, the result is "failing" with the first that failed; else "running" if one is
// running.
func (c githubCommit) add(out *forgeSaid) {
	out.Commit = oneLine(c.OID, 64)
	if c.Rollup == nil {
		return
	}
	checks := c.Rollup.Contexts.Nodes
	slices.SortStableFunc(checks, func(x, y githubCheck) int {
		return cmp.Or(y.StartedAt, y.CreatedAt).Compare(cmp.Or(x.StartedAt, x.CreatedAt))
	})
	seen := map[string]bool{}
	for _, k := range checks {
		if seen[k.key()] { // of a check that ran again, only the latest run counts
			continue
		}
		seen[k.key()] = true
		switch state := k.state(); {
		case state == model.ChecksFail:
			out.Checks, out.Failing, out.failed = state, model.Text(oneLine(cmp.Or(k.Name, k.Context), maxCheckName)), k.failed()
		case out.Checks != model.ChecksFail && (out.Checks == "" || state == model.ChecksRun):
			out.Checks = state
		}
	}
	if out.Checks != model.ChecksFail { // there may be more checks than were listed
		switch c.Rollup.State {
		case "FAILURE", "ERROR":
			out.Checks = model.ChecksFail
		case "PENDING", "EXPECTED":
			out.Checks = model.ChecksRun
		}
	}
}

// key identifies a check. Jobs of different workflows can have the same name.
func (k githubCheck) key() string {
	key := k.Name + "\n" + k.Context
	if w := k.CheckSuite.WorkflowRun; w != nil {
		key += "\n" + w.Workflow.Name
	}
	return key
}

func (k githubCheck) state() model.CheckState {
	word := k.State
	if word == "" && k.Status == "COMPLETED" {
		word = k.Conclusion
	}
	switch word {
	case "SUCCESS", "SKIPPED", "NEUTRAL":
		return model.ChecksPass
	case "ERROR", "FAILURE", "TIMED_OUT", "ACTION_REQUIRED", "STARTUP_FAILURE", "CANCELLED":
		return model.ChecksFail
	}
	return model.ChecksRun
}

func (k githubCheck) failed() failedCheck {
	x := failedCheck{link: oneLine(cmp.Or(k.DetailsURL, k.TargetURL), maxProblem),
		summary: paragraphs(strings.TrimSpace(k.Title+"\n"+k.Summary+"\n"+k.Description), maxCommentText)}
	if k.CheckSuite.WorkflowRun != nil { // only GitHub's own runners have a log here
		x.job = k.DatabaseID
	}
	return x
}

// logTime matches the time at the beginning of a line of a log. GitHub has one in each line.
var logTime = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\x{FEFF}?\d{4}-\d\d-\d\dT[0-9:.]+Z ?`) })
