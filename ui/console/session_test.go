package console

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/acp"
)

func TestQuittingNamesWhatStillRuns(t *testing.T) {
	driver := model.Process{PID: 1}
	got := stillRuns([]home.Session{{Agent: "ann", State: home.SessionWorks, Driver: driver}, {Agent: "bob", State: home.SessionGone, Driver: driver},
		{Agent: "eve", State: home.SessionWorks}})
	if got != "ann goes on without the console (working); vise stop ann ends it.\n" {
		t.Errorf("got %q", got)
	}
}

// fakeSessions has one session and what it said.
type fakeSessions struct {
	all  []home.Session
	said []acp.Entry
}

func (f *fakeSessions) Known() []home.Session { return f.all }

// entryBytes is how long each entry is.
const entryBytes = 4 << 10

func (f *fakeSessions) Read(_ home.Session, from, most int64) ([]acp.Entry, int64, error) {
	out, n := f.said[from/entryBytes:], int(most/entryBytes)
	if from == 0 && len(out) > n {
		out = append([]acp.Entry{acp.Earlier("the log")}, out[len(out)-n:]...)
	}
	return out, int64(len(f.said)) * entryBytes, nil
}

func (f *fakeSessions) Find(words string, _ model.AgentID) (out []Said) {
	for _, e := range f.said {
		if strings.Contains(string(e.Ended), words) { // raw: looked through
			out = append(out, Said{Session: f.all[0].ID, Agent: f.all[0].Agent, At: e.At, Line: e.Ended})
		}
	}
	return out
}

func (f *fakeSessions) update(u sdk.SessionUpdate) {
	f.said = append(f.said, acp.Entry{At: time.Now(), Update: &u})
}

func (f *fakeSessions) run(id, command, output string, status sdk.ToolCallStatus) {
	f.update(sdk.StartToolCall(sdk.ToolCallId(id), command, sdk.WithStartKind(sdk.ToolKindExecute),
		sdk.WithStartRawInput(map[string]any{"command": command})))
	f.update(sdk.UpdateToolCall(sdk.ToolCallId(id), sdk.WithUpdateStatus(status),
		sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(output))})))
}

func (f *fakeSessions) works() {
	f.all = []home.Session{{Program: "claude", ID: "s-1", Agent: testAgent, State: home.SessionWorks, Since: time.Now(), Doing: "runs go test",
		Driver: model.Process{PID: 1}, Context: 61000, ContextSize: 200000, Total: 0.42}}
	f.said = []acp.Entry{{Turn: 3, At: time.Now()}, {Prompt: "all of the context", From: model.Scheduler},
		{Prompt: "Keep the wire headers.", From: model.Operator}}
	f.update(sdk.UpdateAgentThoughtText("It is about the limiter.\nA second line of thought."))
	f.update(sdk.UpdateAgentMessageText("I split the **limiter** first.\n\nThen the"))
	f.update(sdk.StartToolCall("c1", "bucket.go", sdk.WithStartKind(sdk.ToolKindEdit), sdk.WithStartStatus(sdk.ToolCallStatusCompleted),
		sdk.WithStartLocations([]sdk.ToolCallLocation{{Path: "limit/bucket.go"}}),
		sdk.WithStartContent([]sdk.ToolCallContent{sdk.ToolDiffContent("limit/bucket.go", "burst := 4", "burst := 3")})))
	f.run("c2", "go test ./limit", "--- FAIL: TestBurst\nlimit_test.go:41: got 3, want 4", sdk.ToolCallStatusFailed)
	f.update(sdk.UpdatePlan(sdk.PlanEntry{Content: "Fix the burst", Status: sdk.PlanEntryStatusInProgress}))
}

func talking(t *testing.T, w, h int, f *fakeSessions) *world {
	wd := newWorld(t, w, h, func(o *Options) { o.Sessions = f })
	wd.create("a", "Split the limiter")
	wd.settle()
	wd.pass(3 * time.Second)
	for _, k := range []string{"g", "s"} {
		wd.press(k)
		wd.settle()
	}
	wd.pass(time.Second)
	return wd
}

func TestASessionIsShownAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {50, 20}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeSessions{}
				f.works()
				wd := talking(t, size[0], size[1], f)
				defer wd.end()
				lines := wd.frame()
				checkWhole(t, "session", lines)
				all := strings.Join(lines, "\n")
				if size[0] > 100 && !strings.Contains(all, "claude-main: working in a session") {
					t.Errorf("that a session works is not said:\n%s", all)
				}
				for _, want := range []string{"Session", "run", "FAIL: TestBurst", "Fix the burst", "following"} {
					if !strings.Contains(all, want) {
						t.Errorf("%q is not shown:\n%s", want, all)
					}
				}
				if strings.Contains(all, "burst := 4") {
					t.Errorf("the edit is unfolded:\n%s", all)
				}
				wd.upTo("edit")
				wd.press("enter")
				wd.settle()
				all = strings.Join(wd.frame(), "\n")
				for _, want := range []string{"− burst := 3", "+ burst := 4"} {
					if !strings.Contains(all, want) {
						t.Errorf("the edit is not unfolded:\n%s", all)
					}
				}
				if strings.Contains(all, "A second line of thought") {
					t.Errorf("the thought is unfolded too:\n%s", all)
				}
				wd.press("enter")
				wd.settle()
				if all = strings.Join(wd.frame(), "\n"); strings.Contains(all, "+ burst := 4") {
					t.Errorf("the edit is not folded again:\n%s", all)
				}
				wd.upTo("thinks")
				wd.press("enter")
				wd.settle()
				if all = strings.Join(wd.frame(), "\n"); !strings.Contains(all, "A second line of thought") {
					t.Errorf("the thought is not unfolded:\n%s", all)
				}
			})
		})
	}
}

// upTo moves the cursor up to a part of a session whose first line begins with a word.
func (wd *world) upTo(word string) {
	wd.t.Helper()
	for range 60 {
		for _, l := range wd.frame() {
			if _, part, ok := strings.Cut(l, "▎"); ok && strings.HasPrefix(strings.TrimLeft(part, " ▸▾"), word) {
				return
			}
		}
		wd.press("k")
		wd.settle()
	}
	wd.t.Fatalf("no part begins with %s:\n%s", word, strings.Join(wd.frame(), "\n"))
}

func TestTheFleetShowsTheSessionThatRuns(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {120, 36}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeSessions{}
			f.works()
			wd := newWorld(t, size[0], size[1], func(o *Options) { o.Sessions = f })
			defer wd.end()
			wd.create("a", "Split the limiter")
			wd.press("2")
			wd.pass(3 * time.Second)
			if size[0] < previewFrom {
				wd.press("enter")
			}
			wd.pass(time.Second)
			f.update(sdk.UpdateAgentMessageText("The last words"))
			wd.pass(time.Second)
			lines := wd.frame()
			checkWhole(t, "session", lines)
			for _, want := range []string{"FAIL: TestBurst", "The last words", "following", "> say something"} {
				if all := strings.Join(lines, "\n"); !strings.Contains(all, want) {
					t.Errorf("%q is not shown:\n%s", want, all)
				}
			}
			wd.press("m")
			wd.write("Stop there.")
			wd.press("enter")
			wd.settle()
			if n := wd.console.(console).truth.desk.Agent.QueuedInput; n != 1 {
				t.Errorf("%d messages wait for the agent", n)
			}
		})
	}
}

func TestAMessageIsTypedBelowTheSession(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {50, 20}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeSessions{}
			f.works()
			wd := talking(t, size[0], size[1], f)
			defer wd.end()
			at := func(what string) string {
				wd.settle()
				all := strings.Join(wd.frame(), "\n")
				if !strings.Contains(all, what) {
					t.Errorf("%q is not shown:\n%s", what, all)
				}
				return all
			}
			at("> say something to claude-main")
			wd.press("m")
			wd.write("Keep the head")
			all := at("> Keep the head")
			if strings.Contains(all, "Message to") || !strings.Contains(all, "FAIL: TestBurst") {
				t.Errorf("a dialog covers the session:\n%s", all)
			}
			if cursor := wd.console.View().Cursor; cursor == nil || !strings.Contains(wd.frame()[cursor.Y], "Keep the head") {
				t.Errorf("the cursor is not in the line: %v", cursor)
			}
			wd.press("esc")
			at("> say something")
			wd.press("m")
			wd.write("ers.")
			at("> Keep the headers.")
			wd.press("enter")
			at("you  Keep the headers.")
			at("> say something")
			if n := wd.console.(console).truth.desk.Agent.QueuedInput; n != 1 {
				t.Errorf("%d messages wait for the agent", n)
			}
			wd.do(model.ClaimTurn{AgentID: testAgent, Holder: "a test"})
			f.said = append(f.said, acp.Entry{From: model.Operator, Prompt: "\nMessages for you:\nFrom operator (normal, 2026):\n| Keep the headers.\n"})
			wd.pass(time.Second)
			if all := at("you  Keep the headers."); strings.Count(all, "you  Keep the headers.") != 1 {
				t.Errorf("the message is shown twice:\n%s", all)
			}
		})
	}
}

func TestAReportLeadsToWhereItWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSessions{}
		f.works()
		words := sdk.UpdateAgentMessageText("The limiter is a package of its own.")
		id := "m-1"
		words.AgentMessageChunk.MessageId = &id
		f.update(words)
		for i := range 60 {
			f.run(fmt.Sprint("x", i), fmt.Sprint("step ", i), "", sdk.ToolCallStatusCompleted)
		}
		f.said = append(f.said, acp.Entry{Turn: 4, At: time.Now()}, acp.Entry{Prompt: "a later turn", From: model.Scheduler})
		wd := newWorld(t, 100, 30, func(o *Options) { o.Sessions = f })
		defer wd.end()
		item := wd.create("a", "Split the limiter")
		wd.change("complete a The limiter is a package of its own.")
		f.all[0].Item = item
		old := f.all[0]
		old.ID = "s-0"
		f.all = append(f.all, old)
		wd.pass(3 * time.Second)
		press := func(want string, keys ...string) {
			t.Helper()
			for _, k := range keys {
				wd.press(k)
				wd.pass(time.Second)
			}
			if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, want) {
				t.Errorf("after %v %q is not shown:\n%s", keys, want, all)
			}
		}
		press("where it was said", "g", "c")
		press("▎The limiter is a package of its own.", "enter")
		press("▎── turn 4", "n")
		press("There is no other turn", "n")
		press("Session 1 of 2 of this item.", "<")
		if c := wd.console.(console); c.talk.shown.ID != "s-0" {
			t.Errorf("session %s is shown", c.talk.shown.ID)
		}
		press("Session 2 of 2 of this item.", ">")
	})
}

// askedFor shows a session that asks for a permission.
func askedFor(t *testing.T) *world {
	f := &fakeSessions{}
	f.works()
	f.all[0].State = home.SessionAsks
	kind, title := sdk.ToolKindExecute, "rm -rf build"
	f.said = append(f.said, acp.Entry{At: time.Now(), Ask: &sdk.ToolCallUpdate{ToolCallId: "c9", Kind: &kind, Title: &title}})
	wd := talking(t, 120, 36, f)
	wd.change("permission claude-main Bash rm -rf build")
	wd.settle()
	return wd
}

func TestAPermissionIsAnsweredInItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := askedFor(t)
		defer wd.end()
		permissions := func() []model.Permission { return wd.console.(console).truth.desk.Agent.Permissions }
		press := func(k string, want string) {
			t.Helper()
			wd.press(k)
			wd.settle()
			if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, want) || !strings.Contains(all, "asks to run rm -rf build") {
				t.Errorf("after %s %q is not shown beside the session:\n%s", k, want, all)
			}
		}
		press("j", "space answers")
		press("space", "y once · a always in this session · n no · N no, and why")
		press("y", "y once")
		if p := permissions(); len(p) != 1 || p[0].Answer != "" {
			t.Fatalf("a letter that came at once answers: %+v", p)
		}
		wd.press("esc")
		wd.settle()
		press("space", "y once")
		wd.pass(time.Second)
		wd.press("n")
		wd.settle()
		if p := permissions(); len(p) > 0 && p[0].Answer != model.PermitDeny {
			t.Errorf("no is not the answer: %+v", p)
		}
		if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, "Answered claude") || strings.Contains(all, "y once") {
			t.Errorf("the answer is not said:\n%s", all)
		}
	})
}

// TestAPermissionIsRefusedWithAReason, which is the agent's next message.
func TestAPermissionIsRefusedWithAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := askedFor(t)
		defer wd.end()
		agent := func() model.Agent { return wd.console.(console).truth.desk.Agent }
		for _, k := range []string{"j", "space"} {
			wd.press(k)
			wd.settle()
		}
		wd.pass(time.Second)
		wd.press("N")
		wd.settle()
		if p := agent().Permissions; len(p) != 1 || p[0].Answer != "" {
			t.Fatalf("it is answered before the reason is typed: %+v", p)
		}
		wd.write("Keep the build directory.")
		wd.press("ctrl+s")
		wd.settle()
		wd.pass(time.Second)
		if p := agent().Permissions; len(p) > 0 && p[0].Answer != model.PermitDeny || agent().QueuedInput != 1 {
			t.Errorf("the permissions are %+v, %d messages wait", p, agent().QueuedInput)
		}
		if wd.console.(console).layers.top() != nil {
			t.Errorf("a dialog stays open:\n%s", strings.Join(wd.frame(), "\n"))
		}
	})
}

func TestASessionStandsStillWhileItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSessions{}
		f.works()
		for i := range 60 {
			f.run(fmt.Sprint("x", i), fmt.Sprint("step ", i), "", sdk.ToolCallStatusCompleted)
		}
		wd := talking(t, 100, 30, f)
		defer wd.end()
		if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, "step 59") || strings.Contains(all, "step 1 ") {
			t.Fatalf("the end is not shown:\n%s", all)
		}
		wd.press("k")
		wd.settle()
		before := strings.Join(wd.frame(), "\n")
		f.run("late", "a late step", "", sdk.ToolCallStatusCompleted)
		wd.pass(time.Second)
		after := strings.Join(wd.frame(), "\n")
		if strings.Contains(after, "late step") || !strings.Contains(after, "1 new below") || strings.Contains(before, "1 new below") {
			t.Errorf("the screen moved, or does not say what is new:\n%s", after)
		}
		wd.press("G")
		wd.settle()
		f.update(sdk.UpdateAgentMessageText("The last words"))
		wd.pass(time.Second)
		if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, "late step") || !strings.Contains(all, "The last words") {
			t.Errorf("G does not follow:\n%s", all)
		}
	})
}

// TestOfALongSessionTheEndIsReadFirst, and more where the operator goes back to; the place is kept. What goes on for long is read from the
// end again.
func TestOfALongSessionTheEndIsReadFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSessions{}
		f.works()
		for i := range 300 {
			f.run(fmt.Sprint("c", i), fmt.Sprintf("step %d of many", i), "done", sdk.ToolCallStatusCompleted)
		}
		wd := talking(t, 120, 36, f)
		defer wd.end()
		wd.press("enter")
		kept := func() int { return len(wd.console.(console).talk.shown.Parts) }
		at := func() string {
			x := wd.console.(console).talk.shown
			return fmt.Sprint(x.Parts[x.Cursor()].Call.Title, x.Stands)
		}
		if n := kept(); n > 64 || n < 30 {
			t.Errorf("%d parts are read at first", n)
		}
		wd.press("home")
		wd.settle()
		wd.press("down")
		wd.settle()
		was := at()
		wd.pass(time.Second)
		if n := kept(); n < 250 || at() != was || !strings.Contains(was, "step ") {
			t.Errorf("%d parts are read; the cursor is at %q and was at %q", n, at(), was)
		}
		wd.press("G")
		wd.settle()
		for i := range 600 {
			f.run(fmt.Sprint("d", i), fmt.Sprintf("later step %d", i), "done", sdk.ToolCallStatusCompleted)
		}
		wd.pass(time.Second)
		wd.pass(time.Second)
		if n := kept(); n > 64 || !strings.Contains(strings.Join(wd.frame(), "\n"), "later step 599") {
			t.Errorf("%d parts are kept", n)
		}
	})
}

// TestTheSearchOverEverythingFindsWhatSessionsSaid, and enter goes there, also where the place was not read yet.
func TestTheSearchOverEverythingFindsWhatSessionsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSessions{}
		f.works()
		f.said = append(f.said, acp.Entry{At: time.Now().Add(-time.Hour), Ended: "the zebra crossing"})
		for i := range 100 {
			f.run(fmt.Sprint("d", i), fmt.Sprintf("later step %d", i), "done", sdk.ToolCallStatusCompleted)
		}
		wd := talking(t, 120, 36, f)
		defer wd.end()
		wd.press("2", ":")
		wd.write("zebra cross")
		wd.settle()
		if all := strings.Join(wd.frame(), "\n"); strings.Contains(all, "SAID IN SESSIONS") {
			t.Errorf("sessions are searched while words are typed:\n%s", all)
		}
		wd.pass(time.Second)
		if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, "SAID IN SESSIONS") || !strings.Contains(all, "the zebra crossing") {
			t.Fatalf("it is not found:\n%s", all)
		}
		wd.press("enter")
		wd.settle()
		wd.pass(2 * time.Second)
		if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, "▎── the zebra crossing") {
			t.Errorf("the place is not shown:\n%s", all)
		}
	})
}

func TestNoSessionDrivesTheTerminal(t *testing.T) {
	payloads := map[string]string{"200 KB": strings.Repeat("long line ", 20_000)}
	for name, p := range storetest.Payloads {
		payloads[name] = p
	}
	for name, p := range payloads {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p = strings.ToValidUTF8(p, "?")
				f := &fakeSessions{}
				f.works()
				f.all[0].Doing = p
				f.said = append(f.said, acp.Entry{Prompt: model.Text(p), From: model.Operator}, acp.Entry{Ended: model.Text(p)})
				f.update(sdk.UpdateAgentThoughtText(p))
				f.run("h1", p, p, sdk.ToolCallStatusFailed)
				f.run("h2", "x", p, sdk.ToolCallStatusCompleted)
				f.update(sdk.UpdateAgentMessageText(p))
				wd := talking(t, 120, 36, f)
				defer wd.end()
				for _, k := range []string{"enter", "pgup", "pgup", "pgup", "home", "G", "2"} {
					wd.press(k)
					wd.settle() // checks each frame
					wd.look(k)
				}
			})
		})
	}
}

// TestASessionOfAnotherMachineIsToldByItsFinishedReplies, which the ledger keeps, and it says that it is not live.
func TestASessionOfAnotherMachineIsToldByItsFinishedReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, func(o *Options) { o.Sessions = &fakeSessions{} })
		defer wd.end()
		id := wd.create("a", "Split the limiter")
		wd.do(model.PickWorkItem{WorkItemID: id})
		wd.doAs(model.Scheduler, model.ClaimTurn{AgentID: testAgent, Holder: "drive elsewhere"})
		wd.do(model.Round{Turn: 1, Text: "I split the limiter first.", Tools: []model.Text{"Bash"}})
		wd.settle()
		wd.pass(3 * time.Second)
		for _, k := range []string{"g", "s"} {
			wd.press(k)
			wd.settle()
		}
		wd.pass(time.Second)
		got := strings.Join(wd.frame(), "\n")
		for _, want := range []string{"working ", "I split the limiter first.", "call", "Bash", "finished replies, from the ledger: not live"} {
			if !strings.Contains(got, want) {
				t.Errorf("the screen does not say %q:\n%s", want, got)
			}
		}
	})
}

// TestASessionThatAPersonRunsIsShownAsWhatItDoes: on the Desk, in the reasons of its item and in the Fleet, with since when and at what. A
// turn is not said to be due meanwhile.
func TestASessionThatAPersonRunsIsShownAsWhatItDoes(t *testing.T) {
	for state, words := range map[home.SessionState][2]string{
		home.SessionWorks: {"working in a session of claude since", "working 5m: run go test"},
		home.SessionAsks:  {"asks for a permission in a session of claude since", "asks 5m: run go test"},
		home.SessionRests: {"is idle in a session of claude since", "idle 5m: run go test"},
		home.SessionGone:  {"is gone since", "gone 5m: run go test"},
	} {
		t.Run(string(state), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeSessions{}
				f.all = []home.Session{{Program: "claude", ID: "s-1", Agent: testAgent, State: state, Since: time.Now().Add(-5 * time.Minute),
					Doing: "run go test"}}
				wd := newWorld(t, 200, 50, func(o *Options) { o.Sessions = f })
				defer wd.end()
				id := wd.create("a", "Split the limiter")
				wd.do(model.PickWorkItem{WorkItemID: id})
				wd.settle()
				wd.pass(3 * time.Second)
				for _, keys := range [][]string{nil, {"g", "y"}, {"2"}} {
					for _, k := range keys {
						wd.press(k)
						wd.settle()
					}
					wd.pass(time.Second)
					got := strings.Join(wd.frame(), "\n")
					if !strings.Contains(got, words[0]) || len(keys) == 1 && !strings.Contains(got, words[1]) {
						t.Errorf("after %q the screen does not say %q:\n%s", keys, words, got)
					}
					for _, not := range []string{"due for a turn", "if it is driven", "no turn runs"} {
						if strings.Contains(got, not) {
							t.Errorf("after %q the screen says %q:\n%s", keys, not, got)
						}
					}
				}
			})
		})
	}
}

func TestAStartedAgentsSessionIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSessions{}
		wd := newWorld(t, 120, 36, func(o *Options) {
			o.Sessions = f
			o.Start = func(context.Context, string, bool) (string, error) {
				f.works()
				return "agent claude-main is started", nil
			}
		})
		defer wd.end()
		wd.create("a", "Split the limiter")
		wd.settle()
		wd.press("R")
		wd.settle()
		wd.pass(2 * time.Second)
		if all := strings.Join(wd.frame(), "\n"); !strings.Contains(all, "limit/bucket.go") {
			t.Errorf("what the agent says is not shown:\n%s", all)
		}
	})
}
