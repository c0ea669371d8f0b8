package cli

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
)

// threadCard is a thread for people: the summary first, then what one needs to go on.
func threadCard(t thread.Thread, j thread.BranchCheck, now thread.Git) []string {
	lines := []string{threadSummary(t)}
	if t.Status != thread.InProgress {
		lines = append(lines, "  status     "+string(t.Status))
	}
	if g := t.StrongestGap(); g != nil {
		lines = append(lines, fmt.Sprintf("  gap        %s: %v", model.Text(g.Severity), g.Summary))
	}
	lines = append(lines, threadEntries("unverified", t.Unverified)...)
	for _, v := range t.Verified {
		lines = append(lines, fmt.Sprintf("  verified   %s %v", thread.GradeMark(t.GradeOf(v, now)), v))
	}
	for _, d := range t.DeadEnds {
		lines = append(lines, fmt.Sprintf("  dead end   %v", d.Hypothesis))
	}
	lines = append(lines, threadEntries("risk", t.Risks)...)
	lines = append(lines, threadEntries("file", t.ActiveFiles)...)
	lines = append(lines, threadEntries("command", t.Commands)...)
	lines = append(lines, fmt.Sprintf("  git        %v", j.Line()))
	return append(lines, threadRemedies(j, t.ID)...)
}

func threadSummary(t thread.Thread) string {
	if s := t.Summary(); s != "" {
		return fmt.Sprint(s)
	}
	return string(t.ID)
}

func threadEntries(label string, list []model.Text) []string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprintf("  %-10s %v", label, e))
	}
	return out
}

func threadRemedies(j thread.BranchCheck, id thread.ID) []string {
	var out []string
	for _, r := range j.Remedies(id) {
		out = append(out, fmt.Sprintf("  %-10s %v", r.Kind, r.Command))
	}
	return out
}

func threadMarks(row thread.Row) string {
	s := string(row.Thread.Status)
	if row.Active {
		s += " active"
	}
	if row.Check.Reason != "" && !row.Check.Loadable {
		s += " parked"
	}
	return s
}

func threadWarning(j thread.BranchCheck) []model.Text {
	if j.Warning == "" || !j.Loadable {
		return nil
	}
	return []model.Text{j.Warning}
}

// threadWarnings are what threads say as warnings.
func threadWarnings(list ...model.Text) []model.Warning { return warningsOf(model.WarnThread, list) }
