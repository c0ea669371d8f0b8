package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
)

func (a *app) demoVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Open the console on scripted agents; nothing is saved",
		Long: "demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.\n" +
			"Without a terminal it says how things stand when the curtain rises.",
	}
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.openDemo(ctx) })
}

func (a *app) openDemo(ctx context.Context) (answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &consoleRun{app: a, ctx: ctx}
	defer r.close()
	session, h, err := r.demo()
	if err != nil {
		return answer{}, err
	}
	if !a.flags.json && a.ttyIn && a.ttyOut {
		o := r.options()
		o.Session = session
		return answer{}, showConsole(ctx, o)
	}
	out := status{Home: "DEMO", Exists: true}
	err = h.View(ctx, func(r model.Reader) error {
		out.Revision, out.Agents = r.Revision(), a.gists(r, "")
		return nil
	})
	return answer{data: out, text: func(p *page) {
		p.line("DEMO: nothing of this is saved; on a terminal the console opens and the agents work")
		p.agents(out.Agents)
	}}, err
}

// demo is a session on a ledger in memory, on which scripted agents begin to play. Its
// plan files lie in a private directory that goes with it.
func (r *consoleRun) demo() (console.Session, *home.Home, error) {
	dir, err := os.MkdirTemp("", "vise-demo-")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, func() { os.RemoveAll(dir) })
	copies, err := files.NewHome(dir)
	if err != nil {
		return console.Session{}, nil, err
	}
	h := home.On(store.NewMem(copies), copies, home.Options{Now: r.now, Dir: dir})
	w := demoWorld{
		Ledger: h, Now: r.now, Sleep: sleep,
		WritePlan: func(agent model.AgentID, id model.ItemID, text string) error {
			return files.WriteAtomic(copies.PlanPath(agent, id), []byte(text))
		},
	}
	if err := w.prepare(r.ctx); err != nil {
		return console.Session{}, nil, err
	}
	plans, err := watchPlans(r.ctx, h, "")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, plans.close)
	r.home = h
	ctx, stop := context.WithCancel(r.ctx)
	r.running.Go(func() { _ = w.play(ctx, demoScript()) })
	r.atEnd = append(r.atEnd, func() { stop(); r.running.Wait() })
	return console.Session{Ledger: h, Plans: plans, SeenPlans: newSeenPlans(dir), Demo: true}, h, nil
}
