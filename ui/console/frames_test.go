package console

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/acp"
	"vise/ui/config"
)

// go test ./ui/console -run Frames -update writes docs/frames again.
var updateFrames = flag.Bool("update", false, "write docs/frames anew")

// framesAt is the directory of the frames to read a change of the screen in: all at one size, and those of sessions at each other. The rest
// is checked to be whole.
const framesAt = "../../docs/frames/"

func TestFramesInTheDocumentationAreThoseOfTheConsole(t *testing.T) {
	storetest.Slow(t)
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {50, 20}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			var got string
			synctest.Test(t, func(t *testing.T) { got = tour(t, size[0], size[1]) })
			if size != [2]int{80, 24} {
				synctest.Test(t, func(t *testing.T) { got = sessionTour(t, size[0], size[1]) })
				name = "sessions-" + name
			}
			file := framesAt + name + ".txt"
			if *updateFrames {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if at, is, was := firstDifference(got, string(want)); at > 0 {
				t.Errorf("%s:%d is %q, the console shows %q: go test ./ui/console -run Frames -update, then read the difference",
					file, at, was, is)
			}
		})
	}
}

// checkWhole says what is cut in a frame: the box with the keys has all its corners, unless a long message covers its end, and the last
// lines name a key. The frame itself has the size of the screen (see measured).
func checkWhole(t testing.TB, name string, lines []string) {
	t.Helper()
	all := strings.Join(lines, "\n")
	n := func(corner string) int { return strings.Count(all, corner) }
	long := regexp.MustCompile(`^ [! ] \S`) // a message of several lines, an error with its mark
	covered := slices.ContainsFunc(lines, long.MatchString)
	if n("┏") != n("┓") || n("┗") != n("┛") || n("┏") != n("┗") && !covered {
		t.Errorf("%s: a box is cut:\n%s", name, all)
	}
	if strings.TrimSpace(strings.Join(lines[len(lines)-2:], "")) == "" {
		t.Errorf("%s: the last lines name no key:\n%s", name, all)
	}
}

func firstDifference(got, want string) (line int, is, was string) {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y || i >= len(a) || i >= len(b) {
			return i + 1, x, y
		}
	}
	return 0, "", ""
}

// touring is a console whose frames are recorded one by one.
type touring struct {
	*world
	out strings.Builder
}

func (x *touring) keys(keys ...string) {
	for _, k := range keys {
		x.press(k)
		x.settle()
	}
}

// wide are the frames that show more on a wide screen: the views with their previews.
var wide = []string{"Desk", "Fleet", "Inbox", "Activity", "Reports", "Inbox: an agent that fails",
	"Fleet: a session runs"}

func (x *touring) take(name string) {
	x.t.Helper()
	if x.w >= previewFrom && !slices.Contains(wide, name) && !strings.HasPrefix(name, "Session") {
		return
	}
	lines := x.frame()
	checkWhole(x.t, name, lines)
	fmt.Fprintf(&x.out, "=== %s\n%s\n\n", name, strings.Join(lines, "\n"))
}

// at presses keys, records the frame, and goes back.
func (x *touring) at(name string, keys ...string) {
	x.t.Helper()
	x.keys(keys...)
	x.take(name)
	x.keys("esc")
}

// tour records a frame of every view and dialog at a size.
func tour(t *testing.T, w, h int) string {
	buffers := &fakeBuffers{copies: map[string]string{}}
	x := &touring{world: newWorld(t, w, h, func(o *Options) {
		o.EditBuffers = buffers
		o.Settings = config.Defaults()
		o.Settings.Commands = []config.Command{{Name: "Open the branch", Key: "f6", Run: []string{"git", "switch", "{id}"}}}
		o.RunCustom = func(context.Context, CustomRun) (string, error) { return "", nil }
	})}
	buffers.plans, x.anyOrder = x.plans, true
	stage(x.world)
	x.settle()
	x.change("pass 10s") // the first message has left the message line
	x.desk()
	x.work()
	x.views()
	x.conflict(buffers)
	x.held()
	x.overtaken()
	x.end()
	first := &touring{world: newWorld(t, w, h, func(o *Options) {
		o.FirstRun = &FirstRun{Home: "~/.local/share/vise", Dir: "~/shop", Agents: []model.AgentID{"claude", "codex"}, Programs: []string{"claude", "codex"}}
		o.FirstRun.Lines = func(context.Context, []string) (model.Text, error) {
			return "vise install claude\n--- ~/.claude.json\n+++ ~/.claude.json\n+  \"mcpServers\": {\n+    \"vise\": {\"command\": \"vise\", \"args\": [\"mcp\"]}\n+  }", nil
		}
		o.Start = func(context.Context, string, bool) (string, error) {
			p, _ := acp.Named("claude")
			return "", acp.NotInstalled{Program: p}
		}
	})}
	first.anyOrder = true
	defer first.end()
	first.settle()
	first.take("Welcome")
	first.keys("4")
	first.take("Welcome: more")
	first.at("Welcome: what would be added", "2")
	first.keys("esc", "1")
	first.write("Add jitter to the retry backoff")
	first.take("Welcome: what an agent should do")
	first.keys("enter")
	first.settle()
	first.take("Welcome: a program that is missing")
	return x.out.String() + changed(t, w, h) + savedTour(t, w, h) + sessionTour(t, w, h) + first.out.String()
}

// sessionTour records a session, an edit unfolded, and a message being typed.
func sessionTour(t *testing.T, w, h int) string {
	f := &fakeSessions{}
	f.works()
	x := &touring{world: talking(t, w, h, f)}
	defer x.end()
	x.take("Session")
	x.upTo("edit")
	x.keys("enter")
	x.take("Session: an edit unfolded")
	x.keys("G", "m")
	x.write("Keep the headers.")
	x.take("Session: a message")
	x.keys("esc")
	f.all = slices.Clone(f.all)
	f.all[0].State = home.SessionAsks
	kind, title := sdk.ToolKindExecute, "rm -rf build"
	f.said = append(f.said, acp.Entry{At: time.Now(), Ask: &sdk.ToolCallUpdate{ToolCallId: "c9", Kind: &kind, Title: &title}})
	x.change("permission claude-main Bash rm -rf build")
	x.pass(2 * time.Second)
	x.settle()
	x.take("Session: a permission")
	x.keys("space")
	x.pass(time.Second)
	x.settle()
	x.take("Session: a permission that letters answer")
	x.keys("esc", "2")
	x.take("Fleet: a session runs")
	return x.out.String()
}

// changed records the frames of what the work on an item changed.
func changed(t *testing.T, w, h int) string {
	x := &touring{world: newWorld(t, w, h, nil)}
	defer x.end()
	for _, line := range []string{
		"create limiter Split rate limiter out of gateway", "pick limiter", "began limiter /src/gateway",
		`differs M limiter/limiter.go @@ -12,3 +12,3 @@ func Allow(key string, burst int) (bool, error) {\n \tn := count(key)\n-\treturn n < 10, nil\n+\treturn n < burst, nil\n }\n`,
		`differs ? limiter/limiter_test.go @@ -0,0 +1,2 @@\n+package limiter\n+\n`, `differs D gateway/limit.go @@ -1 +0,0 @@\n-package gateway\n`,
		"differs M docs/flow.png binary", "comment limiter limiter/limiter.go Is the burst of a key without a limit zero?",
	} {
		x.change(line)
	}
	x.settle()
	x.keys("g", "v", "n", "j", "j", "j")
	x.take("Detail: Changes")
	for _, line := range []string{
		"evidence claude-main require", "check limiter 0 go vet ./...", "pass 90s", "check limiter 0 go test ./...", "pass 20s", "edited later",
	} {
		x.change(line)
	}
	x.keys("g", "c")
	x.pass(2 * time.Second)
	x.settle()
	x.take("Detail: Report, with evidence")
	x.at("Complete: not verified", "c")
	return x.out.String()
}

// stage makes the shown work: something of each class, a thread, two findings.
func stage(wd *world) {
	for _, line := range []string{
		"create limiter Split rate limiter out of gateway", "create cache Pick cache eviction policy", "create keys Rotate signing keys",
		"create budget Land retry budget PR", "create flaky Fix flaky auth test", "create proto Remove unused proto",
		"as codex-web", "create docs Document limiter rollout", "as claude-main",
		"status limiter ready", "todos limiter x read the code | > move the counter | - keep headers",
		`plan limiter # Split the limiter\n\nThe limiter moves into its own package. Headers stay byte-identical.\n\n` +
			`| step  | owner  | state |\n|-------|--------|-------|\n| move  | claude | done  |\n| burst | claude | open  |\n\n` +
			`- [x] read the code\n- [ ] burst size becomes a field, not a constant\n\n` +
			"```go\\nfunc Allow(key string, burst int) (bool, error) { return limiter.Take(key, burst), nil }\\n```\\n",
		"ask cache LRU or LFU for the plan cache? | LRU, simple | LFU, better hit rate", "block keys ops has the keys",
		"await budget ci.github github:acme/gateway#7", "trigger budget ci.github CI passed",
		"complete flaky The test waited for a second that never came. It waits for the event now.", "complete proto", "pick limiter",
		`finding 001 p1 src/search.go:3 SQL injection in the search | q := "SELECT * FROM t WHERE n = '" + name + "'"`,
		`code src/search.go package search\n\n\tq := "SELECT * FROM t WHERE n = '" + name + "'"\n\trows, err := db.Query(q)`,
		"finding 002 p3 src/list.go:9 Unused import | import \\\"os\\\"",
		`thread move-limiter {"goal":"Move the limiter","next_action":"move the counter"}`, "active move-limiter",
	} {
		wd.change(line)
		wd.settle()
		<-time.After(500 * time.Millisecond) // so that rows differ in age; all tests share the highlighter's clock
	}
}

func (x *touring) desk() {
	x.take("Desk")
	x.at("Palette", ":")
	x.at("Help", "?")
	x.at("Agents", "a")
	x.at("Message", "m")
	x.at("New work item", "o")
	x.at("Triage", "T")
	x.at("Threads", "W")
	x.at("Complete", "c")
	x.at("Block", "b")
	x.at("Wait", "w")
	x.at("Objective", "@objective")
	x.at("Todos", "t")
	x.at("Plan status", "@plan-status")
	x.at("Copy", "y")
}

func (x *touring) work() {
	x.at("Pick over runnable work", "j", "p")
	x.at("Review a trigger", "r")
	x.at("Answer", "j", "i")
	x.at("The run to zero: a question", ".")
	x.keys("/")
	x.write("class:blocked")
	x.settle()
	x.take("Filter while it is typed")
	x.keys("enter")
	x.take("Filtered")
	x.at("Save a filter", "@save-filter")
	x.keys("esc")
	x.at("Block what is marked", "home", "v", "v", "b")
	x.keys("esc", "home", "tab")
	x.take("Detail: Plan")
	for _, tab := range []string{"Todos", "History", "Report", "Thread", "Files"} {
		x.keys("]")
		x.take("Detail: " + tab)
	}
	x.keys("]", "esc")
}

func (x *touring) views() {
	x.keys("2")
	x.take("Fleet")
	x.keys("tab")
	x.take("Inbox")
	x.keys("tab")
	x.keys("g", "a")
	x.take("Activity")
	x.keys("3")
	x.take("Reports")
	x.keys("1", "/")
	x.write("Remove")
	x.keys("enter", "P")
	x.take("Give a report")
	x.keys("esc", "esc", "2", "/")
	x.write("limiter")
	x.settle()
	x.take("Fleet: a search through all agents")
	x.keys("esc", "esc", "1", ":")
	x.write("limiter")
	x.settle()
	x.take("Everything that holds a word")
	x.keys("esc", "g")
	x.pass(2 * goShown)
	x.take("Go to")
	x.keys("esc")
}

// conflict edits a plan that somebody else changes too.
func (x *touring) conflict(p *fakeBuffers) {
	x.keys("home", "e")
	id := x.names["limiter"]
	theirs := x.plans.plans[id] + "theirs\n"
	mine := x.plans.plans[id] + "mine\n"
	x.plans.put(id, theirs)
	x.settle()
	x.edits(p, id, mine)
	x.take("Conflict after $EDITOR")
	x.keys("d")
	x.take("Conflict: the difference")
	x.keys("esc", "esc")
	x.at("Edit plan: the text that is kept", "e")
}

// overtaken makes an agent, and somebody at another console, do what the operator is about to do.
func (x *touring) overtaken() {
	x.keys("{", "{", "home", "c")
	x.write("The limiter is a package of its own.")
	x.change("as claude-main")
	x.change("complete limiter Moved, and measured.")
	x.settle()
	x.take("Complete: an agent was faster")
	x.keys("esc", "home", "j", "i")
	x.write("LFU, by the numbers of last week.")
	given := model.Answer{WorkItemID: x.names["cache"], Text: "LRU, simple"}
	if _, err := x.ledger.Apply(x.t.Context(), model.Envelope{Key: "another console", Actor: model.Operator, Command: given}); err != nil {
		x.t.Fatal(err)
	}
	x.settle()
	x.take("Answer: given at another console")
	x.keys("esc")
}

// held shows agents that are idle, stalled or failing.
func (x *touring) held() {
	for _, line := range []string{
		"as claude-main", "turn claude-main", "turn claude-main 1 completed", "as codex-web", "stall codex-web",
		"as gemini-qa", "create bench Bisect the flaky bench", "turn gemini-qa", "turn gemini-qa 1 failed no such model: gemini-9",
	} {
		x.change(line)
	}
	x.settle()
	x.take("Desk of an agent that rests")
	x.keys("2")
	x.take("Fleet: rests, stalled, failing")
	x.keys("tab", "j")
	x.take("Inbox: an agent that fails")
	x.at("The run to zero: an agent that fails", ",", ".")
	x.at("Brief", "@brief")
	x.keys("enter")
	x.take("Desk of an agent that fails")
}
