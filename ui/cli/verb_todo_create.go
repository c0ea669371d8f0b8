package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
	"vise/ui/runner"
)

func (v *todoVerbs) create() verb {
	d := file.Draft{Status: file.Pending, Priority: file.P2}
	var tags, about, depends commas
	var ready bool
	return verb{
		use: "create TITLE --source SOURCE", short: "Make a todo; the same finding is made only once", args: to(&d.Title),
		example: "vise todo create 'The limiter leaks a timer' --source review --priority p1",
		flags: flags{
			{"source", &d.Source, "what found it: " + strings.Join(file.Sources(), ", ")},
			{"priority", &d.Priority, "p1, p2 or p3"},
			{"problem", &d.Problem, "the problem statement"},
			{"evidence", &d.Evidence, "the code in question"},
			{"ref", &d.SourceRef, "the report or plan that it comes from"},
			{"finding", &d.FindingID, "the finding's id there; with --ref it is made only once"},
			{"severity", &d.Severity, "the finding's severity there"},
			{"tags", &tags, "tags"},
			{"files", &about, "the files that it is about"},
			{"depends", &depends, "the todos that must be done first"},
			{"criterion", &d.Criteria, "an acceptance criterion; can be given again"},
			{"ready", &ready, "it needs no triage"},
		},
		run: v.inSession(func(at *todoSession) (answer, error) {
			var err error
			if d.Source, err = at.sourceFor(d.Source); err != nil {
				return nil, err
			}
			if ready {
				d.Status = file.Ready
			}
			d.Tags, d.Files, d.Dependencies = wordsOf[model.Text](tags), wordsOf[model.Text](about), wordsOf[file.Ref](depends)
			made, err := at.Create([]file.Draft{d}, v.by(file.Move{Reason: "Created by hand"}))
			return at.made(made, nil, err)
		}),
	}
}

// sourceFor returns the named source, else the only source of the session.
func (at *todoSession) sourceFor(named string) (string, error) {
	if named != "" {
		return file.ParseSource(named)
	}
	snap, err := at.Load(false)
	if err != nil {
		return "", err
	}
	if len(snap.Sources) == 1 {
		return snap.Sources[0], nil
	}
	return "", misuse("source", "--source is needed: the session has %d sources", len(snap.Sources)).
		WithHint("one of %s", strings.Join(file.Sources(), ", "))
}

// made answers with what was created, and what was skipped and why.
func (at *todoSession) made(made todos.Made, left []todos.Left, err error) (answer, error) {
	if err != nil && len(made.Created) > 0 {
		err = fmt.Errorf("after %d todos were made: %w", len(made.Created), err)
	}
	if err != nil {
		return nil, err
	}
	var out changed
	out.add(at, made.Created...)
	for _, s := range made.Skipped {
		if s.OtherText {
			out.warnings = append(out.warnings, todoWarnings(fmt.Sprintf("skipped %s: another text has its id %s: %s",
				s.Title, s.Finding, s.Existing))...)
		} else {
			out.say("skipped %s: it is %s", s.Title, s.Existing)
		}
	}
	for _, l := range left {
		out.say("left out %s: %s", l.Finding, l.Reason)
	}
	out.say("%s: %d made, %d skipped, %d left out", at.Rel, len(out.rows), len(made.Skipped), len(left))
	out.data = map[string]any{"session": at.Rel, "created": listed(out.rows), "skipped": made.Skipped,
		"left_out": listed(left)}
	return &out.reply, nil
}

// maxReport is the largest report, in bytes.
const maxReport = 64 << 20

func (v *todoVerbs) importing() verb {
	var name, source string
	var format todos.Format
	return verb{
		use: "import FILE", short: "Make todos of a report: a TOME, SARIF, go vet -json, golangci-lint's JSON; - reads standard input; " +
			"one in tmp/WORKFLOW/ID belongs to that session",
		example: "vise todo import report.sarif",
		args:    to(&name),
		flags: flags{
			{"format", &format, "tome, sarif, govet or golangci (default: by content)"},
			{"source", &source, "the todos' source (default: review for a TOME, else audit)"},
		},
		run: func(e *Env) (answer, error) {
			raw, ref, err := v.report(name)
			if err != nil {
				return nil, err
			}
			if parts := strings.Split(ref, "/"); v.session == "" && parts[0] == "tmp" && len(parts) > 3 {
				v.session = strings.Join(parts[:3], "/")
			}
			return v.inSession(func(at *todoSession) (answer, error) {
				if known := false; format == "" {
					if format, known = todos.Guess(raw); !known {
						return nil, misuse("format", "the report's format is not known").
							WithHint("pass --format tome, sarif, govet (of go vet -json) or golangci")
					}
				}
				if source != "" {
					if _, err := file.ParseSource(source); err != nil {
						return nil, err
					}
				}
				rep, err := todos.Read(format, raw,
					todos.Context{Root: v.repository(), Ref: ref, Source: source, Chain: model.Text("import:" + at.ID())})
				if err != nil {
					return nil, err
				}
				made, err := at.Create(rep.Drafts, v.by(file.Move{Reason: model.Text("Created from " + string(format) + " report")}))
				return at.made(made, rep.Left, err)
			})(e)
		},
	}
}

// report reads a report, and returns its path relative to the repository.
func (v *todoVerbs) report(name string) (raw []byte, ref string, err error) {
	in := v.in
	if name != "-" {
		name = absolute(v.dir, name)
		f, err := os.Open(name)
		if err != nil {
			return nil, "", notFound("the report cannot be read").At("file").Because(err)
		}
		defer f.Close()
		in = f
	}
	raw, err = runner.UnlessEnded(v, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxReport+1)) })
	if err != nil {
		return nil, "", model.Invalid("the report cannot be read").Because(err)
	}
	if len(raw) > maxReport {
		return nil, "", model.Invalid("the report is larger than %d bytes", maxReport)
	}
	if rel, err := filepath.Rel(v.repository(), name); err == nil && !strings.HasPrefix(rel, "..") && name != "-" {
		return raw, filepath.ToSlash(rel), nil
	}
	return raw, filepath.Base(name), nil
}
