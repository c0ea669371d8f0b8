package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// session is the part of OpenCode that our plugin uses: the client of its SDK and Bun's spawn.
const session = `
import { spawn } from "node:child_process"
import { Readable } from "node:stream"
globalThis.Bun = { spawn(words, o) {
  const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
  child.stdin.on("error", () => {}) // one that does not read
  return { stdin: child.stdin, stdout: Readable.toWeb(child.stdout), exited: new Promise((done) => child.on("close", done)) }
} }
const { VisePlugin } = await import("./plugin.mjs")
const messages = [{ info: { id: "m1", role: "assistant" }, parts: [{ type: "text", text: "in s1" }] }]
const client = { session: {
  messages: async () => ({ data: messages }),
  promptAsync: async (x) => console.log("prompted " + JSON.stringify(x)),
} }
const plugin = await VisePlugin({ client })
const event = (type) => plugin.event({ event: { type, properties: { sessionID: "s1" } } })
const said = (id, ...parts) => messages.push({ info: { id, role: "assistant" }, parts })
const text = (text) => ({ type: "text", text })
const tool = (tool, callID, status) => ({ type: "tool", tool, callID, state: { status, input: { work_item_id: "ITEM" }, output: '{"completed_transition":true}' } })
`

// untyped removes the types of the plugin, whose code is simple enough for that.
var untyped = strings.NewReplacer(": Promise<string>", "", ": string", "", ": unknown", "", ": any", "")

// inPlugin runs steps in a session with our plugin; a shell script stands in for vise. It returns the output, and the
// directory in which vise runs too.
func inPlugin(t *testing.T, vise, steps string) (out, dir string) {
	t.Helper()
	node := storetest.Needs(t, "node")
	dir = t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	o := Options{Program: "opencode", Agent: "ann", Getenv: func(string) string { return dir }}
	o.Vise = write("vise", "#!/bin/sh\ncd '"+dir+"'\n"+vise+"\n")
	for _, x := range o.openCode() {
		if strings.HasSuffix(x.path, "vise.ts") {
			plugin, _, _ := x.edit(nil, false)
			write("plugin.mjs", untyped.Replace(string(plugin)))
		}
	}
	write("session.mjs", session+steps)
	run := exec.Command(node, "session.mjs")
	run.Dir = dir
	raw, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, raw)
	}
	return strings.TrimSpace(string(raw)), dir
}

func heardIn(dir, event string) string {
	raw, _ := os.ReadFile(filepath.Join(dir, event))
	return string(raw)
}

// TestAnOpenCodeSessionThatRestsIsPromptedWithWhatWaits, and is not prompted if nothing waits.
func TestAnOpenCodeSessionThatRestsIsPromptedWithWhatWaits(t *testing.T) {
	for _, c := range []struct{ event, vise, want, heard string }{
		{"session.idle", "cat > $3; echo Use LFU.", `prompted {"path":{"id":"s1"},"body":{"parts":[{"type":"text","text":"Use LFU."}]}}`, `"text":"in s1"`},
		{"session.idle", "cat > $3", "", `"sessionID":"s1"`},
		{"session.created", "cat > $3; echo a context", "", `"sessionID":"s1"`},
		{"session.idle", "exit 1", "", ""},
	} {
		out, dir := inPlugin(t, c.vise, fmt.Sprintf("await event(%q)", c.event))
		if heard := heardIn(dir, c.event); out != c.want || !strings.Contains(heard, c.heard) {
			t.Errorf("%s, %q: said %s, heard %s; want %s", c.event, c.vise, out, heard, c.want)
		}
	}
}

// TestOpenCodeSendsWhatCompletedSomethingHoweverMuchFollows: it is sent once, with little of what followed.
func TestOpenCodeSendsWhatCompletedSomethingHoweverMuchFollows(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("opencode")
	_, dir := inPlugin(t, "cat > $3.new; mv $3.new $3", strings.ReplaceAll(`
		messages.push({ info: { id: "m2", role: "user" }, parts: [text("Do it.")] })
		said("m3", text("It is split."), tool("vise_CompleteWorkItem", "c1", "completed"))
		for (let i = 4; i < 200; i++) said("m" + i, text("Then."), { ...tool("bash", "c" + i, "completed"), more: "x".repeat(100000) })
		said("m200", text("Anything else?"))
		await event("session.idle")
		await (await import("node:fs/promises")).rename("session.idle", "first")
		said("m201", text("Hello."))
		await event("session.idle")`, "ITEM", string(id)))
	first := strings.ReplaceAll(heardIn(dir, "first"), "ITEM", string(id))
	if len(first) > 2000 {
		t.Errorf("%d bytes were sent", len(first))
	}
	if second := heardIn(dir, "session.idle"); strings.Contains(second, "split") || !strings.Contains(second, "Hello.") {
		t.Errorf("sent again, or not at all: %s", second)
	}
	b.must(first, "opencode", "session.idle")
	b.reported(id, "It is split.", model.ReportSameRound)
}

// TestWhatAnOpenCodeSessionUsedIsCountedOnce, also when a new plugin tells all of it again.
func TestWhatAnOpenCodeSessionUsedIsCountedOnce(t *testing.T) {
	_, dir := inPlugin(t, "cat > $3.new; mv $3.new $3", `
		const used = (id, created, input) => messages.push({ parts: [text("So.")], info: { id, role: "assistant", time: { created },
			tokens: { input, output: 3, reasoning: 1, cache: { read: 20, write: 5 } } } })
		used("m2", Date.UTC(2026, 10, 27), 100)
		used("m3", Date.UTC(2026, 10, 28), 200)
		await event("session.idle")
		await (await import("node:fs/promises")).rename("session.idle", "first")
		used("m4", Date.UTC(2026, 10, 28), 300)
		await event("session.idle")`)
	b := newHookBench(t)
	b.must(`{"sessionID":"s1"}`, "opencode", "chat.message")
	for _, told := range []struct{ payload, want string }{
		{"first", "map[2026-11-27:{0 125 4} 2026-11-28:{0 225 4}]"},
		{"first", "map[2026-11-27:{0 125 4} 2026-11-28:{0 225 4}]"},
		{"session.idle", "map[2026-11-27:{0 125 4} 2026-11-28:{0 550 8}]"},
	} {
		b.must(heardIn(dir, told.payload), "opencode", "session.idle")
		s, _ := b.home.SessionOf("opencode", "opencode", "s1")
		if got := fmt.Sprint(s.Count.Days); got != told.want {
			t.Errorf("counted %s, want %s", got, told.want)
		}
	}
}

// TestAnOpenCodeThatIsKilledAfterACompletionLosesNoReport: the words of the reply are known when the completion is
// made.
func TestAnOpenCodeThatIsKilledAfterACompletionLosesNoReport(t *testing.T) {
	b := newHookBench(t)
	one, two := b.completed("opencode"), b.completed("opencode")
	for _, x := range []struct {
		id   model.ItemID
		call string
	}{{one, "c1"}, {two, "c2"}} {
		_, dir := inPlugin(t, "cat > $3", fmt.Sprintf(`
			said("m3", text("Both are split."), tool("vise_CompleteWorkItem", "c1", "running"), tool("vise_CompleteWorkItem", "c2", "running"))
			await plugin["tool.execute.after"]({ tool: "vise_CompleteWorkItem", sessionID: "s1", callID: %q, args: { work_item_id: %q } },
				{ content: [text('{"completed_transition":true}')] })`, x.call, x.id))
		b.must(heardIn(dir, "tool.execute.after"), "opencode", "tool.execute.after")
	}
	b.later(31 * time.Second)
	for _, id := range []model.ItemID{one, two} {
		b.offered(id, "Both are split.", model.ReportSameRound)
	}
}

// TestTheTitleOfAnOpenCodeSessionNeedsNoWorkContext: only the session itself gets the context.
func TestTheTitleOfAnOpenCodeSessionNeedsNoWorkContext(t *testing.T) {
	out, _ := inPlugin(t, "cat > /dev/null; echo the context", `
		await plugin["chat.message"]({ sessionID: "s1" }, { parts: [text("Do it.")] })
		for (const system of [["You are a title generator. You output ONLY a thread title."], ["You are opencode."]]) {
			await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, { system })
			console.log(system.length)
		}`)
	if out != "1\n2" {
		t.Errorf("system prompts: %q, want 1 for the title and 2 for the session", out)
	}
}

// TestOpenCodesPromptsAreToldAndAnswered: the plugin reports the prompt and that it was answered, and passes on the
// answer of vise.
func TestOpenCodesPromptsAreToldAndAnswered(t *testing.T) {
	out, dir := inPlugin(t, "cat > $3; echo once", `
		client.postSessionIdPermissionsPermissionId = async (x) => console.log(JSON.stringify(x))
		const asked = { id: "p1", sessionID: "s1", permission: "bash", patterns: ["git push"], metadata: { command: "git push" }, always: ["git *"] }
		await plugin.event({ event: { type: "permission.asked", properties: asked } })
		await plugin.event({ event: { type: "permission.replied", properties: { sessionID: "s1", requestID: "p1" } } })`)
	if want := `{"path":{"id":"s1","permissionID":"p1"},"body":{"response":"once"}}`; out != want {
		t.Errorf("answered %q, want %q", out, want)
	}
	const told = `{"sessionID":"s1","tool_name":"bash","tool_input":{"command":"git push"}`
	if got := heardIn(dir, askEvent); got != told+`,"permission_suggestions":["git *"]}` {
		t.Errorf("asked: %s", got)
	}
	if got := heardIn(dir, "permission.replied"); got != told+"}" {
		t.Errorf("answered there: %s", got)
	}
}
