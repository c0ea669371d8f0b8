package todos

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"vise/model"
	"vise/model/todo"
)

// readGolangCI reads golangci-lint's JSON output, of version 1 or 2.
func readGolangCI(raw []byte, c Context) (Report, error) {
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
	// The linters' own report follows the JSON in version 2 when both go to one stream.
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&in); err != nil {
		return Report{}, model.Refuse(model.CodeInvalid, "the report is not golangci-lint's JSON").Because(err)
	}
	if in.Issues == nil {
		if bytes.Contains(raw, []byte(`"Issues"`)) {
			return Report{}, nil
		}
		return Report{}, model.Refuse(model.CodeInvalid, "the report has no Issues: it is not golangci-lint's JSON")
	}
	issues := make([]issue, 0, len(*in.Issues))
	for _, i := range *in.Issues {
		issues = append(issues, issue{
			rule: i.FromLinter, message: i.Text, file: below(c.Root, i.Pos.Filename), line: i.Pos.Line,
			snippet: strings.Join(i.SourceLines, "\n"), severity: i.Severity, priority: weigh(i.Severity),
		})
	}
	return Report{Drafts: drafts(issues, "golangci-lint", c)}, nil
}

// weigh turns the severity words of linters into a priority; no word is p2.
func weigh(severity string) todo.Priority {
	switch strings.ToLower(severity) {
	case "error", "critical", "high", "blocker":
		return todo.P1
	case "info", "note", "none", "low", "minor", "hint":
		return todo.P3
	}
	return todo.P2
}

// readGoVet reads go vet -json: objects of package, analyzer and diagnostics, between
// comment lines that name the packages.
func readGoVet(raw []byte, c Context) (Report, error) {
	var out Report
	var issues []issue
	dec := json.NewDecoder(bytes.NewReader(withoutComments(raw)))
	for {
		var packages map[string]map[string]json.RawMessage
		err := dec.Decode(&packages)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Report{}, model.Refuse(model.CodeInvalid, "the report is not the output of go vet -json").Because(err)
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
	var diagnostics []struct{ Posn, Message, URL string }
	if err := json.Unmarshal(found, &diagnostics); err != nil {
		return nil, []Left{{Finding: model.Text(pkg + " " + analyzer), Reason: "the analyzer reports an error, not findings"}}
	}
	var out []issue
	for _, d := range diagnostics {
		file, line := position(d.Posn)
		out = append(out, issue{rule: analyzer, message: d.Message, file: below(c.Root, file), line: line, priority: todo.P2, help: d.URL})
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
