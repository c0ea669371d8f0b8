package cli

import (
	"context"

	"vise/model"
	"vise/store/home"
)

// status is the data of status.
type status struct {
	Home string `json:"home"`
	// Exists is false where no home has been made yet.
	Exists   bool        `json:"exists"`
	HomeID   string      `json:"home_id,omitempty"`
	Revision uint64      `json:"revision"`
	Agents   []agentGist `json:"agents"`
	// Degraded are the ways in which the ledger works less well than it should.
	Degraded []model.Condition `json:"degraded"`
}

func (a *app) status(ctx context.Context) (answer, error) {
	dir, err := a.homeDir()
	if err != nil {
		return answer{}, err
	}
	out := status{Home: dir, Agents: []agentGist{}, Degraded: []model.Condition{}}
	d, err := a.open()
	if home.NoHome(err) {
		return answer{data: out, text: func(p *page) { p.noHome(dir) }}, nil
	}
	if err != nil {
		return answer{}, err
	}
	out.Exists, out.HomeID = true, d.Ledger().Home().ID
	err = d.View(ctx, func(r model.Reader) error {
		only, err := a.namedAgent()
		if err == nil && only != "" {
			only, err = a.knownAgent(r)
		}
		if err != nil {
			return err
		}
		out.Revision, out.Agents = r.Revision(), a.gists(r, only)
		return nil
	})
	out.Degraded = append(out.Degraded, conditions(d, d.Conditions(ctx))...)
	return answer{data: out, text: func(p *page) { p.status(out) }}, err
}

func (p *page) noHome(dir string) {
	p.line("no vise home in %s yet", model.Text(dir))
	p.line("vise new OBJECTIVE makes one with its first work item; vise demo shows what it is like")
}

func (p *page) status(s status) {
	p.line("%s", p.muted(model.Text(s.Home).String()))
	if len(s.Agents) == 0 {
		p.line("no agents yet; vise new OBJECTIVE makes the first work item")
	}
	p.agents(s.Agents)
	for _, x := range s.Degraded {
		p.line("%s: %s; %s", x.Code, model.Text(x.Message), model.Text(x.Hint))
	}
}
