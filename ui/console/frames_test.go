package console

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/ui/config"
)

// go test ./ui/console -run Frames -update writes docs/frames anew.
var updateFrames = flag.Bool("update", false, "write docs/frames anew")

const framesDir = "../../docs/frames"

func TestFramesInTheDocumentationAreThoseOfTheConsole(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {120, 36}, {80, 24}, {50, 20}} {
		name := fmt.Sprintf("%dx%d.txt", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			var got string
			synctest.Test(t, func(t *testing.T) { got = tour(t, size[0], size[1]) })
			path := filepath.Join(framesDir, name)
			if *updateFrames {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if at, is, was := firstDifference(got, string(want)); at > 0 {
				t.Errorf("%s:%d is %q, the console shows %q: go test ./ui/console -run Frames -update, then read the difference", path, at, was, is)
			}
		})
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

// touring is a console whose frames are taken one by one.
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

func (x *touring) take(name string) {
	x.t.Helper()
	fmt.Fprintf(&x.out, "=== %s\n%s\n\n", name, strings.Join(x.frame(), "\n"))
}

// at presses keys, takes the frame, and goes back.
func (x *touring) at(name string, keys ...string) {
	x.t.Helper()
	x.keys(keys...)
	x.take(name)
	x.keys("esc")
}

// tour takes a frame of every view and dialog at a size.
func tour(t *testing.T, w, h int) string {
	buffers := &fakeBuffers{copies: map[string]string{}}
	x := &touring{world: newWorld(t, w, h, func(o *Options) {
		o.EditBuffers = buffers
		o.Settings = config.Defaults()
		o.Settings.Commands = []config.Command{{Name: "Open the branch", Key: "f6", Run: []string{"git", "switch", "{id}"}}}
		o.RunCustom = func(context.Context, CustomRun) (string, error) { return "", nil }
	})}
	buffers.plans = x.plans
	stage(x.world)
	x.settle()
	x.change("pass 10s") // what was said of the beginning has left the message line
	x.desk()
	x.work()
	x.views()
	x.conflict(buffers)
	x.held()
	x.end()
	first := &touring{world: newWorld(t, w, h, func(o *Options) {
		o.FirstRun = &FirstRun{Home: "~/.local/share/vise", Agent: "shop", Programs: []string{"claude", "codex"}}
		o.FirstRun.Lines = func(context.Context, []string) (model.Text, error) {
			return "vise install claude\n--- ~/.claude.json\n+++ ~/.claude.json\n+  \"mcpServers\": {\n+    \"vise\": {\"command\": \"vise\", \"args\": [\"mcp\"]}\n+  }", nil
		}
	})}
	defer first.end()
	first.settle()
	first.take("Welcome")
	first.keys("4")
	first.take("Welcome: what would be added")
	return x.out.String() + first.out.String()
}

// stage is the work that is shown: something of each class, a thread, two findings.
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
		<-time.After(500 * time.Millisecond) // so that rows differ in age; the highlighter's clock is shared by all tests
	}
}

func (x *touring) desk() {
	x.take("Desk")
	x.at("Palette", ":")
	x.at("Help", "?")
	x.at("Agents", "a")
	x.at("Message", "m")
	x.at("New work item", "o")
	x.at("Own commands", "!")
	x.at("Triage", "T")
	x.at("Threads", "W")
	x.at("Complete", "c")
	x.at("Block", "b")
	x.at("Wait", "w")
	x.at("Objective", "E")
	x.at("Todos", "t")
	x.at("Plan status", "s")
	x.at("Actions", "x")
	x.at("Copy", "y")
}

func (x *touring) work() {
	x.at("Pick over runnable work", "j", "p")
	x.at("Review a trigger", "r")
	x.at("Answer", "j", "i")
	x.keys("/")
	x.write("class:blocked")
	x.settle()
	x.take("Filter while it is typed")
	x.keys("enter")
	x.take("Filtered")
	x.at("Save a filter", "S")
	x.keys("esc")
	x.at("Block what is marked", "g", "space", "space", "b")
	x.keys("esc", "g", "tab")
	x.take("Detail: Plan")
	for _, tab := range []string{"Todos", "Waits", "Events", "Why", "Report", "Thread", "Files"} {
		x.keys("]")
		x.take("Detail: " + tab)
	}
	x.keys("]", "esc")
}

func (x *touring) views() {
	x.keys("2")
	x.take("Fleet")
	x.keys("3")
	x.take("Activity")
	x.keys("4")
	x.take("Reports")
	x.keys("1", "/")
	x.write("Remove")
	x.keys("enter", "P")
	x.take("Give a report")
	x.keys("esc", "esc")
}

// conflict edits a plan that somebody else changes too.
func (x *touring) conflict(p *fakeBuffers) {
	x.keys("g", "e")
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
}

// held shows agents that rest, are stalled and fail.
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
	x.keys("enter")
	x.take("Desk of an agent that fails")
}
