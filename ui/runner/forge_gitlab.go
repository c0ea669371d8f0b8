package runner

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vise/model"
)

// The GraphQL query asks GitLab in one request for the newest pipeline of a merge request or branch with its failed jobs, and for the state
// and recent comments of a merge request.
const (
	gitlabPipeline = `sha status jobs(statuses:[FAILED],first:20){nodes{id name webPath allowFailure}}`
	gitlabPull     = `query($path:ID!,$number:String!){project(fullPath:$path){mergeRequest(iid:$number){state approved ` +
		`headPipeline{` + gitlabPipeline + `} notes(last:50){nodes{id url body createdAt system author{login:username}}}}}}`
	gitlabBranch = `query($path:ID!,$ref:String!){project(fullPath:$path){pipelines(ref:$ref,first:1){nodes{` + gitlabPipeline + `}}}}`
)

type gitlabAnswer struct {
	Data struct {
		Project *struct {
			MergeRequest *struct {
				State    string
				Approved bool
				Head     *gitlabRun `json:"headPipeline"`
				Notes    nodes[forgeComment]
			} `json:"mergeRequest"`
			Pipelines nodes[gitlabRun]
		} `json:"project"`
	} `json:"data"`
}

type gitlabRun struct {
	SHA    string
	Status string
	Jobs   nodes[struct {
		ID           string
		Name         string
		WebPath      string
		AllowFailure bool
	}] `json:"jobs"`
}

// gitlab asks GitLab about a merge request or a branch.
func (f Forge) gitlab(ctx context.Context, a model.Asked) (out forgeSaid, err error) {
	query, what := gitlabBranch, "ref="+a.Branch
	if a.Number > 0 {
		query, what = gitlabPull, "number="+strconv.Itoa(a.Number)
	}
	var got gitlabAnswer
	err = f.ask(ctx, &got, "api", "graphql", "-f", "query="+query, "-f", "path="+a.Repo, "-f", what)
	if err != nil {
		return out, err
	}
	project := got.Data.Project
	switch {
	case project == nil, a.Number > 0 && project.MergeRequest == nil:
		return out, problem("glab: there is no " + a.String() + ", or it may not be read")
	case a.Number == 0:
		for _, run := range project.Pipelines.Nodes {
			run.add(&out)
		}
		return out, nil
	}
	pull := project.MergeRequest
	out.State = map[string]model.PullState{"opened": model.PullOpen, "merged": model.PullMerged, "closed": model.PullClosed}[pull.State]
	if pull.Approved {
		out.Review = model.ReviewApproved
	}
	if pull.Head != nil {
		pull.Head.add(&out)
	}
	notes := slices.DeleteFunc(pull.Notes.Nodes, func(n forgeComment) bool { return n.System })
	out.comments = told(worded(notes, a.String()))
	return out, nil
}

// add records a pipeline. A job that is allowed to fail does not make it fail.
func (r gitlabRun) add(out *forgeSaid) {
	out.Commit = oneLine(r.SHA, 64)
	switch r.Status {
	case "SUCCESS", "SKIPPED", "MANUAL":
		out.Checks = model.ChecksPass
	case "FAILED", "CANCELED":
		out.Checks = model.ChecksFail
	default:
		out.Checks = model.ChecksRun
	}
	for _, j := range r.Jobs.Nodes {
		if !j.AllowFailure {
			out.Checks, out.Failing = model.ChecksFail, model.Text(oneLine(j.Name, maxCheckName))
			out.failed.job, _ = strconv.ParseInt(j.ID[strings.LastIndex(j.ID, "/")+1:], 10, 64) // gid://gitlab/Ci::Build/77
			out.failed.link = "https://gitlab.com" + oneLine(j.WebPath, maxProblem)
			return
		}
	}
}
