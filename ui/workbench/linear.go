package workbench

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/cli"
	"vise/ui/config"
	"vise/ui/linear"
)

// linear is the console of lines. The scheduler runs as long as it does.
func (b *bench) linear(agent model.AgentID, s config.Settings) error {
	h, err := b.host.Open()
	if home.NoHome(err) {
		h, err = b.firstLines(agent)
	}
	if err != nil || h == nil {
		return err
	}
	for _, x := range s.Problems.Bad() {
		fmt.Fprintf(b.Out, "Settings: %s\n", x)
	}
	b.schedule(h, 0)
	return linear.Run(b.ctx, linear.Env{
		In: b.In, Out: b.Out, Run: b.host.Run, Ledger: coded{h}, Rooms: b.linearRooms(h),
		Agent: agent, Settings: s, Now: b.Now, NewKey: cli.NewKey,
	})
}

// linearRooms are what a console of lines finds beside the ledger.
func (b *bench) linearRooms(h *home.Home) linear.Rooms {
	files := newFileRoom(b.ctx, workingDir(), b.Now)
	t := newThreadView(b.ctx, h)
	b.atEnd = append(b.atEnd, files.close, t.Close)
	out := linear.Rooms{
		Plans: linePlans{newPapers(h.Files(), h.Dir()), newLooks(h.Dir()), b.host}, Findings: lineFindings{files}, Threads: t,
		Clip: b.clip(newPapers(h.Files(), h.Dir())), RunOwn: runArgv, Against: t.Unsettled,
	}
	if at, err := place(b.Getenv); err == nil {
		out.SaveFilter = saveFilter(at)
	}
	return out
}

// firstLines asks before anything is written where no home is.
func (b *bench) firstLines(agent model.AgentID) (*home.Home, error) {
	if agent == "" {
		agent = proposedAgent()
	}
	dir, err := b.host.HomeDir()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.Out, "There is no vise home in %s yet. Nothing has been written.\nMake it, with an agent called %s? yes or no: ", model.Text(dir), model.Text(agent))
	var in string
	if _, err := fmt.Fscanln(b.In, &in); err != nil || !strings.HasPrefix(strings.ToLower(in), "y") {
		fmt.Fprintln(b.Out, "Nothing was written.")
		return nil, nil
	}
	d, err := b.host.OpenOrCreate()
	if err != nil {
		return d, err
	}
	_, err = b.host.Apply(b.ctx, "", model.AddAgent{AgentID: agent})
	return d, err
}
