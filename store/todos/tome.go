package todos

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"vise/model"
	"vise/model/todo"
)

var (
	tomeMarker = lazily(`<!--\s*RUNE:FINDING\s+([^>]*?)\s*-->`)
	tomeEnd    = lazily(`<!--\s*/RUNE:FINDING\b[^>]*-->`)
	tomePair   = lazily(`([a-z_]+)="([^"]*)"`)
	tomeNonce  = lazily(`(?i)\*\*(?:Session )?Nonce:?\*\*:?\s*` + "`?" + `([A-Za-z0-9_-]+)`)
	tomeTitle  = lazily(`(?m)^\s*(?:[-*] \[.\] )?\*\*\[[^\]\n]+\]\s*(.+?)\*\*|^#{2,4}\s+[A-Z0-9]+-\d+:?\s+(.+)$`)
	tomeFence  = lazily("(?s)(?:^|\n)\\s*```[^\n]*\n(.*?)\n\\s*```")
)

// lazily is an expression that is compiled when it is first used: few runs read findings.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// readTOME reads a review's TOME.md: findings between markers that carry the session's
// nonce. A marker with another nonce came in by copied text, and is not believed.
func readTOME(text string, c Context) Report {
	var out Report
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

// tomeLeftOut says why a finding is nothing to do: questions, nits, what was found false or
// never verified, and what was there before and is not critical.
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
	priority, _ := todo.ReadPriority(strings.ToLower(attrs["severity"]))
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
		d.Files = []model.Text{cut(file, 200)}
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

// labelled is the text after a bold label, up to the next label or item.
func labelled(block, label string) model.Text {
	for _, mark := range []string{"**" + label + ":**", "**" + label + "**:"} {
		_, rest, ok := strings.Cut(block, mark)
		if !ok {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(rest, "\n") {
			trimmed := strings.TrimSpace(line)
			if len(lines) > 0 && (strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "**") || strings.HasPrefix(trimmed, "```")) {
				break
			}
			lines = append(lines, trimmed)
		}
		return model.Text(strings.TrimSpace(strings.Join(lines, "\n")))
	}
	return ""
}
