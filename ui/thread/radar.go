package thread

import (
	"context"
	"fmt"

	"vise/model"
	"vise/model/thread"
)

// everywhere lists the threads that somebody may take up, by repository.
func (d *desk) everywhere(ctx context.Context) (r outcome, err error) {
	if d.env.Radar == nil {
		return r, usage("no work items are known here")
	}
	seen, err := d.env.Radar(ctx)
	if err != nil {
		return r, err
	}
	repos := []thread.View{}
	for _, in := range seen {
		repos = append(repos, in.View())
		r.human = append(r.human, fmt.Sprintf("%v", in.Repo))
		if in.Problem != "" {
			r.warnings = append(r.warnings, in.Repo+": "+in.Problem)
		}
		for _, b := range in.Rows {
			r.human = append(r.human, berthLine(b))
		}
	}
	r.data = thread.View{}.With("repositories", repos)
	return r, nil
}

func berthLine(b thread.Row) string {
	line := fmt.Sprintf("  %-12s %s: %v", b.State(), b.Thread.ID, b.Thread.Goal)
	for _, o := range b.Items {
		line += "  " + string(o.Handle)
	}
	if b.Parked() {
		line += fmt.Sprintf("; wakes %v", b.Check.Wake())
	}
	return model.Text(line).String()
}
