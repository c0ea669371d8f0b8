package runner

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vise/model"
)

// Issue is an issue of a GitHub repository. All its text is safe to show.
type Issue struct {
	Number int
	Title  string
	Body   model.Text
	URL    string
}

// MaxIssues bounds how many issues are read at once.
const MaxIssues = 1000

// maxIssueBody is GitHub's limit for a body; maxIssueURL is more than GitHub's addresses need.
const maxIssueBody, maxIssueURL = 65536, 1000

// Issues returns the open issues of a repository with a label, oldest first. The error is written for people.
func (f Forge) Issues(ctx context.Context, repo, label string) ([]Issue, error) {
	var all []Issue
	err := f.ask(ctx, &all, "issue", "list", "--repo", repo, "--label", label, "--state", "open", "--limit", strconv.Itoa(MaxIssues),
		"--json", "number,title,body,url")
	if err != nil {
		return nil, err
	}
	slices.Reverse(all) // gh lists the newest first
	for i, x := range all {
		all[i].Title = oneLine(strings.TrimSpace(x.Title), model.MaxObjective)
		all[i].Body = model.Text(paragraphs(x.Body.Raw(), maxIssueBody)) // raw: made safe here
		all[i].URL = oneLine(x.URL, maxIssueURL)
	}
	return all, nil
}
