// Package console is the operator's interface in the terminal: one screen that shows the ledger, explains the
// scheduler's order, and shows a plan while it is written. It promises that what is on screen is what the ledger
// answered, that no key is lost or meant for something that the operator did not see, and that nothing typed is
// lost.
//
// # Truth apart from view state
//
// Type console is the only model of Bubble Tea. Update changes a copy of it, so what an effect or a test holds
// does not change.
//
// What was read (truth, queue, plan, neighbours) comes from one read at one revision, is replaced as a whole, and
// is never edited. A read of a lower revision is dropped. Nothing is shown before the ledger has answered: the
// console never guesses the result of a command. While the operator is active, lists keep the order that is drawn
// (queue.Held); the newest order comes when the operator pauses.
//
// Where the operator is (place: view, agent, cursor, tab, filter, marks, scrolling; layers: the open dialogs) is
// the console's own. It names rows by id, never by number, so it survives every read; place.go stores it for the
// next console in the same terminal.
//
// # Effects
//
// Methods of effects are the only code that waits, reads a clock or touches anything outside. What handles a
// message calls start with what it wants done, and Update hands all of it to Bubble Tea, which runs each in its
// own goroutine and keeps no order among them. The result is a message with a handle method; mostly an act, a
// function of the console. Rules that follow from the missing order: one read of the ledger at a time, and the
// last request is always served (reading.go); one layout of the plan at a time (plan.go); a result that is about
// another item, filter or revision than the one on screen is dropped.
//
// # Outbox
//
// Commands leave one at a time, so that they are committed in the order of the keys, and quitting waits for the
// last one (outbox.go). A dialog that has sent its command stays open until the receipt: a success closes it and
// deletes its draft, a refusal lets the operator continue.
//
// # Scopes of keys
//
// A key goes to the topmost scope in which it means something (layers.go): the keys that mean the same everywhere;
// the first key after a long absence, which shows the brief; the topmost layer, that is a dialog or a prompt; the
// page of the detail (files, changes); the view. In each scope the catalogue of package action says which action a
// key means, so that help, hints and keys agree. An action is refused with its reason if the state does not allow
// it. Only the operator's keys, or the answer to what the operator submitted, close a layer: if another actor
// makes a dialog pointless, it is frozen with its text (frozen), and changes by others never take the keys from
// somebody who types.
//
// # Drawing
//
// View is a function of the state. Package screen draws screens from values that hold what they show. A dialog
// gets facts, and returns its box and the hint line for its keys.
//
// Read console.go first (the way of a message), then reading.go, place.go, effects.go, outbox.go, act.go (what an
// action does), layers.go, dialog.go with form.go and menu.go (most dialogs), and view.go.
package console

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/themes"
	"vise/ui/config"
	"vise/ui/markdown"
)

// Ledger is the part of the ledger that the console needs.
type Ledger interface {
	// Apply judges and saves one command. After an error that is not from the rules, the outcome is unknown:
	// the envelope's key decides it on a retry.
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	// View reads at one revision.
	View(context.Context, func(model.Reader) error) error
	// Follow returns the ledger's revision once it is greater than after, whoever made the change.
	Follow(ctx context.Context, after uint64) (uint64, error)
}

// plans read the plan files and report their changes. The console never records what they read: the provider of
// the Plans also applies RefreshPlan.
type plans interface {
	// Plan reads the current plan of an item. A bad plan is a condition, not an error.
	Plan(ctx context.Context, agent model.AgentID, id model.ItemID) PlanText
	// Watch says which items are on screen, the visible plan first. It does not block.
	Watch(agent model.AgentID, items []model.ItemID)
	// Next waits for news. Only one goroutine calls it at a time.
	Next(context.Context) (News, error)
}

// PlanText is a plan file, read in one piece.
type PlanText struct {
	// Artifact describes the file; its Path is absolute.
	Artifact model.PlanArtifact
	// Text is the whole file if Artifact's condition is ok.
	Text model.Text
	// Reason is the cause of a bad condition, in words.
	Reason string
	// Unsettled: a program is writing the file now. The screen keeps the text that it shows.
	Unsettled bool
}

// News says which plans may have changed, and how files are watched.
type News struct {
	// Items are the items whose plan may have changed.
	Items []model.ItemID
	// All: any plan may have changed (events were lost, or files are polled).
	All bool
	// Mode is empty while the operating system reports changes, or else a sentence for the screen: "watching by
	// polling, every 2s (inotify limit reached)".
	Mode string
}

// drafts keep the text of dialogs that were closed without saving.
type drafts interface {
	// Load reads all drafts.
	Load(context.Context) (map[string]string, error)
	// Save keeps the draft under key, or deletes it if text is empty.
	Save(ctx context.Context, key, text string) error
}

// editor makes the command that opens a file in the operator's editor. Its working directory is the home,
// because an agent can write to the plan's directory.
type editor func(path string) (*exec.Cmd, error)

// Session is the data and services that the console works on.
type Session struct {
	Ledger Ledger
	// Agent is the agent whose desk is shown first; empty: the ledger's first agent.
	Agent  model.AgentID
	Plans  plans
	Drafts drafts
	// Keeper saves the operator's place. Memo is the last saved place. Both may be nil.
	Keeper Keeper
	Memo   *Memo
	// SeenPlans may be nil. Then a plan is compared with its text at the time when the cursor reached it.
	SeenPlans   seenPlans
	EditBuffers editBuffers
	// Saves may be nil. Then there is no history of plans.
	Saves planSaves
	// Files may be nil. Then there are no file todos.
	Files files
	// Threads may be nil. Then there is no tab Thread.
	Threads Threads
	// Changes may be nil. Then there is no tab Changes.
	Changes Diffs
	// Sessions may be nil. Then there is no tab Session.
	Sessions Sessions
	// Demo: the screen says that nothing is saved.
	Demo bool
	// ReadOnly is the reason why changes are refused; empty if they are allowed.
	ReadOnly string
}

// Options are the inputs that the console cannot find out by itself.
type Options struct {
	Session
	// FirstRun is shown instead of a desk if there is no ledger. Session.Ledger is then nil.
	FirstRun *FirstRun
	// Settings are the operator's settings. The zero value means the defaults.
	Settings config.Settings
	// NextSettings waits for a change of the settings; nil: they never change.
	NextSettings func(context.Context) (config.Settings, error)
	// NoColor: the screen uses weights, reverse video and marks instead of colours.
	NoColor bool
	// ASCII draws glyphs and borders in ASCII.
	ASCII  bool
	Editor editor
	// RunCustom runs custom commands; nil: there are none. SaveFilter writes a filter to the configuration;
	// nil: the configuration cannot be changed.
	RunCustom runCustom
	// Start starts the program of an agent, or of an item's agent, and returns what it says. With get it first installs the program if it
	// is missing, else its error is then acp.NotInstalled. It may be nil.
	Start      func(ctx context.Context, ref string, get bool) (string, error)
	SaveFilter func(ctx context.Context, name, words string) error
	// SaveSetting changes a setting of one word in the configuration; nil: the configuration cannot be changed.
	SaveSetting func(ctx context.Context, name, value string) error
	// ReadLine parses a verb and its arguments for the item on screen, and sends nothing. LineVerbs are the
	// verbs that it accepts.
	ReadLine  readLine
	LineVerbs []string
	// Pages lay out Markdown; nil: Markdown is shown as written.
	Pages markdown.Engine
	// Native may be nil. Then only the terminal provides a clipboard and notifications.
	Native native
	// Now and NewKey are the only clock and the only source of idempotency keys.
	Now    func() time.Time
	NewKey func() string
}

// FirstRun is what the operator can do without a ledger. Nothing is written before Start.
type FirstRun struct {
	// Home is the directory of the new ledger, Dir the one in which programs are started.
	Home, Dir string
	// Agents are the proposed agents: one for each found program. If none was found, there is one, and the
	// operator enters its name.
	Agents []model.AgentID
	// Programs are the found programs of agents. Lines is the text that vise install would add to the settings of
	// some of them. It writes nothing.
	Programs []string
	Lines    func(ctx context.Context, programs []string) (model.Text, error)
	// Start creates a home with these agents, gives the first of them an item with the objective unless it is empty,
	// and shows its desk; without agents it shows the demo.
	Start func(ctx context.Context, agents []model.AgentID, objective model.Text) (Session, error)
}

// nextSettings waits until the operator changes the configuration or a theme.
func (c *console) nextSettings() {
	next, ctx := c.opt.NextSettings, c.fx.ctx
	if next == nil {
		return
	}
	c.start(func() tea.Msg {
		s, err := next(ctx)
		return act(func(c *console) {
			if err == nil { // else the console is about to end
				settingsCame(c, s)
			}
		})
	})
}

// settingsCame takes changed settings. If a file has an error, the console keeps all its settings and shows the error.
func settingsCame(c *console, s config.Settings) {
	c.nextSettings()
	if len(s.Problems) > 0 {
		c.complain(s.Problems)
		return
	}
	c.opt.Settings, c.keys = s, s.Table()
	c.restyled()
	c.say("Settings taken.")
	c.askBackground()
}

// ascii reports whether glyphs are drawn in ASCII.
func (o Options) ascii() bool {
	return o.Settings.Glyphs == config.GlyphsASCII || o.ASCII && o.Settings.Glyphs != config.GlyphsUnicode
}

// askBackground asks for the terminal's background colour if something depends on it.
func (c *console) askBackground() {
	if c.opt.NoColor || c.opt.Settings.Theme != config.ThemeAuto {
		return
	}
	c.start(tea.RequestBackgroundColor)
}

// fps is how often Bubble Tea wakes to look for a frame to write, also at rest. A key waits for its frame for 8 ms in the median.
const fps = 60

// Run shows the console in the terminal until the operator quits, and then ends everything that it waits for.
// It returns after all pending saves are done, unless the operator quit twice.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	set := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(fps)}
	if profile, _, ok := themes.Profile(string(o.Settings.Colours), os.Environ()); o.NoColor {
		set = append(set, tea.WithColorProfile(colorprofile.ASCII))
	} else if ok {
		set = append(set, tea.WithColorProfile(profile))
	}
	if o.Settings.WindowTitle { // the terminal keeps its own title meanwhile (xterm's stack of titles, which tmux has too)
		fmt.Print(ansi.WindowOp(22, 2))
		defer fmt.Print(ansi.WindowOp(23, 2))
	}
	last, err := tea.NewProgram(New(ctx, o).Primed(), set...).Run()
	c, ok := last.(console)
	if ok && c.fx.Keeper != nil {
		_ = c.fx.Keeper.Keep(context.WithoutCancel(ctx), c.memo()) // optional: an error here is ignored
	}
	if err == nil && ok {
		if !c.fx.Demo {
			fmt.Print(stillRuns(c.talk.all))
		}
		return c.outbox.ended()
	}
	return err
}
