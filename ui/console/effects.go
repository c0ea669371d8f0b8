package console

import (
	"context"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/home"
	"vise/ui/markdown"
)

// effects are the only code that waits, reads a clock or touches anything outside. Each returns a tea.Cmd whose
// message carries the result and its time.
type effects struct {
	Session
	ctx    context.Context
	now    func() time.Time
	newKey func() string
	editor editor
	native native
	pages  *markdown.Renderer
}

// The results of effects.
type (
	// truthMsg is the result of a read. gen tells whether the screen still needs it.
	truthMsg struct {
		gen   uint64
		truth truth
		at    time.Time
		// took is the duration of the read.
		took time.Duration
		err  error
	}
	// movedMsg says that the ledger is past a revision.
	movedMsg struct {
		revision uint64
		at       time.Time
		// same: it is not; but what was read is known to be old, or no longer is.
		same bool
		err  error
	}
	// receiptMsg answers the job with that number.
	receiptMsg struct {
		seq     int
		receipt model.Receipt
		at      time.Time
		err     error
	}
	planMsg struct {
		item   model.ItemID
		file   PlanText
		doc    *markdown.Document
		hidden bool
		at     time.Time
		// before is the plan as an earlier console left it, if requested and known.
		before *seenPlan
	}
	editedMsg struct{ err error }
	// tickMsg brings an action for an instant.
	tickMsg struct {
		at time.Time
		do act
	}
)

func (m tickMsg) handle(c *console) {
	c.now = later(c.now, m.at)
	m.do(c)
}

// after runs an action when the time is over.
func (e *effects) after(while time.Duration, do act) tea.Cmd {
	return tea.Tick(while, func(time.Time) tea.Msg { return tickMsg{e.now(), do} })
}

// following waits for news and reads again, in a loop. It ends silently when the console ends or the watch
// fails. R still reads then.
func (e *effects) following(next func(context.Context) error, read act) tea.Cmd {
	return func() tea.Msg {
		if next(e.ctx) != nil {
			return nil
		}
		return act(func(c *console) { read(c); c.start(e.following(next, read)) })
	}
}

// attempt is an effect whose error is shown.
func attempt(do func() (tea.Msg, error)) tea.Cmd {
	return func() tea.Msg {
		m, err := do()
		if err != nil {
			return complainMsg{err}
		}
		return m
	}
}

// The intervals of the screen.
const (
	beat       = 15 * time.Second
	idleBeat   = 500 * time.Millisecond
	fadeAfter  = 8 * time.Second
	retryEvery = time.Second
)

func (e *effects) readLedger(gen uint64, w want, before truth) tea.Cmd {
	return func() tea.Msg {
		var t truth
		began := e.now()
		err := e.Ledger.View(e.ctx, func(r model.Reader) error {
			t = readTruth(r, w, e.now(), before)
			return nil
		})
		if l, ok := e.Ledger.(conditioned); ok && err == nil {
			t.conditions = l.Conditions(e.ctx)
		}
		if l, ok := e.Ledger.(hosted); ok {
			t.hosts = l.States()
		}
		at := e.now()
		return truthMsg{gen: gen, truth: t, at: at, took: at.Sub(began), err: err}
	}
}

// follow waits until the ledger changes, and at least until the pause is over.
func (e *effects) follow(after uint64, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		home.Pause(e.ctx, pause) // Follow ends with the context too
		rev, err := e.Ledger.Follow(e.ctx, after)
		return movedMsg{rev, e.now(), rev == after, err}
	}
}

func (e *effects) loadDrafts() tea.Cmd {
	return func() tea.Msg {
		d, err := e.Drafts.Load(e.ctx)
		if err != nil || d == nil {
			return nil // without drafts nothing of the ledger is lost
		}
		return act(func(c *console) {
			c.drafts = d
		})
	}
}

// watch waits until a plan may have changed.
func (e *effects) watch() tea.Cmd {
	return func() tea.Msg {
		news, err := e.Plans.Next(e.ctx)
		return act(func(c *console) { newsCame(c, news, err) })
	}
}

// readPlan reads a plan file. If a list of visible items is given, it watches their plans.
func (e *effects) readPlan(agent model.AgentID, id model.ItemID, visible ...model.ItemID) tea.Cmd {
	if id == "" {
		return nil
	}
	return func() tea.Msg {
		if len(visible) > 0 {
			e.Plans.Watch(agent, visible)
		}
		m := planMsg{item: id, file: e.Plans.Plan(e.ctx, agent, id), at: e.now()}
		if hasText(m.file.Artifact.Condition) {
			m.doc, m.hidden = markdown.Split(m.file.Text), m.file.Text.Hidden()
			if len(visible) > 0 {
				m.before = e.seenBefore(id)
			}
		}
		return m
	}
}

// onTerminal gives the terminal to a program until it ends.
func onTerminal(cmd *exec.Cmd, ended tea.ExecCallback) tea.Cmd {
	if cmd.Stdout == nil {
		cmd.Stdout = os.Stdout // Bubble Tea's own writer is no terminal for other programs
	}
	return tea.ExecProcess(cmd, ended)
}

// edit gives the terminal to the operator's editor.
func (e *effects) edit(path string) tea.Cmd {
	cmd, err := e.editor(path)
	if err != nil {
		return func() tea.Msg { return editedMsg{err} }
	}
	return onTerminal(cmd, func(err error) tea.Msg { return editedMsg{err} })
}

func (e *effects) nextBeat() tea.Cmd {
	return tea.Every(beat, func(time.Time) tea.Msg { return tickMsg{e.now(), beaten} })
}
