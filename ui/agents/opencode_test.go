package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// session is OpenCode as far as our plugin meets it: the client of its SDK and Bun's spawn.
const session = `
import { spawn } from "node:child_process"
import { Readable } from "node:stream"
globalThis.Bun = { spawn(words, o) {
  const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
  child.stdin.on("error", () => {}) // one that does not read
  return { stdin: child.stdin, stdout: Readable.toWeb(child.stdout), exited: new Promise((done) => child.on("close", done)) }
} }
const { VisePlugin } = await import("./plugin.mjs")
const client = { session: {
  messages: async ({ path }) => ({ data: [{ info: { id: "m1", role: "assistant" }, parts: [{ type: "text", text: "in " + path.id }] }] }),
  promptAsync: async (x) => console.log("prompted " + JSON.stringify(x)),
} }
const plugin = await VisePlugin({ client })
await plugin.event({ event: { type: process.argv[2], properties: { sessionID: "s1" } } })
`

// untyped makes JavaScript of the plugin, which is plain enough for it.
var untyped = strings.NewReplacer(": Promise<string>", "", ": string", "", ": unknown", "", ": any", "")

// TestAnOpenCodeSessionThatRestsIsPromptedWithWhatWaits, and is left alone when nothing does.
func TestAnOpenCodeSessionThatRestsIsPromptedWithWhatWaits(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here, to run the plugin with")
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("session.mjs", session, 0o600)
	for _, c := range []struct{ event, vise, want, heard string }{
		{"session.idle", "cat > heard; echo Use LFU.", `prompted {"path":{"id":"s1"},"body":{"parts":[{"type":"text","text":"Use LFU."}]}}`, `"text":"in s1"`},
		{"session.idle", "cat > heard", "", `"sessionID":"s1"`},
		{"session.created", "cat > heard; echo a context", "", `"sessionID":"s1"`},
		{"session.idle", "exit 1", "", ""},
	} {
		vise := write("vise", "#!/bin/sh\ncd '"+dir+"'; rm -f heard\n"+c.vise+"\n", 0o700)
		o := Options{Program: "opencode", Agent: "ann", Vise: vise, Getenv: func(string) string { return dir }}
		var plugin []byte
		for _, x := range o.openCode(supported) {
			if strings.HasSuffix(x.path, "vise.ts") {
				plugin, _, _ = x.edit(nil, false)
			}
		}
		write("plugin.mjs", untyped.Replace(string(plugin)), 0o600)
		run := exec.Command(node, "session.mjs", c.event)
		run.Dir = dir
		out, err := run.CombinedOutput()
		heard, _ := os.ReadFile(filepath.Join(dir, "heard"))
		if err != nil || strings.TrimSpace(string(out)) != c.want || !strings.Contains(string(heard), c.heard) {
			t.Errorf("%s, %q: %v, said %s, heard %s; want %s", c.event, c.vise, err, out, heard, c.want)
		}
	}
}
