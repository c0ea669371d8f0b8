package cli

import (
	"context"
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

// everywhere lists the threads that somebody may take up, by repository: this one and those
// that work items link to.
func (v *threadVerbs) everywhere(ctx context.Context) (r answer, err error) {
	in, err := v.threads()
	if err != nil {
		return r, err
	}
	var ledger home.Viewer
	switch h, err := v.app.open(); {
	case err == nil:
		ledger = h
	case !home.NoHome(err):
		return r, err
	}
	seen := in.List(ctx, ledger)
	repos := []thread.View{}
	for _, x := range seen {
		repos = append(repos, x.View())
		r.lines = append(r.lines, fmt.Sprintf("%v", x.Repo))
		if x.Problem != "" {
			r.warnings = append(r.warnings, threadWarnings(x.Repo+": "+x.Problem)...)
		}
		for _, b := range x.Rows {
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
