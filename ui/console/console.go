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
	"vise/ui/markdown"
)

// console is the whole screen: the program's only tea.Model. Its data of the ledger (truth, queue, plan) is
// replaced as a whole and never edited. The operator's position (place, layers) is its own. It shows nothing
// before the ledger has answered.
type console struct {
	fx       *effects
	opt      Options
	keys     action.Catalogue
	acts     acts
	styles   *screen.Styles
	terminal terminal
	layout   layout
	now      time.Time

	truth   truth
	trouble *model.Error
	reading reading
	queue   screen.Queue
	plan    plan
	neighbours

	place
	layers layers
	drafts map[string]string

	// started are the effects of the message in hand.
	started []tea.Cmd
	outbox  outbox
	hits    hits
	recent  []action.ID
	notifications
	note     note
	idle     idle
	quitting bool
}

// neighbours belong to an item's work: threads, file todos, sessions, its changes, and the work trees of
// its checks.
type neighbours struct {
	threads threads
	files   fileTodos
	changes itemChanges
	talk    talk
	checked checkedTrees
}

// idle says whether the operator pauses. While the operator is active, the queue keeps its order.
type idle struct {
	running bool
	quiet   int
	// kept is the place as last stored.
	kept string
	// lastKey is the time of the last key, in this console or an earlier one. away is the time of the last key
	// before a long absence.
	lastKey, away time.Time
}

const idleBeats = 4 // two seconds without a key

func (i idle) touched() bool { return i.running && i.quiet < idleBeats }

// New makes a console. It reads nothing yet. ctx ends everything that its effects wait for.
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
		neighbours: neighbours{talk: talk{sent: map[model.AgentID][]model.Text{}}},
		place:      place{spot: newSpot()},
		terminal:   terminal{dark: true, profile: colorprofile.TrueColor},
	}
	if o.Session.Agent != "" {
		c.place = c.place.goTo(o.Session.Agent)
	}
	if o.NoColor {
		c.terminal.profile = colorprofile.ASCII
	}
	c.styles, c.terminal.theme = c.terminal.styles(o), o.Settings.Theme
	if o.FirstRun != nil && o.Session.Ledger == nil {
		c.layers = layers{newWelcome(c.fx, o.FirstRun)}
	}
	restored(&c, o.Session.Memo)
	if o.Session.Demo {
		c.note.text = c.keys.Keyed("A demo: when its agent asks, {do} answers; {message} tells it something, " +
			"{view-fleet} shows all agents. {help} says what the keys do.")
	}
	if o.Session.Ledger != nil && c.idle.cameBack(c.now) {
		c.layers = layers{newBrief()}
	}
	if len(o.Settings.Problems) > 0 {
		c.complain(o.Settings.Problems)
	}
	return c
}

// firstRead is how long the first frame waits for a ledger that another process holds. After that the console
// opens without data and names that process.
const firstRead = 300 * time.Millisecond

// Primed is c with its first read done, so that the first frame is complete.
func (c console) Primed() console {
	if c.fx.Ledger == nil {
		return c
	}
	ctx, stop := context.WithTimeout(c.fx.ctx, firstRead)
	defer stop()
	first := *c.fx
	first.ctx = ctx
	c.reading.gen++
	first.readLedger(c.reading.gen, c.want(), c.truth)().(truthMsg).handle(&c)
	c.reading, c.plan, c.neighbours, c.started = reading{failing: c.reading.failing}, plan{}, neighbours{talk: c.talk}, nil
	if d := c.truth.detail; d != nil && d.Plan.Condition == model.PlanOK {
		c.fx.pages.Prepare()
	}
	return c
}

// Init starts everything that runs as long as the console: the beat, reads of the ledger, drafts, watchers.
func (c console) Init() tea.Cmd {
	c.start(c.fx.nextBeat(), c.fx.opened(), briefed(c))
	c.nextSettings()
	c.askBackground()
	return tea.Batch(c.started...)
}

// start carries out effects once the message in hand is handled.
func (c *console) start(effects ...tea.Cmd) { c.started = append(c.started, effects...) }

// opened starts everything that needs a ledger.
func (e *effects) opened() tea.Cmd {
	if e.Ledger == nil {
		return nil
	}
	return tea.Batch(func() tea.Msg { return tickMsg{e.now(), retry} }, e.loadDrafts(), e.watch(), e.followOthers())
}

// Update passes a message to its handler, then scrolls to the cursor if needed. It changes a copy, so an
// effect's view of the console does not change.
func (c console) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c.started = nil
	c.route(msg)
	c.layers.refresh(&c)
	readFinding(&c)
	followChanges(&c)
	followTrees(&c)
	followSession(&c)
	c.start(c.plan.keepSeen(c.fx))
	lookOn(&c)
	themed(&c)
	readShown(&c)
	c.steady()
	return c, tea.Batch(c.started...)
}

// route handles messages of the operator and the terminal.
func (c *console) route(msg tea.Msg) {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		c.pressed(m)
		c.lookedAt()
	case tea.PasteMsg:
		pasted(c, m.Content)
	case tea.MouseWheelMsg:
		wheeled(c, m.Mouse())
	case tea.MouseClickMsg:
		clicked(c, m.Mouse())
	case tea.WindowSizeMsg:
		c.resized(m)
	case tea.BackgroundColorMsg:
		c.terminal.dark = m.IsDark()
		c.restyled()
	case tea.FocusMsg:
		c.notifications = c.notifications.focused(focusHere, c.truth.inbox)
	case tea.BlurMsg:
		c.notifications, c.plan.opened = c.notifications.focused(focusAway, c.truth.inbox), nil
	case tea.EnvMsg:
		c.terminal = c.terminal.in(m)
	case tea.ModeReportMsg:
		c.terminal.clusters = c.terminal.clusters || unicodeCore(m)
		c.restyled()
	case tea.ColorProfileMsg:
		if !c.opt.NoColor {
			c.terminal.profile = m.Profile
		}
		c.restyled()
	case message:
		m.handle(c)
	}
}

// message is the result of an effect or a dialog. Its handle method changes the console.
type message interface {
	handle(*console)
}

// resized fits the queue to its new height, and reads more rows if there is more space.
func (c *console) resized(m tea.WindowSizeMsg) {
	c.layout = layoutOf(m.Width, m.Height, c.focus, c.zoomed)
	c.reorder()
	c.drawPlan()
	c.read()
}

// beaten runs every 15 seconds.
func beaten(c *console) {
	c.checkWorkTree()
	if !c.truth.at.IsZero() && c.now.Sub(c.truth.at) >= staleAfter {
		c.read()
	}
	c.start(c.fx.nextBeat())
}

// retry runs after a read that failed.
func retry(c *console) {
	c.reading.retrying = false
	c.read()
}

// steady keeps the cursor's row visible, and stops each page's scroll at its end.
func (c *console) steady() {
	c.layout = layoutOf(c.layout.w, c.layout.h, c.focus, c.zoomed)
	switch c.view {
	case viewFleet:
		c.fleet = c.fleetView().Revealed()
	case viewReports:
		c.reports.List = c.reports.Reveal(c.reportsView().Height())
	case viewDesk:
		c.top = c.queueView().Revealed()
		if c.tab == screen.TabChanges {
			c.changes.List = c.changes.Reveal(c.detailView().ChangesHeight())
		}
		for _, p := range []pane{paneDetail, paneActivity} {
			if at := c.pageOf(p); c.layout.shows(p) {
				c.scrollTo(at, min(c.place.scroll[at], c.lastTop(p)))
			}
		}
	}
}

// rested counts the beats without a key. After the last one, the queue takes its new order.
func rested(c *console) {
	c.idle.quiet++
	noted(c)
	if c.idle.touched() {
		c.start(c.fx.after(idleBeat, rested))
		return
	}
	c.idle.running = false
	if c.layers.dialog() == nil {
		c.showNewest()
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
