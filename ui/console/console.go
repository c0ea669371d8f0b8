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

// console is the whole screen: the program's only tea.Model. What it knows of the ledger
// (truth, queue, plan) is replaced whole and never edited; where the operator is (place,
// dialog) is its own. It shows nothing before the ledger has answered.
type console struct {
	fx       *effects
	opt      Options
	keys     action.Catalogue
	acts     acts
	styles   *widget.Styles
	terminal terminal
	layout   layout
	now      time.Time

	truth   truth
	trouble *model.Error
	reading reading
	queue   screen.Queue
	plan    plan
	neighbours

	place  place
	layers layers
	drafts map[string]string

	outbox outbox
	notifications
	note     note
	idle     idle
	quitting bool
}

// neighbours are what is known of where an item's work lies: the threads, and file todos.
type neighbours struct {
	threads threads
	files   fileTodos
}

// idle is whether the operator pauses. While not, the queue keeps its order.
type idle struct {
	running bool
	quiet   int
	// kept is the place as it was written down last.
	kept string
}

const idleBeats = 4 // two seconds without a key

func (i idle) touched() bool { return i.running && i.quiet < idleBeats }

// New makes a console. It reads nothing yet; ctx ends all that its effects wait for.
func New(ctx context.Context, o Options) console {
	if o.Settings.Palettes == nil {
		o.Settings = config.Defaults()
	}
	c := console{
		fx: &effects{
			Session: o.Session, ctx: ctx, now: o.Now, newKey: o.NewKey,
			editor: o.Editor, native: o.Native, pages: markdown.NewRenderer(o.Pages),
		},
		opt: o, keys: o.Settings.Table(), acts: newActs(), now: o.Now(), drafts: map[string]string{},
		place:    place{spot: newSpot()},
		terminal: terminal{dark: true, profile: colorprofile.TrueColor},
	}
	if o.Session.Agent != "" {
		c.place = c.place.goTo(o.Session.Agent)
	}
	if o.NoColor {
		c.terminal.profile = colorprofile.ASCII
	}
	c.styles = c.terminal.styles(o)
	if o.FirstRun != nil && o.Session.Ledger == nil {
		c.layers = layers{newWelcome(c.fx, o.FirstRun)}
	}
	c = c.restored(o.Session.Memo)
	if bad := o.Settings.Problems.Bad(); len(bad) > 0 {
		c, _ = c.complain(bad)
	}
	return c
}

// firstRead is how long the first frame waits for a ledger that somebody else holds. The
// console opens without it then, and says who that is.
const firstRead = 300 * time.Millisecond

// Primed is c with its first reading done, so that the first frame is a whole one.
func (c console) Primed() console {
	if c.fx.Ledger == nil {
		return c
	}
	ctx, stop := context.WithTimeout(c.fx.ctx, firstRead)
	defer stop()
	first := *c.fx
	first.ctx = ctx
	c.reading.gen++
	m := first.readLedger(c.reading.gen, c.want())().(truthMsg)
	c, _ = m.handle(c)
	c.reading, c.plan, c.neighbours = reading{failing: c.reading.failing}, plan{}, neighbours{}
	return c
}

// Frame is the screen at a size, without a program around it.
func (c console) Frame(w, h int) string {
	c.layout = layoutOf(w, h, c.place.focus, c.place.zoomed)
	return c.View().Content
}

// Init starts what runs as long as the console: the beat, readings of the ledger, drafts, watchers.
func (c console) Init() tea.Cmd {
	cmds := []tea.Cmd{c.fx.nextBeat(), c.nextSettings()}
	if c.opt.followsBackground() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if c.fx.Ledger != nil {
		cmds = append(cmds, c.fx.opened())
	}
	return tea.Batch(cmds...)
}

// opened is what begins with a ledger.
func (e *effects) opened() tea.Cmd {
	return tea.Batch(func() tea.Msg { return retryMsg{e.now()} }, e.loadDrafts(), e.watch(), e.watchThreads(), e.followFiles())
}

// Update routes a message to the one who understands it, then sees to it that the cursor
// is in sight.
func (c console) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c, cmd := c.route(msg)
	c.layers.refresh(c.files, c.threads)
	c, read := c.then(console.readFinding, console.keepSeen)
	return c.steady(), tea.Batch(cmd, read)
}

// route knows what the operator and the terminal say.
func (c console) route(msg tea.Msg) (console, tea.Cmd) {
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
		c.terminal.dark = m.IsDark()
		return c.restyled()
	case tea.FocusMsg:
		return c.focused(focusHere)
	case tea.BlurMsg:
		return c.focused(focusAway)
	case tea.EnvMsg:
		c.terminal = c.terminal.in(m)
		return c, nil
	case tea.ModeReportMsg:
		c.terminal.clusters = c.terminal.clusters || unicodeCore(m)
		return c.restyled()
	case tea.ColorProfileMsg:
		if !c.opt.NoColor {
			c.terminal.profile = m.Profile
		}
		return c.restyled()
	}
	if m, ok := msg.(message); ok {
		return m.handle(c)
	}
	return c, nil
}

// message is what an effect brings, or what a dialog intends. It knows what it changes.
type message interface {
	handle(console) (console, tea.Cmd)
}

// resized folds the queue to its new room, and reads more rows when there is more.
func (c console) resized(m tea.WindowSizeMsg) (console, tea.Cmd) {
	c.layout = layoutOf(m.Width, m.Height, c.place.focus, c.place.zoomed)
	return c.reorder().then(console.drawPlan, console.read)
}

func (m beatMsg) handle(c console) (console, tea.Cmd) {
	c.now = later(c.now, m.at)
	c, read := c.then(console.readMarks, console.checkWorkTree, console.readAgain)
	return c, tea.Batch(read, c.fx.nextBeat())
}

func (m fadeMsg) handle(c console) (console, tea.Cmd) {
	if c.note.n == m.n && !c.note.isError {
		c.note.text = ""
	}
	return c, nil
}

func (m retryMsg) handle(c console) (console, tea.Cmd) {
	c.now, c.reading.retrying = later(c.now, m.at), false
	return c.read()
}

func (m draftsMsg) handle(c console) (console, tea.Cmd) {
	if m.drafts != nil {
		c.drafts = m.drafts
	}
	return c, nil
}

// steady keeps the cursor's row in sight and scrolls no page beyond its end.
func (c console) steady() console {
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

// handle counts the quiet beats and lets a held order go after the last.
func (m idleMsg) handle(c console) (console, tea.Cmd) {
	c.now = later(c.now, m.at)
	c.idle.quiet++
	c, keep := c.noted()
	if c.idle.touched() {
		return c, tea.Batch(keep, c.fx.nextIdle())
	}
	c.idle.running = false
	return c.showNewest(), keep
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
