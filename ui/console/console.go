package console

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vise/model"
	"vise/themes"
	"vise/ui/markdown"
)

// Console is the whole screen: the program's only tea.Model. What it knows of the ledger
// (truth, queue, plan) is replaced whole and never edited; where the operator is (place,
// dialog) is its own. It shows nothing before the ledger has answered.
type Console struct {
	fx     *effects
	opt    Options
	skin   *skin
	paper  paper
	layout layout
	now    time.Time

	truth   truth
	trouble *model.Error
	looking looking
	queue   queue
	plan    plan

	place  place
	dialog dialog
	// find is the filter while it is typed.
	find   *field
	drafts map[string]string

	outbox   outbox
	note     note
	calm     calm
	quitting bool
}

// looking sees to it that one look at the ledger is under way at a time, and that what the
// screen asks for now is looked at last.
type looking struct {
	gen       uint64
	underWay  bool
	following bool
	retrying  bool
}

// calm is whether the operator's hands rest. While they do not, the queue keeps its order.
type calm struct {
	running bool
	quiet   int
}

const calmBeats = 4 // two seconds without a key

func (c calm) touched() bool { return c.running && c.quiet < calmBeats }

// New makes a console. It reads nothing yet; ctx ends all that its effects wait for.
func New(ctx context.Context, o Options) Console {
	c := Console{
		fx:  &effects{Session: o.Session, ctx: ctx, now: o.Now, newKey: o.NewKey, editor: o.Editor, pages: markdown.NewRenderer()},
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
	c.skin = c.paper.skin(o)
	if o.FirstRun != nil && o.Session.Ledger == nil {
		c.dialog = welcome(o.FirstRun)
	}
	return c
}

// Primed is c with its first look done, so that the first frame is a whole one.
func (c Console) Primed() Console {
	if c.fx.Ledger == nil {
		return c
	}
	c.looking.gen++
	m := c.fx.look(c.looking.gen, c.want())().(truthMsg)
	c, _ = c.seen(m)
	c.looking, c.plan = looking{}, plan{}
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
	if c.opt.Palette == nil && !c.opt.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if c.fx.Ledger != nil {
		cmds = append(cmds, c.opened())
	}
	return tea.Batch(cmds...)
}

// opened is what begins with a ledger.
func (c Console) opened() tea.Cmd {
	return tea.Batch(func() tea.Msg { return retryMsg{c.fx.now()} }, c.fx.loadDrafts(), c.fx.watch())
}

// Update routes a message to the one who understands it, then sees to it that the cursor
// is in sight.
func (c Console) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c, cmd := c.route(msg)
	return c.steady(), cmd
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
		c.layout = layoutOf(m.Width, m.Height, c.place.focus, c.place.zoomed)
		return c.drawPlan()
	case tea.BackgroundColorMsg:
		c.paper.dark = m.IsDark()
		return c.repainted()
	case tea.ColorProfileMsg:
		return c.profiled(m.Profile)
	}
	return c.answer(msg)
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
	case paintedMsg:
		return c.painted(m)
	case draftsMsg:
		if m.drafts != nil {
			c.drafts = m.drafts
		}
		return c, nil
	case editedMsg:
		return c.edited(m)
	}
	return c.timed(msg)
}

// timed routes what only time or the first run brings.
func (c Console) timed(msg tea.Msg) (Console, tea.Cmd) {
	switch m := msg.(type) {
	case beatMsg:
		c.now = later(c.now, m.at)
		c, draw := c.readMarks()
		return c, tea.Batch(draw, c.fx.nextBeat())
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
	case sessionMsg:
		return c.started(m)
	}
	return c, nil
}

// steady keeps the cursor's row in sight and scrolls no page beyond its end.
func (c Console) steady() Console {
	c.layout = layoutOf(c.layout.w, c.layout.h, c.place.focus, c.place.zoomed)
	_, h := c.layout.panes[paneQueue].inner()
	if h > 0 {
		c.place.top = reveal(c.queue.lines(c.layout.queueStyle()), c.place.cursor, c.place.top, h-c.filterRows())
	}
	for _, p := range []pane{paneDetail, paneActivity} {
		if c.layout.shows(p) {
			at := c.pageOf(p)
			c.place.scrollTo(at, min(c.place.scroll[at], c.lastTop(p)))
		}
	}
	return c
}

// want is what the screen asks of the ledger now.
func (c Console) want() want {
	return want{agent: c.place.agent, item: c.place.cursor, all: c.place.unfolded || c.place.filter != "" || c.find != nil}
}

// look reads the ledger, unless a look is under way: then its answer starts the next.
func (c Console) look() (Console, tea.Cmd) {
	c.looking.gen++
	if c.looking.underWay || c.fx.Ledger == nil {
		return c, nil
	}
	c.looking.underWay = true
	return c, c.fx.look(c.looking.gen, c.want())
}

// seen takes what a look found, if it is not older than what is known.
func (c Console) seen(m truthMsg) (Console, tea.Cmd) {
	c.looking.underWay, c.now = false, later(c.now, m.at)
	if m.err != nil {
		return c.troubled(m.err)
	}
	c.trouble = nil
	var cmds []tea.Cmd
	if c.place.agent == "" && m.truth.want.agent != "" {
		c.place = c.place.goTo(m.truth.want.agent)
	}
	sameDesk := m.truth.want.agent == c.place.agent
	if sameDesk && (m.truth.revision >= c.truth.revision || c.truth.want.agent != c.place.agent) {
		c = c.adopt(m.truth)
	}
	if !c.looking.following {
		c.looking.following = true
		cmds = append(cmds, c.fx.follow(m.truth.revision))
	}
	if c.looking.gen != m.gen || sameDesk && c.place.cursor != "" && c.detail() == nil {
		var again tea.Cmd
		c, again = c.look()
		cmds = append(cmds, again)
	}
	c, plan := c.openPlan()
	return c, tea.Batch(append(cmds, plan)...)
}

// adopt makes t the truth. The queue takes the new order only when the operator's hands
// rest; the cursor stays on its item.
func (c Console) adopt(t truth) Console {
	same := c.truth.want.agent == t.want.agent && c.truth.want.all == t.want.all
	c.truth = t
	next := project(t.desk, parseFilter(c.filterText(), c.now))
	if same && c.calm.touched() && len(c.queue.order) > 0 && !c.queue.sameOrder(next) {
		c.queue = c.queue.hold(next)
		return c
	}
	return c.order(next)
}

// order shows a new queue.
func (c Console) order(next queue) Console {
	c.place.cursor = next.neighbour(c.queue, c.place.cursor)
	c.queue = next
	return c
}

// reorder projects the truth again: the filter changed, or a held order may go.
func (c Console) reorder() Console {
	return c.order(project(c.truth.desk, parseFilter(c.filterText(), c.now)))
}

// detail is the detail of the item under the cursor, if the ledger has told it.
func (c Console) detail() *model.Detail {
	if d := c.truth.detail; d != nil && d.ID == c.place.cursor {
		return d
	}
	return nil
}

// row is the row under the cursor, as drawn.
func (c Console) row() *model.Row { return c.queue.row(c.place.cursor) }

// moved looks again when the ledger moved, and goes on following.
func (c Console) moved(m movedMsg) (Console, tea.Cmd) {
	c.now = later(c.now, m.at)
	if m.err != nil {
		c.looking.following = false
		if c.fx.ctx.Err() != nil {
			return c, nil
		}
		return c.troubled(m.err)
	}
	c, look := c.look()
	return c, tea.Batch(look, c.fx.follow(m.revision))
}

// rested counts the quiet beats and lets a held order go after the last.
func (c Console) rested(m calmMsg) (Console, tea.Cmd) {
	c.now = later(c.now, m.at)
	c.calm.quiet++
	if c.calm.touched() {
		return c, c.fx.nextCalm()
	}
	c.calm.running = false
	if c.queue.held {
		c = c.reorder()
	}
	return c, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// paper is what the terminal can show.
type paper struct {
	dark    bool
	profile colorprofile.Profile
}

func (p paper) skin(o Options) *skin {
	palette := themes.For(p.dark, p.profile)
	if o.Palette != nil {
		palette = o.Palette.On(p.profile)
	}
	return newSkin(palette, o.ASCII)
}

func (c Console) repainted() (Console, tea.Cmd) {
	c.skin = c.paper.skin(c.opt)
	return c.drawPlan()
}

func (c Console) profiled(p colorprofile.Profile) (Console, tea.Cmd) {
	if c.opt.NoColor {
		return c, nil
	}
	c.paper.profile = p
	return c.repainted()
}
