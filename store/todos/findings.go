package todos

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vise/model"
	"vise/model/todo"
)

// Format is a kind of report.
type Format string

const (
	TOME     Format = "tome"
	SARIF    Format = "sarif"
	goVet    Format = "govet"
	golangCI Format = "golangci"
)

// Guess returns the format of a report from its content.
func Guess(raw []byte) (Format, bool) {
	trimmed := bytes.TrimSpace(raw)
	switch {
	case bytes.Contains(raw, []byte("RUNE:FINDING")):
		return TOME, true
	case !bytes.HasPrefix(trimmed, []byte("{")) && !(bytes.HasPrefix(trimmed, []byte("#")) && bytes.Contains(trimmed, []byte("\n{"))):
		return "", false
	case bytes.Contains(raw, []byte(`"runs"`)):
		return SARIF, true
	case bytes.Contains(raw, []byte(`"FromLinter"`)), bytes.Contains(raw, []byte(`"Issues"`)):
		return golangCI, true
	}
	return goVet, true
}

// report is the result of reading: drafts, and the findings left out, each with its reason.
type report struct {
	Drafts []todo.Draft
	Left   []Left
}

// Left is a finding that became no draft.
type Left struct {
	Finding model.Text `json:"finding"`
	Reason  string     `json:"reason"`
}

// Context says where a report belongs.
type Context struct {
	// Root is the repository; absolute paths below it become relative.
	Root string
	// Ref is the report's own path below Root: the source ref of a TOME.
	Ref string
	// Source is the source of the drafts. If it is empty, the format's own is used.
	Source string
	Chain  model.Text
}

// Read reads a report. A report that does not have the format is an error. A finding that cannot be used is left out, with the reason.
func Read(f Format, raw []byte, c Context) (report, error) {
	if !utf8.Valid(raw) {
		return report{}, model.Invalid("the report is not UTF-8 text")
	}
	switch f {
	case TOME:
		return readTOME(string(raw), c), nil
	case SARIF:
		return readSARIF(raw, c)
	case goVet:
		return readGoVet(raw, c)
	case golangCI:
		return readGolangCI(raw, c)
	}
	return report{}, model.Invalid("%q is not a format", string(f)).At("format",
		"one of %s, %s, %s, %s", TOME, SARIF, goVet, golangCI)
}

// issue is a tool's finding, with the fields that the tool formats share.
type issue struct {
	rule, message, file string
	line                int
	snippet, severity   string
	priority            todo.Priority
	help                string
	// more are what the tool says of other places. fix is how to mend it.
	more []string
	fix  string
}

// tell adds what the tool says of another place.
func (is *issue) tell(file string, line int, said string) {
	is.more = append(is.more, strings.TrimSpace("- "+at(file, line).Raw()+" "+said))
}

// drafts turns a tool's issues into drafts, ordered by file and line.
func drafts(issues []issue, ref string, c Context) []todo.Draft {
	slices.SortStableFunc(issues, func(a, b issue) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.rule, b.rule),
			cmp.Compare(a.message, b.message))
	})
	seen := map[string]int{}
	out := make([]todo.Draft, 0, len(issues))
	for _, is := range issues {
		same := is.rule + "\x00" + is.file + "\x00" + is.message
		seen[same]++
		out = append(out, is.draft(ref, c, seen[same]))
	}
	return out
}

// draft makes the draft of an issue. Its id is made from rule, file, message and its number among equal issues in the file, not from the
// line, which moves.
func (is issue) draft(ref string, c Context, nth int) todo.Draft {
	d := todo.Draft{
		Source: cmp.Or(c.Source, "audit"), Status: todo.Pending, Priority: is.priority,
		Title: headline(is.rule + ": " + is.message), Problem: told(is.message, is.more), Evidence: model.Text(is.snippet),
		Action:    model.Text(is.fix),
		SourceRef: model.Text(ref),
		FindingID: cut(is.rule, 60) + "-" + model.Text(model.Hash(is.rule, is.file, is.message, strconv.Itoa(nth))[:8]),
		Severity:  cut(is.severity, 40), Chain: c.Chain,
		Findings: []todo.Finding{{Label: "Rule", Text: model.Text(is.rule)}, {Label: "File", Text: at(is.file, is.line)},
			{Label: "Issue", Text: brief(is.message)}, {Label: "Severity", Text: model.Text(is.severity)}, {Label: "Help",
				Text: model.Text(is.help)}},
	}
	if is.file != "" {
		d.Files = []model.Text{placed(is.file, is.line)}
	}
	return d
}

func at(file string, line int) model.Text {
	if file == "" {
		return ""
	}
	return "`" + placed(file, line) + "`"
}

// placed is a file, with the line if it is known, in the form that todos use.
func placed(file string, line int) model.Text {
	if line <= 0 {
		return cut(file, maxPlace)
	}
	return cut(file, maxPlace) + model.Textf(":%d", line)
}

// maxPlace bounds a file's name, in bytes. With its line it fits an entry.
const maxPlace = 180

// headlineLength is the longest headline that fits a title, in characters.
const headlineLength = 120

func headline(s string) model.Text {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	first = todo.OneLine(first)
	if utf8.RuneCountInString(first) > headlineLength {
		first = string([]rune(first)[:headlineLength-1]) + "…"
	}
	return model.Text(first)
}

// brief is a finding's text where it stands once more.
func brief(s string) model.Text { return cut(s, 1000) }

// cut returns s on one line, shortened to at most n bytes of whole characters.
func cut(s string, n int) model.Text {
	s = todo.OneLine(s)
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return model.Text(s)
}

// below makes a file's name relative to the repository, with slashes. It decodes a URI.
func below(root, name string) string {
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		name = rest
		if plain, err := url.PathUnescape(rest); err == nil {
			name = plain
		}
	}
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(root, name); err == nil && !strings.HasPrefix(rel, "..") {
			name = rel
		}
	}
	name = filepath.ToSlash(name)
	if name == "" {
		return ""
	}
	return path.Clean(name)
}

// position splits "file:line:column".
func position(posn string) (file string, line int) {
	parts := strings.Split(posn, ":")
	for n := len(parts); n > 1 && n > len(parts)-2; n-- {
		v, err := strconv.Atoi(parts[n-1])
		if err != nil {
			return strings.Join(parts[:n], ":"), line
		}
		file, line = strings.Join(parts[:n-1], ":"), v
	}
	return cmp.Or(file, posn), line
}

// readGolangCI reads golangci-lint's JSON output, of version 1 or 2.
func readGolangCI(raw []byte, c Context) (report, error) {
	var in struct {
		Issues *[]struct {
			FromLinter, Text, Severity string
			SourceLines                []string
			Pos                        struct {
				Filename string
				Line     int
			}
		}
	}
	// In version 2 the linters' own report follows the JSON if both are written to one stream.
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&in); err != nil {
		return report{}, model.Invalid("the report is not golangci-lint's JSON").Because(err)
	}
	if in.Issues == nil {
		if bytes.Contains(raw, []byte(`"Issues"`)) {
			return report{}, nil
		}
		return report{}, model.Invalid("the report has no Issues: it is not golangci-lint's JSON")
	}
	issues := make([]issue, 0, len(*in.Issues))
	for _, i := range *in.Issues {
		issues = append(issues, issue{
			rule: i.FromLinter, message: i.Text, file: below(c.Root, i.Pos.Filename), line: i.Pos.Line,
			snippet: strings.Join(i.SourceLines, "\n"), severity: i.Severity, priority: weigh(i.Severity),
		})
	}
	return report{Drafts: drafts(issues, "golangci-lint", c)}, nil
}

// weigh turns the severity words of linters into a priority. Without a word it is p2.
func weigh(severity string) todo.Priority {
	switch strings.ToLower(severity) {
	case "error", "critical", "high", "blocker":
		return todo.P1
	case "info", "note", "none", "low", "minor", "hint":
		return todo.P3
	}
	return todo.P2
}

// readGoVet reads go vet -json: JSON objects by package and analyzer, between comment lines that name the packages.
func readGoVet(raw []byte, c Context) (report, error) {
	var out report
	var issues []issue
	dec := json.NewDecoder(bytes.NewReader(withoutComments(raw)))
	for {
		var packages map[string]map[string]json.RawMessage
		err := dec.Decode(&packages)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return report{}, model.Invalid("the report is not the output of go vet -json").Because(err)
		}
		for pkg, analyzers := range packages {
			for name, found := range analyzers {
				more, left := vetIssues(pkg, name, found, c)
				issues, out.Left = append(issues, more...), append(out.Left, left...)
			}
		}
	}
	out.Drafts = drafts(issues, "go vet", c)
	return out, nil
}

func vetIssues(pkg, analyzer string, found json.RawMessage, c Context) ([]issue, []Left) {
	var diagnostics []struct {
		Posn, Message, URL string
		Related            []struct{ Posn, Message string }
		Fixes              []struct{ Message string } `json:"suggested_fixes"`
	}
	if err := json.Unmarshal(found, &diagnostics); err != nil {
		return nil, []Left{{Finding: model.Text(pkg + " " + analyzer), Reason: "the analyzer reports an error, not findings"}}
	}
	var out []issue
	for _, d := range diagnostics {
		file, line := position(d.Posn)
		is := issue{rule: analyzer, message: d.Message, file: below(c.Root, file), line: line, priority: todo.P2, help: d.URL}
		for _, r := range d.Related {
			file, line := position(r.Posn)
			is.tell(below(c.Root, file), line, r.Message)
		}
		for _, f := range d.Fixes {
			is.fix += f.Message + "\n"
		}
		out = append(out, is)
	}
	return out, nil
}

func withoutComments(raw []byte) []byte {
	var out []byte
	for line := range bytes.Lines(raw) {
		if !bytes.HasPrefix(line, []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}
