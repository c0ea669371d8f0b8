// Package console is the operator's frontend: one terminal screen on the ledger, in which
// the scheduler's order explains itself and a plan is read while it is written.
//
// Read console.go first (what the console is and how a message finds its way), then reading.go
// (what it knows of the ledger, and how it comes to know it), place.go (where the operator is),
// effects.go (the only code here that waits for anybody), outbox.go (how a command leaves), act.go
// (what a key does), layers.go (how dialogs get keys and what becomes of their results) and view.go
// (what is drawn). The parts of dialogs are in widget, the drawing of screens in screen.
package console

import (
	"context"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vise/model"
	"vise/themes"
	"vise/ui/config"
	"vise/ui/markdown"
)

// Ledger is what the console needs of the ledger.
type Ledger interface {
	// Apply judges and saves one command; an error that is not the rules' own leaves the
	// outcome to the envelope's key.
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	// View reads at one revision.
	View(context.Context, func(model.Reader) error) error
	// Follow returns the ledger's revision once it is past after, whoever moved it.
	Follow(ctx context.Context, after uint64) (uint64, error)
}

// plans read the plan files and tell when they change. The console never records what they
// see: whoever supplies the Plans also applies RefreshPlan.
type plans interface {
	// Plan reads the plan of an item as it is now. A bad plan is a condition, not an error.
	Plan(ctx context.Context, agent model.AgentID, id model.ItemID) PlanText
	// Watch says which items are on screen, the visible plan first. It does not wait.
	Watch(agent model.AgentID, items []model.ItemID)
	// Next waits for news; it is called by one goroutine at a time.
	Next(context.Context) (News, error)
}

// PlanText is a plan file as it was read, in one piece.
type PlanText struct {
	// Artifact describes the file; its Path is absolute.
	Artifact model.PlanArtifact
	// Text is the whole file when Artifact's condition is ok.
	Text model.Text
	// Reason says in words what a bad condition comes from.
	Reason string
	// Unsettled: somebody is writing the file now. What is on screen stays.
	Unsettled bool
}

// News tells which plans may have changed and how files are watched.
type News struct {
	// Items may have a changed plan.
	Items []model.ItemID
	// All: any plan may have changed (events were lost, or files are polled).
	All bool
	// Mode is empty while the operating system tells of changes, else a sentence for the
	// screen: "watching by polling, every 2s (inotify limit reached)".
	Mode string
}

// drafts keep what was typed into a dialog that was closed without saving.
type drafts interface {
	// Load reads all drafts.
	Load(context.Context) (map[string]string, error)
	// Save keeps the draft under key, or drops it when text is empty.
	Save(ctx context.Context, key, text string) error
}

// editor makes the command that opens a file in the operator's editor. Its working
// directory is the home, not the plan's own, which an agent can write to.
type editor func(path string) (*exec.Cmd, error)

// Session is what the console works on.
type Session struct {
	Ledger Ledger
	// Agent is whose desk is shown first; empty: the first agent the ledger knows.
	Agent  model.AgentID
	Plans  plans
	Drafts drafts
	// Keeper writes down where the operator is, and Memo is what it wrote last; both may be nil.
	Keeper Keeper
	Memo   *Memo
	// SeenPlans may be nil: then a plan is compared with what it was when the cursor came to it.
	SeenPlans   seenPlans
	EditBuffers editBuffers
	// Saves may be nil: then nobody knows what plans were.
	Saves planSaves
	// Files may be nil: then there are no file todos.
	Files files
	// Threads may be nil: then there is no tab Thread.
	Threads Threads
	// Changes may be nil: then there is no tab Changes.
	Changes Changes
	// Demo says on screen that nothing is saved.
	Demo bool
	// ReadOnly is the reason why nothing may be changed; empty when it may.
	ReadOnly string
}

// Options are all that the console may not find out by itself.
type Options struct {
	Session
	// FirstRun is shown instead of a desk when there is no ledger; Session.Ledger is then nil.
	FirstRun *FirstRun
	// Settings are the operator's; the zero value stands for the defaults.
	Settings config.Settings
	// NextSettings waits for a change of them; nil: they never change.
	NextSettings func(context.Context) (config.Settings, error)
	// NoColor leaves weights, reverse and marks to tell things apart.
	NoColor bool
	// ASCII draws glyphs and borders in ASCII.
	ASCII  bool
	Editor editor
	// RunCustom runs custom commands; nil: there are none. SaveFilter puts a
	// filter into the configuration; nil: it cannot be changed.
	RunCustom  runCustom
	SaveFilter func(ctx context.Context, name, words string) error
	// SaveSetting gives a setting of one word another value in the configuration; nil: it cannot be changed.
	SaveSetting func(ctx context.Context, name, value string) error
	// ReadLine reads a verb with its arguments, about what is shown, and sends nothing; LineVerbs are those that it reads.
	ReadLine  readLine
	LineVerbs []string
	// Pages lay out what is more than words in Markdown; nil: it is shown as written.
	Pages markdown.Engine
	// Native may be nil: then the terminal alone has a clipboard and notifications.
	Native native
	// Now and NewKey are the only clock and the only source of idempotency keys.
	Now    func() time.Time
	NewKey func() string
}

// FirstRun is what can be done where there is no ledger. Nothing is written before Start.
type FirstRun struct {
	// Home is where the ledger would be.
	Home string
	// Agents are proposed: one for each program that was found, else a first one, whose name is asked.
	Agents []model.AgentID
	// Programs are the agents' programs that were found; Lines is what vise would add to the
	// settings of some of them. It writes nothing.
	Programs []string
	Lines    func(ctx context.Context, programs []string) (model.Text, error)
	// Install adds them for one program. It is called only for a key that was pressed on them.
	Install func(ctx context.Context, program string) error
	// Seen reports whether a hook of the agent's program was seen.
	Seen func(model.AgentID) bool
	// Survey looks at a Holon home without writing anything.
	Survey func(ctx context.Context, dir string) (Survey, error)
	// Start carries out the choice.
	Start func(context.Context, Choice) (Session, error)
}

// Choice is what the operator chose at the first run.
type Choice struct {
	Kind choiceKind
	// Agents are those of a new ledger, the first one's desk is shown.
	Agents []model.AgentID
	// Dir is the Holon home to import.
	Dir string
}

// choiceKind is one of the first run's ways on.
type choiceKind string

// The choices.
const (
	ChooseCreate choiceKind = "create"
	ChooseDemo   choiceKind = "demo"
	ChooseImport choiceKind = "import"
)

// Survey is what an import would bring.
type Survey struct {
	Agents, Items, Open, Waits int
	// Problems are malformed lines and the like, each with file and line.
	Problems []model.Text
}

// settingsMsg brings the settings as they are after a change of their files.
type settingsMsg struct {
	settings config.Settings
	err      error
}

// nextSettings parks until the operator changes the configuration or a theme.
func (c *console) nextSettings() tea.Cmd {
	next := c.opt.NextSettings
	if next == nil {
		return nil
	}
	return func() tea.Msg {
		s, err := next(c.fx.ctx)
		return settingsMsg{s, err}
	}
}

// handle takes settings that changed. Of files in which something is wrong nothing is
// taken: what held before holds, and the screen says what is wrong.
func (m settingsMsg) handle(c *console) tea.Cmd {
	if m.err != nil {
		return nil // nothing watches any more: the console is about to end
	}
	if bad := m.settings.Problems.Bad(); len(bad) > 0 {
		c.complain(bad)
		return c.nextSettings()
	}
	c.opt.Settings, c.keys = m.settings, m.settings.Table()
	said := "Settings taken."
	if len(m.settings.Problems) > 0 {
		said += " " + m.settings.Problems.Error()
	}
	return tea.Batch(c.restyled(), c.say(said), c.nextSettings(), c.askBackground())
}

// ascii reports whether glyphs are drawn in ASCII.
func (o Options) ascii() bool {
	return o.Settings.Glyphs == config.GlyphsASCII || o.ASCII && o.Settings.Glyphs != config.GlyphsUnicode
}

// palette is the theme that fits the settings and the terminal.
func (o Options) palette(p terminal) themes.Palette { return o.Settings.Palette(p.dark).On(p.profile) }

// askBackground asks for the terminal's background where it decides anything.
func (c *console) askBackground() tea.Cmd {
	if c.opt.NoColor || c.opt.Settings.Theme != config.ThemeAuto {
		return nil
	}
	return tea.RequestBackgroundColor
}

// fps is how often Bubble Tea looks whether there is a frame to write; it takes no more. It
// bounds how long a key waits for its frame: 4 ms in the median. At rest it costs 1 to 2 % of a
// core, the more the more a machine has to do.
const fps = 120

// Run shows the console on the terminal until the operator quits, and ends all that it
// waits for. What was being saved is saved when it returns, unless the operator quit twice.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	set := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(fps)}
	if profile, _, ok := themes.Profile(string(o.Settings.Colours), os.Environ()); o.NoColor {
		set = append(set, tea.WithColorProfile(colorprofile.ASCII))
	} else if ok {
		set = append(set, tea.WithColorProfile(profile))
	}
	last, err := tea.NewProgram(New(ctx, o).Primed(), set...).Run()
	if c, ok := last.(console); ok && c.fx.Keeper != nil {
		_ = c.fx.Keeper.Keep(context.WithoutCancel(ctx), c.memo()) // a comfort: nothing fails without it
	}
	return err
}
