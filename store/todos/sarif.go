package todos

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/model/todo"
)

// The part of SARIF 2.1.0 that findings are made of.
type sarifLog struct {
	Version string      `json:"version"`
	Runs    *[]sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver     sarifTool   `json:"driver"`
		Extensions []sarifTool `json:"extensions"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifMessage `json:"shortDescription"`
	HelpURI string       `json:"helpUri"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		SecuritySeverity string `json:"security-severity"`
	} `json:"properties"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID string `json:"ruleId"`
	Rule   struct {
		ID string `json:"id"`
	} `json:"rule"`
	Kind          string       `json:"kind"`
	Level         string       `json:"level"`
	BaselineState string       `json:"baselineState"`
	Message       sarifMessage `json:"message"`
	Locations     []struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine int          `json:"startLine"`
				Snippet   sarifMessage `json:"snippet"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
	Suppressions []struct {
		Status string `json:"status"`
	} `json:"suppressions"`
}

func readSARIF(raw []byte, c Context) (Report, error) {
	var log sarifLog
	if err := decode(raw, "SARIF", &log); err != nil {
		return Report{}, err
	}
	if log.Runs == nil || !strings.HasPrefix(log.Version, "2.1") {
		return Report{}, model.Refuse(model.CodeInvalid, "the report is SARIF %q; 2.1 is read", log.Version)
	}
	var out Report
	for _, run := range *log.Runs {
		rules := run.rules()
		var issues []issue
		for _, r := range run.Results {
			if why := r.leftOut(); why != "" {
				out.Left = append(out.Left, Left{cut(r.id()+" "+r.Message.Text, 200), why})
				continue
			}
			issues = append(issues, r.issue(rules[r.id()], c))
		}
		out.Drafts = append(out.Drafts, drafts(issues, "sarif:"+cmp.Or(cut(run.Tool.Driver.Name, 100).Raw(), "unknown"), c)...)
	}
	return out, nil
}

func (run sarifRun) rules() map[string]sarifRule {
	out := map[string]sarifRule{}
	for _, tool := range append([]sarifTool{run.Tool.Driver}, run.Tool.Extensions...) {
		for _, r := range tool.Rules {
			out[r.ID] = r
		}
	}
	return out
}

func (r sarifResult) id() string { return cmp.Or(r.RuleID, r.Rule.ID, "finding") }

// leftOut says why a result is nothing to do.
func (r sarifResult) leftOut() string {
	for _, s := range r.Suppressions {
		if s.Status == "" || s.Status == "accepted" {
			return "suppressed in the report"
		}
	}
	switch {
	case r.BaselineState == "absent":
		return "no longer there, says the report"
	case r.Kind != "" && r.Kind != "fail" && r.Kind != "review" && r.Kind != "open":
		return "of kind " + cut(r.Kind, 40).Raw() + ", which is no failure"
	}
	return ""
}

func (r sarifResult) issue(rule sarifRule, c Context) issue {
	level := cmp.Or(r.Level, rule.Default.Level, "warning")
	is := issue{
		rule: r.id(), message: cmp.Or(r.Message.Text, rule.Short.Text, r.id()),
		severity: level, priority: sarifPriority(level, rule.Properties.SecuritySeverity), help: rule.HelpURI,
	}
	if len(r.Locations) > 0 {
		at := r.Locations[0].Physical
		uri := at.Artifact.URI
		if plain, err := url.PathUnescape(uri); err == nil && !strings.HasPrefix(uri, "file://") {
			uri = plain
		}
		is.file, is.line, is.snippet = below(c.Root, uri), at.Region.StartLine, at.Region.Snippet.Text
	}
	return is
}

// sarifPriority follows the security score where there is one (7.0 is high, 4.0 medium in
// CVSS), and the level where there is none.
func sarifPriority(level, score string) todo.Priority {
	if s, err := strconv.ParseFloat(score, 64); err == nil {
		i := slices.IndexFunc([]float64{7, 4, -1}, func(floor float64) bool { return s >= floor })
		return todo.Priorities()[max(i, 0)]
	}
	return weigh(level)
}
