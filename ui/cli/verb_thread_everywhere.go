package cli

import (
	"context"
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/ui/resume"
)

// everywhere lists the threads that somebody may take up, by repository: this one and those
// that work items link to.
func (v *threadVerbs) everywhere(ctx context.Context) (r answer, err error) {
	room, err := v.room()
	if err != nil {
		return r, err
	}
	var ledger resume.Ledger
	d, err := v.app.open()
	switch {
	case err == nil:
		ledger = d.ledger
	case !isNoHome(err):
		return r, err
	}
	seen := room.Radar(ctx, ledger)
	repos := []thread.View{}
	for _, in := range seen {
		repos = append(repos, in.View())
		r.lines = append(r.lines, fmt.Sprintf("%v", in.Repo))
		if in.Problem != "" {
			r.warnings = append(r.warnings, threadWarnings(in.Repo+": "+in.Problem)...)
		}
		for _, b := range in.Rows {
			r.lines = append(r.lines, threadRowLine(b))
		}
	}
	r.data = thread.View{}.With("repositories", repos)
	return r, nil
}

func threadRowLine(b thread.Row) string {
	line := fmt.Sprintf("  %-12s %s: %v", b.State(), b.Thread.ID, b.Thread.Goal)
	for _, o := range b.Items {
		line += "  " + string(o.Handle)
	}
	if b.Parked() {
		line += fmt.Sprintf("; wakes %v", b.Check.Wake())
	}
	return model.Text(line).String()
}
