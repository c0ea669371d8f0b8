package console

import (
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/console/widget"
)

// ThreadAct is what the operator decided on a thread.
type ThreadAct struct {
	// Repo is the repository's directory.
	Repo    model.Text
	Command thread.Command
	// Item is linked to the thread that the command starts; empty for none.
	Item model.ItemID
}

// radar is what is known of all threads that somebody may take up, as they were read last.
type radar struct {
	seen  []thread.Overview
	known bool
	// asked is the number of the newest reading; older answers are dropped.
	asked int
}

type (
	radarMsg struct {
		n    int
		seen []thread.Overview
	}
	// ranMsg says that a recommended command ended.
	ranMsg struct{ err error }
)

func (e *effects) readRadar(n int) tea.Cmd {
	return func() tea.Msg { return radarMsg{n, e.Threads.Radar(e.ctx)} }
}

func (e *effects) threadAct(seq int, a ThreadAct) tea.Cmd {
	return func() tea.Msg {
		warnings, err := e.Threads.Act(e.ctx, a)
		m := receiptMsg{seq: seq, at: e.now(), err: err}
		for _, w := range warnings {
			m.receipt.Warnings = append(m.receipt.Warnings, model.Warning{Kind: model.WarnThread, Message: w.Raw()}) // raw: made safe where warnings are told
		}
		return m
	}
}

// record gives the terminal to a command that the operator confirmed, word by word.
func (e *effects) record(repo model.Text, argv []string) tea.Cmd {
	var run *exec.Cmd
	run, err := e.Threads.Record(repo, argv)
	if err != nil {
		return func() tea.Msg { return ranMsg{err} }
	}
	return onTerminal(run, func(err error) tea.Msg { return ranMsg{err} })
}

func (c Console) readRadar() (Console, tea.Cmd) {
	if c.fx.Threads == nil {
		return c, nil
	}
	c.radar.asked++
	return c, c.fx.readRadar(c.radar.asked)
}

// showsRadar reports whether the radar is on screen, and so has to follow the threads.
func (c Console) showsRadar() bool {
	_, open := c.layers.top().(*board)
	return open || c.place.view == viewFleet
}

func (m radarMsg) handle(c Console) (Console, tea.Cmd) {
	if m.n == c.radar.asked {
		c.radar.seen, c.radar.known = m.seen, true
	}
	return c, nil
}

// handle says how a recommended command ended, and reads what the thread learned of it.
func (m ranMsg) handle(c Console) (Console, tea.Cmd) {
	said := "It succeeded. If it validates something, that is a fact of the thread now."
	if m.err != nil {
		said = "It failed (" + model.Text(m.err.Error()).String() + "): the thread keeps that as a risk."
	}
	c, note := c.say(said)
	c, card := c.readCard()
	c, radar := c.readRadar()
	return c, tea.Batch(note, card, radar)
}

// threadActed shows what became of an act on a thread.
func (c Console) threadActed(j job, m receiptMsg) (Console, tea.Cmd) {
	if m.err != nil {
		return c.complain(m.err)
	}
	var note tea.Cmd
	if j.said != "" {
		c, note = c.say(c.receiptWords(j.said, m.receipt))
	}
	c, card := c.readCard()
	if !c.showsRadar() {
		return c, tea.Batch(note, card)
	}
	c, radar := c.readRadar()
	return c, tea.Batch(note, card, radar)
}

// board is the branch radar as a dialog: every thread that somebody may take up, what would
// wake the parked ones, and the ways on from the one at the cursor.
type board struct {
	fx    *effects
	radar radar
	at    berthAt
	// repo is the repository of the row at the cursor, of the first without rows.
	repo model.Text
}

// berthAt names a row of the board.
type berthAt struct {
	repo model.Text
	id   thread.ID
}

// openThreads opens the board on the thread of the resume card.
func openThreads(c Console) (Console, tea.Cmd) {
	if c.fx.Threads == nil {
		return c.say("Threads are not read here.")
	}
	d, card := &board{fx: c.fx, repo: c.bookmark.card.Repo}, c.bookmark.card
	switch {
	case card.Thread != nil:
		d.at = berthAt{card.Repo, card.Thread.ID}
	case len(card.Parked) > 0:
		d.at = berthAt{card.Repo, card.Parked[0].Thread.ID}
	}
	c, _ = c.open(d)
	return c.readRadar()
}

// berth is a row of the board.
type berth struct{ action.ThreadRow }

func (b berth) key() berthAt { return berthAt{b.In.Repo, b.Thread.ID} }

func (r radar) rows() []berth {
	var out []berth
	for _, b := range action.ThreadRows(r.seen) {
		out = append(out, berth{b})
	}
	return out
}

// chosen is the row at the cursor; the first without one there.
func (d *board) chosen() (berth, bool) {
	rows := d.radar.rows()
	i := slices.IndexFunc(rows, func(b berth) bool { return b.key() == d.at })
	if i < 0 && len(rows) == 0 {
		return berth{action.NoThread(d.radar.seen)}, false
	}
	return rows[max(i, 0)], true
}

// In is part of widget.Dialog.
func (d *board) In() action.Context { return action.Radar }

// Press is part of widget.Dialog.
func (d *board) Press(k widget.Key, x widget.Context) (widget.Dialog, widget.Result) {
	switch k.ID {
	case "":
		return d, nil
	case action.RadarClose:
		return nil, nil
	case action.RadarDown:
		d.move(1)
		return d, nil
	case action.RadarUp:
		d.move(-1)
		return d, nil
	}
	if !d.radar.known {
		return d, nil
	}
	b, _ := d.chosen()
	for _, w := range b.Actions() {
		switch {
		case w.ID != k.ID:
		case w.Off != "":
			return d, widget.Trouble(x.Keys.Keyed(w.Off))
		default:
			return nil, d.take(x, b, w)
		}
	}
	return d, nil
}

func (d *board) move(by int) {
	rows := d.radar.rows()
	if len(rows) == 0 {
		return
	}
	b, _ := d.chosen()
	i := slices.IndexFunc(rows, func(x berth) bool { return x.key() == b.key() })
	d.at = rows[min(max(i+by, 0), len(rows)-1)].key()
}

// Paste is part of widget.Dialog.
func (d *board) Paste(string) {}
