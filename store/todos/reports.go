package todos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

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
	Name    string                  `json:"name"`
	Rules   []sarifRule             `json:"rules"`
	Strings map[string]sarifMessage `json:"globalMessageStrings"`
}

type sarifRule struct {
	ID      string                  `json:"id"`
	Strings map[string]sarifMessage `json:"messageStrings"`
	Short   sarifMessage            `json:"shortDescription"`
	HelpURI string                  `json:"helpUri"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		SecuritySeverity string `json:"security-severity"`
	} `json:"properties"`
}

// sarifMessage is a text, or the id of one that its rule or its tool has, with arguments.
type sarifMessage struct {
	Text      string   `json:"text"`
	Markdown  string   `json:"markdown"`
	ID        string   `json:"id"`
	Arguments []string `json:"arguments"`
}

// said returns the message's words. named are the texts that it can name.
func (m sarifMessage) said(named ...map[string]sarifMessage) string {
	text := cmp.Or(m.Text, m.Markdown)
	for _, of := range named {
		text = cmp.Or(text, of[m.ID].Text, of[m.ID].Markdown)
	}
	for i, a := range m.Arguments {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), a)
	}
	return text
}

type sarifLocation struct {
	Message  sarifMessage `json:"message"`
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int          `json:"startLine"`
			Snippet   sarifMessage `json:"snippet"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// file returns the location's file below root.
func (l sarifLocation) file(root string) string {
	uri := l.Physical.Artifact.URI
	if plain, err := url.PathUnescape(uri); err == nil && !strings.HasPrefix(uri, "file://") {
		uri = plain
	}
	return below(root, uri)
}

type sarifResult struct {
	RuleID string `json:"ruleId"`
	Index  *int   `json:"ruleIndex"`
	Rule   struct {
		ID    string `json:"id"`
		Index *int   `json:"index"`
	} `json:"rule"`
	Kind          string          `json:"kind"`
	Level         string          `json:"level"`
	BaselineState string          `json:"baselineState"`
	Message       sarifMessage    `json:"message"`
	Locations     []sarifLocation `json:"locations"`
	Related       []sarifLocation `json:"relatedLocations"`
	Fixes         []struct {
		Description sarifMessage `json:"description"`
	} `json:"fixes"`
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
		var issues []issue
		for _, r := range run.Results {
			rule := run.rule(r)
			message := r.Message.said(rule.Strings, run.Tool.Driver.Strings)
			if why := r.leftOut(); why != "" {
				out.Left = append(out.Left, Left{cut(rule.ID+" "+message, 200), why})
				continue
			}
			issues = append(issues, r.issue(rule, cmp.Or(message, rule.Short.said(), rule.ID), c))
		}
		out.Drafts = append(out.Drafts, drafts(issues, "sarif:"+cmp.Or(cut(run.Tool.Driver.Name, 100).Raw(), "unknown"), c)...)
	}
	return out, nil
}

// rule returns the rule that a result names, by its id or by its place among those of the driver.
func (run sarifRun) rule(r sarifResult) sarifRule {
	id, at, own := cmp.Or(r.RuleID, r.Rule.ID), cmp.Or(r.Index, r.Rule.Index), run.Tool.Driver.Rules
	if id == "" && at != nil && *at >= 0 && *at < len(own) {
		return own[*at]
	}
	for _, tool := range append(run.Tool.Extensions, run.Tool.Driver) {
		for _, rule := range tool.Rules {
			if rule.ID == id {
				return rule
			}
		}
	}
	return sarifRule{ID: cmp.Or(id, "finding")}
}

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

func (r sarifResult) issue(rule sarifRule, message string, c Context) issue {
	level := cmp.Or(r.Level, rule.Default.Level, "warning")
	is := issue{
		rule: rule.ID, message: message,
		severity: level, priority: sarifPriority(level, rule.Properties.SecuritySeverity), help: rule.HelpURI,
	}
	for i, l := range append(r.Locations, r.Related...) {
		file, at := l.file(c.Root), l.Physical.Region
		if i == 0 && len(r.Locations) > 0 {
			is.file, is.line, is.snippet = file, at.StartLine, at.Snippet.said()
		}
		if said := l.Message.said(); i > 0 || said != "" {
			is.tell(file, at.StartLine, said)
		}
	}
	for _, f := range r.Fixes {
		is.fix += f.Description.said() + "\n"
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
	tomeMarker = lazily(`(?s)<!--\s*RUNE:FINDING\s+(.*?)\s*-->`)
	tomeEnd    = lazily(`<!--\s*/RUNE:FINDING\b.*?-->`)
	tomeLabel  = lazily(`^\s*(?:[-*] )?\*\*([^*\[]+?)(?::\*\*|\*\*:)\s*`)
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
		Source: cmp.Or(c.Source, "review"), Status: todo.Pending, Priority: priority, SourceRef: model.Text(c.Ref),
		FindingID: cut(attrs["id"], 80), Severity: cut(attrs["severity"], 20), Chain: c.Chain,
	}
	if m := tomeFence().FindStringSubmatchIndex(block); m != nil {
		d.Evidence, block = model.Text(block[m[2]:m[3]]), block[:m[0]]+block[m[1]:]
	}
	title := attrs["id"]
	if m := tomeTitle().FindStringSubmatch(block); m != nil {
		title = cmp.Or(m[1], m[2])
		block = strings.Replace(block, m[0], "", 1)
	}
	d.Title = headline(title)
	where := []model.Text{}
	if file != "" {
		d.Files = []model.Text{placed(file, line)}
		where = append(where, "in "+at(file, 0), "in "+at(file, line))
	}
	var rest []string
	if utf8.RuneCountInString(title) > headlineLength {
		rest = append(rest, title)
	}
	for _, p := range labelled(block) {
		into := map[string]*model.Text{"Issue": &d.Problem, "Fix": &d.Action, "Fix guidance": &d.Action, "Evidence": &d.Evidence}[p.label]
		text := strings.TrimSpace(strings.Join(p.lines, "\n"))
		switch {
		case text == "", slices.Contains(where, model.Text(text)):
		case into != nil && *into == "":
			*into = model.Text(text)
		case p.label != "":
			rest = append(rest, "**"+p.label+"**: "+text)
		default:
			rest = append(rest, text)
		}
	}
	d.Problem = told(d.Problem.Raw(), rest)
	d.Findings = []todo.Finding{{Label: "Finding ID", Text: d.FindingID}, {Label: "File", Text: at(file, line)},
		{Label: "Issue", Text: brief(d.Problem.Raw())}, {Label: "Severity", Text: d.Severity},
		{Label: "Scope", Text: cut(attrs["scope"], 40)}}
	return d
}

// told returns what a finding says, and below it all that belongs to no other section.
func told(message string, more []string) model.Text {
	return model.Text(strings.TrimSpace(message + "\n\n" + strings.Join(more, "\n")))
}

// labelled cuts a text at its bold labels. The first part has none.
func labelled(block string) []part {
	parts := []part{{}}
	for line := range strings.SplitSeq(block, "\n") {
		if m := tomeLabel().FindStringSubmatch(line); m != nil {
			parts, line = append(parts, part{label: m[1]}), line[len(m[0]):]
		}
		p := &parts[len(parts)-1]
		p.lines = append(p.lines, strings.TrimSpace(line))
	}
	return parts
}

type part struct {
	label string
	lines []string
}
