package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// draftFlags describe a todo made by hand.
type draftFlags struct {
	source, priority, problem, evidence, ref, finding, severity string
	tags, files, depends, criteria                              []string
	ready                                                       bool
}

func (f *draftFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.source, "source", "", "what found it: "+strings.Join(file.Sources(), ", "))
	c.Flags().StringVar(&f.priority, "priority", "p2", "p1, p2 or p3")
	c.Flags().StringVar(&f.problem, "problem", "", "the problem statement")
	c.Flags().StringVar(&f.evidence, "evidence", "", "the code in question")
	c.Flags().StringVar(&f.ref, "ref", "", "the report or plan that it comes from")
	c.Flags().StringVar(&f.finding, "finding", "", "the finding's id there; with --ref it is made only once")
	c.Flags().StringVar(&f.severity, "severity", "", "the finding's severity there")
	c.Flags().StringSliceVar(&f.tags, "tags", nil, "tags")
	c.Flags().StringSliceVar(&f.files, "files", nil, "the files that it is about")
	c.Flags().StringSliceVar(&f.depends, "depends", nil, "the todos that must be done first")
	c.Flags().StringArrayVar(&f.criteria, "criterion", nil, "an acceptance criterion; can be given again")
	c.Flags().BoolVar(&f.ready, "ready", false, "it needs no triage")
}

func (f draftFlags) draft(title, source string) (file.Draft, error) {
	p, err := file.ParsePriority(f.priority)
	if err != nil {
		return file.Draft{}, err
	}
	d := file.Draft{
		Source: source, Status: file.Pending, Priority: p, Title: model.Text(title),
		Problem: model.Text(f.problem), Evidence: model.Text(f.evidence), SourceRef: model.Text(f.ref),
		FindingID: model.Text(f.finding), Severity: model.Text(f.severity), Tags: texts(f.tags), Files: texts(f.files),
		Dependencies: refs(f.depends), Criteria: texts(f.criteria),
	}
	if f.ready {
		d.Status = file.Ready
	}
	return d, nil
}

func (v *todoVerbs) create() *cobra.Command {
	var f draftFlags
	c := v.verb("create TITLE --source SOURCE", "Make a todo; the same finding is made only once", true,
		func(_ context.Context, at *todoSession, args []string) (answer, error) {
			source, err := at.sourceFor(f.source)
			if err != nil {
				return answer{}, err
			}
			draft, err := f.draft(args[0], source)
			if err != nil {
				return answer{}, err
			}
			made, err := at.Create([]file.Draft{draft}, at.move("", "Created by hand"))
			return at.made(made, nil, err)
		})
	f.add(c)
	return c
}

// sourceFor returns the named source, else the only source of the session.
func (at *todoSession) sourceFor(named string) (string, error) {
	if named != "" {
		return file.ParseSource(named)
	}
	snap, err := at.Load()
	if err != nil {
		return "", err
	}
	if len(snap.Sources) == 1 {
		return snap.Sources[0], nil
	}
	return "", model.Refuse(model.CodeInvalid, "--source is needed: the session has %d sources", len(snap.Sources)).At("source").
		WithHint("one of %s", strings.Join(file.Sources(), ", "))
}

// made answers with what was created, and what was skipped and why.
func (at *todoSession) made(made todos.Made, left []todos.Left, err error) (answer, error) {
	if err != nil {
		if len(made.Created) > 0 {
			return answer{}, fmt.Errorf("after %d todos were made: %w", len(made.Created), err)
		}
		return answer{}, err
	}
	var r answer
	rows, lines := briefly(made.Created, nil)
	r.lines = lines
	for _, s := range made.Skipped {
		r.lines = append(r.lines, fmt.Sprintf("skipped %s: it is %s", s.Title, s.Existing))
	}
	for _, l := range left {
		r.lines = append(r.lines, fmt.Sprintf("left out %s: %s", l.Finding, l.Reason))
	}
	r.lines = append(r.lines, fmt.Sprintf("%s: %d made, %d skipped, %d left out", at.Rel, len(rows), len(made.Skipped), len(left)))
	r.data = map[string]any{"session": at.Rel, "created": rows, "skipped": made.Skipped, "left_out": append([]todos.Left{}, left...)}
	return r, nil
}

// maxReport is the largest report, in bytes.
const maxReport = 64 << 20

func (v *todoVerbs) importing() *cobra.Command {
	var format, source string
	c := v.bare("import FILE", "Make todos of a report: a TOME, SARIF, go vet -json, golangci-lint's JSON; - reads standard input; "+
		"one in tmp/WORKFLOW/ID belongs to that session",
		func(_ context.Context, args []string) (answer, error) {
			raw, ref, err := v.report(args[0])
			if err != nil {
				return answer{}, err
			}
			if parts := strings.Split(ref, "/"); v.session == "" && parts[0] == "tmp" && len(parts) > 3 {
				v.session = strings.Join(parts[:3], "/")
			}
			at, err := v.open(true)
			if err != nil {
				return answer{}, err
			}
			defer at.Close()
			f := todos.Format(format)
			if format == "" {
				var ok bool
				if f, ok = todos.Guess(raw); !ok {
					return answer{}, model.Refuse(model.CodeInvalid, "the report's format is not known").At("format").
						WithHint("pass --format tome, sarif, govet (of go vet -json) or golangci")
				}
			}
			if source != "" {
				if _, err := file.ParseSource(source); err != nil {
					return answer{}, err
				}
			}
			rep, err := todos.Read(f, raw, todos.Context{Root: at.repo, Ref: ref, Source: source, Chain: model.Text("import:" + at.ID())})
			if err != nil {
				return answer{}, err
			}
			made, err := at.Create(rep.Drafts, at.move("", "Created from "+string(f)+" report"))
			return at.made(made, rep.Left, err)
		})
	c.Flags().StringVar(&format, "format", "", "tome, sarif, govet or golangci (default: by content)")
	c.Flags().StringVar(&source, "source", "", "the todos' source (default: review for a TOME, else audit)")
	return c
}

// report reads a report, and returns its path relative to the repository.
func (v *todoVerbs) report(name string) (raw []byte, ref string, err error) {
	in := v.app.in
	if name != "-" {
		name = absolute(v.app.dir, name)
		f, err := os.Open(name)
		if err != nil {
			return nil, "", model.Refuse(model.CodeNotFound, "the report cannot be read").At("file").Because(err)
		}
		defer f.Close()
		in = f
	}
	if raw, err = io.ReadAll(io.LimitReader(in, maxReport+1)); err != nil {
		return nil, "", model.Refuse(model.CodeInvalid, "the report cannot be read").Because(err)
	}
	if len(raw) > maxReport {
		return nil, "", model.Refuse(model.CodeInvalid, "the report is larger than %d bytes", maxReport)
	}
	if rel, err := filepath.Rel(v.dir(), name); err == nil && !strings.HasPrefix(rel, "..") && name != "-" {
		return raw, filepath.ToSlash(rel), nil
	}
	return raw, filepath.Base(name), nil
}
