package console

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"vise/model"
	"vise/store"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/markdown/glamour"
)

// world is a console on a ledger in memory, without a terminal. Only settle carries out the console's effects, so that
// a test can look at the frame before the answer.
type world struct {
	t       testing.TB
	ledger  *store.Ledger
	faulty  *faulty
	plans   *fakePlans
	drafts  *fakeDrafts
	seen    *fakeSeen
	files   *fakeFiles
	threads *fakeThreads
	changes *fakeChanges
	console tea.Model
	w, h    int
	pending []tea.Cmd
	inbox   chan tea.Msg
	// ended are the messages of effects that the console did not get yet. anyOrder: effects begin and end in any order, by chance.
	ended    []tea.Msg
	anyOrder bool
	// said is the output to the terminal outside frames: the clipboard, quitting.
	said   []string
	stop   context.CancelFunc
	names  map[string]model.ItemID
	keys   int
	choice string
	// started are the agents that were started.
	started []string
	// acting is the actor of the script's changes.
	acting model.AgentID
	// around is called before and after a message, if it is not nil.
	around func(console) func(console)
}

const testAgent = model.AgentID("claude-main")

// noLanguage renders code without its language: a lexer's patterns share a clock, which outlives the bubble of the test
// that starts it.
type noLanguage struct{ markdown.Engine }

func (e noLanguage) Render(s markdown.Source) ([]string, error) {
	s.Text = strings.ReplaceAll(s.Text, "```go\n", "```\n")
	return e.Engine.Render(s)
}

// newWorld must be called in a synctest bubble.
func newWorld(t testing.TB, w, h int, set func(*Options)) *world {
	ctx, stop := context.WithCancel(t.Context())
	wd := &world{t: t, w: w, h: h, acting: testAgent, inbox: make(chan tea.Msg, 100), stop: stop, names: map[string]model.ItemID{}}
	wd.plans = &fakePlans{plans: map[model.ItemID]string{}, texts: map[string]model.Text{}, news: make(chan News, 100)}
	wd.files = newFakeFiles()
	wd.seen = &fakeSeen{kept: map[model.ItemID]model.Text{}}
	wd.drafts = &fakeDrafts{kept: map[string]string{}}
	wd.threads, wd.changes = newFakeThreads(), newFakeChanges()
	wd.ledger = store.NewMem(wd.plans)
	ids := 0
	wd.ledger.NewID = func() string {
		ids++
		return fmt.Sprintf("01k%023d", ids)
	}
	wd.changes.refresh = func(id model.ItemID, contents string) {
		wd.doAs(model.Watcher, model.RefreshTree{WorkItemID: id, Dir: "/src/gateway", Contents: contents})
	}
	wd.faulty = &faulty{Ledger: settling{wd.ledger, wd.files}}
	o := Options{
		Session: Session{
			Ledger: wd.faulty, Agent: testAgent, Plans: wd.plans, Drafts: wd.drafts, SeenPlans: wd.seen, Threads: wd.threads, Changes: wd.changes,
			Files:       wd.files,
			EditBuffers: &fakeBuffers{copies: map[string]string{}}, Saves: fakeSaves{wd.ledger, wd.plans},
		},
		Now: func() time.Time { return time.Now().UTC() }, NewKey: wd.key,
		Pages:  noLanguage{glamour.New()},
		Editor: func(path string) (*exec.Cmd, error) { return exec.Command("true", path), nil },
	}
	if set != nil {
		set(&o)
	}
	if o.FirstRun != nil {
		wd.firstRun(&o)
	}
	wd.console = New(ctx, o)
	wd.pending = append(wd.pending, wd.console.Init())
	wd.send(tea.WindowSizeMsg{Width: w, Height: h})
	return wd
}

// firstRun removes the ledger until the operator chooses one.
func (wd *world) firstRun(o *Options) {
	session := o.Session
	o.Session = Session{}
	wd.choice = "none"
	o.FirstRun.Start = func(_ context.Context, agents []model.AgentID, objective model.Text) (Session, error) {
		wd.choice, session.Demo = strings.TrimSpace(fmt.Sprint(agents, " ", objective)), len(agents) == 0
		for _, agent := range agents {
			wd.doAs(model.Operator, model.AddAgent{AgentID: agent})
		}
		if !session.Demo {
			session.Agent = agents[0]
		}
		return session, nil
	}
}

func (wd *world) key() string {
	wd.keys++
	return fmt.Sprintf("key-%d", wd.keys)
}

func (wd *world) send(m tea.Msg) {
	after := func(console) {}
	if wd.around != nil {
		after = wd.around(wd.console.(console))
	}
	next, cmd := wd.console.Update(m)
	wd.console = next
	after(next.(console))
	wd.pending = append(wd.pending, cmd)
	wd.console.View() // like Bubble Tea, after every message
}

// settle carries out all effects, until only waiting ones are left.
func (wd *world) settle() {
	for {
		for again := true; again && len(wd.pending) > 0; again = wd.goesOn() {
			wd.start(next(wd, &wd.pending))
		}
		synctest.Wait()
		for len(wd.inbox) > 0 {
			wd.ended = append(wd.ended, <-wd.inbox)
		}
		for again := true; again && len(wd.ended) > 0; again = wd.goesOn() {
			wd.take(next(wd, &wd.ended))
		}
		if len(wd.pending)+len(wd.ended)+len(wd.inbox) == 0 {
			return
		}
	}
}

// goesOn reports whether the next effect begins, or the next message comes, before what is under way ends.
func (wd *world) goesOn() bool { return !wd.anyOrder || rand.IntN(2) > 0 }

// next takes the first of a list, or any.
func next[T any](wd *world, list *[]T) T {
	i := 0
	if wd.anyOrder {
		i = rand.IntN(len(*list))
	}
	x := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return x
}

func (wd *world) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if m := cmd(); m != nil {
			wd.inbox <- m
		}
	}()
}

func (wd *world) take(m tea.Msg) {
	switch m := m.(type) {
	case tea.BatchMsg:
		wd.pending = append(wd.pending, m...)
		return
	case tea.RawMsg:
		wd.said = append(wd.said, fmt.Sprintf("raw %q", fmt.Sprint(m.Msg)))
		return
	case tea.QuitMsg:
		wd.said = append(wd.said, "quit")
		return
	}
	if name, ok := strings.CutPrefix(fmt.Sprintf("%T", m), "tea."); ok && name[0] >= 'a' {
		wd.said = append(wd.said, strings.TrimSpace(fmt.Sprintf("%s %s", name, spoken(m))))
		return
	}
	wd.send(m)
}

// spoken returns the content of a message of Bubble Tea's own, if it is text.
func spoken(m tea.Msg) string {
	if s := fmt.Sprint(m); !strings.HasPrefix(s, "{") {
		return s
	}
	return ""
}

// pass lets time go by.
func (wd *world) pass(d time.Duration) {
	wd.settle()
	for step := max(d/200, idleBeat/2); d > 0; d -= step {
		timer := time.NewTimer(min(step, d))
		<-timer.C
		wd.settle()
	}
}

// end stops what still waits, and lets the timers run out.
func (wd *world) end() {
	wd.stop()
	for timer := time.NewTimer(2 * beat); ; {
		select {
		case <-wd.inbox: // nobody reads it any more
		case <-timer.C:
			synctest.Wait()
			return
		}
	}
}

// frame returns the screen as a terminal shows it. Each line must have the screen's width.
func (wd *world) frame() []string {
	wd.t.Helper()
	return wd.shown(wd.measured(wd.console.View().Content))
}

// measured returns a frame whose lines all have the screen's width.
func (wd *world) measured(content string) string {
	wd.t.Helper()
	lines := strings.Split(content, "\n")
	if len(lines) != wd.h {
		wd.t.Errorf("the frame has %d lines, the screen %d", len(lines), wd.h)
	}
	for i, l := range lines {
		n := ansi.StringWidthWc(l)
		if c, ok := wd.console.(console); ok && c.terminal.clusters {
			n = ansi.StringWidth(l)
		}
		if n != wd.w {
			wd.t.Errorf("line %d has %d cells, the screen %d: %q", i+1, n, wd.w, ansi.Strip(l))
		}
	}
	return content
}

// shown returns a frame as a terminal's parser shows it, so that only the visible result counts.
func (wd *world) shown(content string) []string {
	wd.t.Helper()
	term := vt.NewEmulator(wd.w, wd.h)
	answered := make(chan []byte)
	go func() {
		answer, _ := io.ReadAll(term)
		answered <- answer
	}()
	defer func() {
		term.InputPipe().(io.Closer).Close() // closing the terminal itself would race with its readers
		if answer := <-answered; len(answer) > 0 {
			wd.t.Errorf("the frame makes the terminal answer %q", answer)
		}
	}()
	term.SetCallbacks(vt.Callbacks{
		Title: func(s string) { wd.t.Errorf("the frame sets the title %q", s) },
		Bell:  func() { wd.t.Error("the frame rings the bell") },
	})
	if _, err := term.WriteString(strings.ReplaceAll(content, "\n", "\r\n")); err != nil {
		wd.t.Fatal(err)
	}
	out := strings.Split(term.String(), "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return out
}

// do applies a command as another process would.
func (wd *world) do(c model.Command) model.Receipt {
	wd.t.Helper()
	return wd.doAs(model.AgentActor(wd.acting), c)
}

func (wd *world) doAs(actor model.Actor, c model.Command) model.Receipt {
	wd.t.Helper()
	r, err := wd.ledger.Apply(wd.t.Context(), model.Envelope{Key: "do-" + wd.key(), Actor: actor, Agent: wd.acting, Command: c})
	if err != nil {
		wd.t.Fatalf("%s: %v", model.CommandName(c), err)
	}
	return r
}

// create makes an item that the test calls name.
func (wd *world) create(name, objective string) model.ItemID {
	wd.t.Helper()
	id := wd.do(model.CreateWorkItem{Objective: model.Text(objective)}).WorkItemID
	wd.names[name] = id
	return id
}

// press sends keys by Bubble Tea's names; @ before the id of an action carries out the action, as : does.
func (wd *world) press(keys ...string) {
	for _, k := range keys {
		if id, ok := strings.CutPrefix(k, "@"); ok {
			wd.send(act(func(c *console) { c.act(action.ID(id)) }))
			continue
		}
		wd.send(keyOf(k))
	}
}

// write types text into whatever has the keys.
func (wd *world) write(s string) {
	for _, r := range s {
		wd.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func keyOf(name string) tea.KeyPressMsg {
	var k tea.Key
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"shift+", tea.ModShift}, {"alt+", tea.ModAlt}} {
		if rest, ok := strings.CutPrefix(name, m.prefix); ok {
			name, k.Mod = rest, k.Mod|m.mod
		}
	}
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace,
	}
	if code, ok := special[name]; ok {
		k.Code = code
		if name == "space" {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return tea.KeyPressMsg(k)
}
