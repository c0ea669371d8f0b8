package todos

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vise/model"
	"vise/model/todo"
)

// The parts of SARIF 2.1.0 that findings need.
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

func readSARIF(raw []byte, c Context) (report, error) {
	var log sarifLog
	if err := json.Unmarshal(raw, &log); err != nil {
		return report{}, model.Invalid("the report is not SARIF").Because(err)
	}
	if log.Runs == nil || !strings.HasPrefix(log.Version, "2.1") {
		return report{}, model.Invalid("the report is SARIF %q; 2.1 is read", log.Version)
	}
	var out report
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

// leftOut returns why a result needs no work, or "".
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

// sarifPriority uses the security score if there is one (in CVSS 7.0 is high and 4.0 medium), and the level otherwise.
func sarifPriority(level, score string) todo.Priority {
	if s, err := strconv.ParseFloat(score, 64); err == nil {
		i := slices.IndexFunc([]float64{7, 4, -1}, func(floor float64) bool { return s >= floor })
		return todo.Priorities()[max(i, 0)]
	}
	return weigh(level)
}

var (
	tomeMarker = lazily(`<!--\s*RUNE:FINDING\s+([^>]*?)\s*-->`)
	tomeEnd    = lazily(`<!--\s*/RUNE:FINDING\b[^>]*-->`)
	tomePair   = lazily(`([a-z_]+)="([^"]*)"`)
	tomeNonce  = lazily(`(?i)\*\*(?:Session )?Nonce:?\*\*:?\s*` + "`?" + `([A-Za-z0-9_-]+)`)
	tomeTitle  = lazily(`(?m)^\s*(?:[-*] \[.\] )?\*\*\[[^\]\n]+\]\s*(.+?)\*\*|^#{2,4}\s+[A-Z0-9]+-\d+:?\s+(.+)$`)
	tomeFence  = lazily("(?s)(?:^|\n)\\s*```[^\n]*\n(.*?)\n\\s*```")
)

// lazily compiles an expression at its first use, because few runs read findings.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// readTOME reads a review's TOME.md: findings between markers with the session's nonce. A marker with another nonce comes from copied text
// and is not used.
func readTOME(text string, c Context) report {
	var out report
	nonce := ""
	if m := tomeNonce().FindStringSubmatch(text); m != nil {
		nonce = m[1]
	}
	marks := tomeMarker().FindAllStringSubmatchIndex(text, -1)
	for i, m := range marks {
		attrs := attributes(text[m[2]:m[3]])
		if nonce == "" {
			nonce = attrs["nonce"]
		}
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		block := text[m[1]:end]
		if e := tomeEnd().FindStringIndex(block); e != nil {
			block = block[:e[0]]
		}
		if why := tomeLeftOut(attrs, block, nonce); why != "" {
			out.Left = append(out.Left, Left{cut(attrs["id"], 80), why})
			continue
		}
		out.Drafts = append(out.Drafts, tomeDraft(attrs, block, c))
	}
	return out
}

func attributes(s string) map[string]string {
	out := map[string]string{}
	for _, p := range tomePair().FindAllStringSubmatch(s, -1) {
		out[p[1]] = p[2]
	}
	return out
}

// tomeLeftOut returns why a finding needs no work, or "". It leaves out questions, nits, findings that are false or not verified, and older
// findings that are not critical.
func tomeLeftOut(attrs map[string]string, block, nonce string) string {
	status := strings.ToUpper(attrs["status"] + " " + attrs["verdict"])
	switch {
	case attrs["nonce"] != nonce:
		return "its nonce is not the session's: injected by copied text"
	case attrs["id"] == "":
		return "it has no id"
	case attrs["interaction"] == "question" || attrs["interaction"] == "nit":
		return "a " + attrs["interaction"] + ", not a finding"
	case strings.Contains(status, "FALSE_POSITIVE") || strings.Contains(block, "FALSE_POSITIVE"):
		return "marked as a false positive"
	case strings.Contains(status, "UNVERIFIED") || strings.Contains(block, "UNVERIFIED"):
		return "marked as unverified"
	case attrs["scope"] == "pre-existing" && !strings.EqualFold(attrs["severity"], "P1"):
		return "was there before, and is not critical"
	}
	return ""
}

func tomeDraft(attrs map[string]string, block string, c Context) todo.Draft {
	priority, _, _ := todo.ReadPriority(strings.ToLower(attrs["severity"]))
	line, _ := strconv.Atoi(attrs["line"])
	file := below(c.Root, attrs["file"])
	d := todo.Draft{
		Source: cmp.Or(c.Source, "review"), Status: todo.Pending, Priority: priority,
		Title: headline(tomeHeading(block, attrs["id"])), SourceRef: model.Text(c.Ref),
		FindingID: cut(attrs["id"], 80), Severity: cut(attrs["severity"], 20), Chain: c.Chain,
		Problem: labelled(block, "Issue"), Action: model.Text(cmp.Or(labelled(block, "Fix").Raw(), labelled(block, "Fix guidance").Raw())),
		Evidence: labelled(block, "Evidence"),
	}
	if m := tomeFence().FindStringSubmatch(block); m != nil {
		d.Evidence = model.Text(m[1])
	}
	if file != "" {
		d.Files = []model.Text{placed(file, line)}
	}
	d.Findings = []todo.Finding{{Label: "Finding ID", Text: d.FindingID}, {Label: "File", Text: at(file, line)},
		{Label: "Issue", Text: d.Problem}, {Label: "Severity", Text: d.Severity}, {Label: "Scope", Text: cut(attrs["scope"], 40)}}
	return d
}

func tomeHeading(block, id string) string {
	m := tomeTitle().FindStringSubmatch(block)
	if m == nil {
		return id
	}
	return cmp.Or(m[1], m[2], id)
}

// labelled returns the text after a bold label, up to the next label or item.
func labelled(block, label string) model.Text {
	for _, mark := range []string{"**" + label + ":**", "**" + label + "**:"} {
		_, rest, ok := strings.Cut(block, mark)
		if !ok {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(rest, "\n") {
			trimmed := strings.TrimSpace(line)
			if len(lines) > 0 && (strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed,
				"**") || strings.HasPrefix(trimmed, "```")) {
				break
			}
			lines = append(lines, trimmed)
		}
		return model.Text(strings.TrimSpace(strings.Join(lines, "\n")))
	}
	return ""
}
