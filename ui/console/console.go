package console

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/markdown"
)

// Console is the whole screen: the program's only tea.Model. What it knows of the ledger
// (truth, queue, plan) is replaced whole and never edited; where the operator is (place,
// dialog) is its own. It shows nothing before the ledger has answered.
type Console struct {
	fx     *effects
	opt    Options
	styles *widget.Styles
	paper  paper
	layout layout
	now    time.Time

	truth   truth
	trouble *model.Error
	looking looking
	queue   screen.Queue
	plan    plan
	neighbours

	place  place
	dialog dialog
	// find is the filter while it is typed.
	find   *widget.Field
	drafts map[string]string

	outbox   outbox
	note     note
	calm     calm
	quitting bool
}

// neighbours are what is known of where an item's work lies: its thread, and file todos.
type neighbours struct {
	bookmark bookmark
	radar    radar
	shelf    shelf
}

// calm is whether the operator's hands rest. While they do not, the queue keeps its order.
type calm struct {
	running bool
	quiet   int
	// kept is the place as it was written down last.
	kept string
}

const calmBeats = 4 // two seconds without a key

func (c calm) touched() bool { return c.running && c.quiet < calmBeats }

// New makes a console. It reads nothing yet; ctx ends all that its effects wait for.
func New(ctx context.Context, o Options) Console {
	if o.Settings.Palettes == nil {
		o.Settings = config.Defaults()
	}
	action.Use(o.Settings.Table())
	c := Console{
		fx:  &effects{Session: o.Session, ctx: ctx, now: o.Now, newKey: o.NewKey, editor: o.Editor, native: o.Native, pages: markdown.NewRenderer(o.Pages)},
		opt: o, now: o.Now(), drafts: map[string]string{},
		place: place{spot: newSpot()},
		paper: paper{dark: true, profile: colorprofile.TrueColor},
	}
	if o.Session.Agent != "" {
		c.place = c.place.goTo(o.Session.Agent)
	}
	if o.NoColor {
		c.paper.profile = colorprofile.ASCII
	}
	c.styles = c.paper.styles(o)
	if o.FirstRun != nil && o.Session.Ledger == nil {
		c.dialog = welcome(o.FirstRun)
	}
	return c.restored(o.Session.Memo).misconfigured()
}

// firstLook is how long the first frame waits for a ledger that somebody else holds. The
// console opens without it then, and says who that is.
const firstLook = 300 * time.Millisecond

// Primed is c with its first look done, so that the first frame is a whole one.
func (c Console) Primed() Console {
	if c.fx.Ledger == nil {
		return c
	}
	ctx, stop := context.WithTimeout(c.fx.ctx, firstLook)
	defer stop()
	first := *c.fx
	first.ctx = ctx
	c.looking.gen++
	m := first.look(c.looking.gen, c.want())().(truthMsg)
	c, _ = c.seen(m)
	c.looking, c.plan, c.neighbours = looking{failing: c.looking.failing}, plan{}, neighbours{}
	return c
}

// Frame is the screen at a size, without a program around it.
func (c Console) Frame(w, h int) string {
	c.layout = layoutOf(w, h, c.place.focus, c.place.zoomed)
	return c.View().Content
}

// Init starts what runs as long as the console: looks, the beat, drafts, eyes.
func (c Console) Init() tea.Cmd {
	cmds := []tea.Cmd{c.fx.nextBeat()}
	if c.opt.followsBackground() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	cmds = append(cmds, c.nextSettings())
	if c.fx.Ledger != nil {
		cmds = append(cmds, c.opened())
	}
	return tea.Batch(cmds...)
}

// opened is what begins with a ledger.
func (c Console) opened() tea.Cmd {
	return tea.Batch(func() tea.Msg { return retryMsg{c.fx.now()} }, c.fx.loadDrafts(), c.fx.watch(), c.fx.watchThreads(), c.fx.followFiles())
}

// Update routes a message to the one who understands it, then sees to it that the cursor
// is in sight.
func (c Console) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c, cmd := c.route(msg)
	c, read := c.exhibited()
	c, look := c.lookKept()
	return c.steady(), tea.Batch(cmd, read, look)
}

// route knows what the operator and the terminal say.
func (c Console) route(msg tea.Msg) (Console, tea.Cmd) {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return c.pressed(m)
	case tea.PasteMsg:
		return c.pasted(m.Content)
	case tea.MouseWheelMsg:
		return c.wheeled(m.Mouse())
	case tea.MouseClickMsg:
		return c.clicked(m.Mouse())
	case tea.WindowSizeMsg:
		return c.resized(m)
	case tea.BackgroundColorMsg:
		c.paper.dark = m.IsDark()
		return c.repainted()
	case tea.FocusMsg:
		return c.focused(focusHere)
	case tea.BlurMsg:
		return c.focused(focusAway)
	case tea.EnvMsg:
		c.outbox.calls.terminal = terminalOf(m)
		return c, nil
	case tea.ModeReportMsg:
		return c.measured(m)
	case tea.ColorProfileMsg:
		return c.profiled(m.Profile)
	}
	return c.answer(msg)
}

// resized folds the queue to its new room, and reads more rows when there is more.
func (c Console) resized(m tea.WindowSizeMsg) (Console, tea.Cmd) {
	c.layout = layoutOf(m.Width, m.Height, c.place.focus, c.place.zoomed)
	c = c.reorder()
	c, draw := c.drawPlan()
	c, look := c.look()
	return c, tea.Batch(draw, look)
}

// answer routes what the effects brought.
func (c Console) answer(msg tea.Msg) (Console, tea.Cmd) {
	switch m := msg.(type) {
	case truthMsg:
		return c.seen(m)
	case movedMsg:
		return c.moved(m)
	case receiptMsg:
		return c.received(m)
	case newsMsg:
		return c.informed(m)
	case planMsg:
		return c.planRead(m)
	case laidOutMsg:
		return c.laidOutPlan(m)
	case foundMsg:
		return c.found(m)
	case callMsg:
		return c.call(m)
	case clippedMsg:
		return c.clipped(m)
	case draftsMsg:
		if m.drafts != nil {
			c.drafts = m.drafts
		}
		return c, nil
	case editedMsg:
		return c.edited(m)
	case paperMsg:
		return c.papered(m)
	case writtenMsg:
		return c.written(m)
	case savedMsg:
		return c.savedPlan(m)
	case besideMsg:
		return c.savedBeside(m)
	}
	return c.timed(msg)
}

// timed routes what only time or the first run brings.
func (c Console) timed(msg tea.Msg) (Console, tea.Cmd) {
	switch m := msg.(type) {
	case beatMsg:
		c.now = later(c.now, m.at)
		c, draw := c.readMarks()
		c, card := c.glanceAtTree()
		c, look := c.lookAgain()
		return c, tea.Batch(draw, card, look, c.fx.nextBeat())
	case calmMsg:
		return c.rested(m)
	case fadeMsg:
		if c.note.n == m.n && !c.note.isError {
			c.note.text = ""
		}
	case retryMsg:
		c.now, c.looking.retrying = later(c.now, m.at), false
		return c.look()
	case surveyMsg:
		return c.surveyed(m)
	case linesMsg:
		return c.dryRan(m)
	case sessionMsg:
		return c.started(m)
	case offerMsg:
		return c.offered(m)
	case appliedMsg:
		return c.applied(m)
	case settingsMsg:
		return c.configured(m)
	case ownMsg:
		return c.ranOwn(m)
	case filterSavedMsg:
		return c.filterSaved(m)
	}
	return c.filesSaid(msg)
}

// steady keeps the cursor's row in sight and scrolls no page beyond its end.
func (c Console) steady() Console {
	c.layout = layoutOf(c.layout.w, c.layout.h, c.place.focus, c.place.zoomed)
	switch c.place.view {
	case viewFleet:
		c.place.fleet = c.fleetView().Revealed()
	case viewReports:
		c.place.reports.List = c.place.reports.Reveal(c.reportsView().Height())
	case viewDesk:
		c.place.top = c.queueView().Revealed()
		for _, p := range []pane{paneDetail, paneActivity} {
			if at := c.pageOf(p); c.layout.shows(p) {
				c.place.scrollTo(at, min(c.place.scroll[at], c.lastTop(p)))
			}
		}
	}
	return c
}

// rested counts the quiet beats and lets a held order go after the last.
func (c Console) rested(m calmMsg) (Console, tea.Cmd) {
	c.now = later(c.now, m.at)
	c.calm.quiet++
	c, keep := c.noted()
	c, save := c.autosaved()
	if c.calm.touched() {
		return c, tea.Batch(keep, save, c.fx.nextCalm())
	}
	c.calm.running = false
	return c.let(), tea.Batch(keep, save)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
