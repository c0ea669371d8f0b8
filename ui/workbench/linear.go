package workbench

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/cli"
	"vise/ui/config"
	"vise/ui/linear"
	"vise/ui/resume"
	"vise/ui/scheduler"
)

// linear is the console of lines. The scheduler runs as long as it does.
func (b *bench) linear(agent model.AgentID, s config.Settings) error {
	d, err := b.host.Open()
	if cli.NoHome(err) {
		d, err = b.firstLines(agent)
	}
	if err != nil || d.Ledger == nil {
		return err
	}
	for _, x := range s.Problems.Bad() {
		fmt.Fprintf(b.Out, "Settings: %s\n", x)
	}
	b.schedule(d.Ledger, 0)
	room := b.host.Room(model.Operator)
	followed := cli.Threaded{Ledger: d.Ledger, Room: room}
	return linear.Run(b.ctx, linear.Env{
		In: b.In, Out: b.Out, Run: b.host.Run, Ledger: followed, Rooms: b.linearRooms(d, room, followed),
		Agent: agent, Settings: s, Now: b.Now, NewKey: cli.NewKey,
	})
}

// linearRooms are what a console of lines finds beside the ledger.
func (b *bench) linearRooms(d cli.Door, room resume.Room, l cli.Threaded) linear.Rooms {
	files := newFileRoom(b.ctx, workingDir(), b.Now)
	t := newThreadView(b.ctx, room, l)
	b.atEnd = append(b.atEnd, scheduler.Attend(d.Dir), files.close, t.Close)
	out := linear.Rooms{
		Plans: linePlans{newPapers(d.Files, d.Dir), newLooks(d.Dir), b.host}, Findings: lineFindings{files}, Threads: t,
		Clip: b.clip(newPapers(d.Files, d.Dir)), RunOwn: runArgv, Against: room.Before,
	}
	if at, err := place(b.Getenv); err == nil {
		out.SaveFilter = saveFilter(at)
	}
	return out
}

// firstLines asks before anything is written where no home is.
func (b *bench) firstLines(agent model.AgentID) (cli.Door, error) {
	if agent == "" {
		agent = proposedAgent()
	}
	dir, err := b.host.HomeDir()
	if err != nil {
		return cli.Door{}, err
	}
	fmt.Fprintf(b.Out, "There is no vise home in %s yet. Nothing has been written.\nMake it, with an agent called %s? yes or no: ", model.Text(dir), model.Text(agent))
	var in string
	if _, err := fmt.Fscanln(b.In, &in); err != nil || !strings.HasPrefix(strings.ToLower(in), "y") {
		fmt.Fprintln(b.Out, "Nothing was written.")
		return cli.Door{}, nil
	}
	d, err := b.host.OpenOrCreate()
	if err != nil {
		return d, err
	}
	_, err = b.host.Apply(b.ctx, "", model.AddAgent{AgentID: agent})
	return d, err
}
