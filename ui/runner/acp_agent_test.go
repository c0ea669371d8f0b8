package runner

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"vise/model"
)

// player is a scripted program that speaks the Agent Client Protocol.
type player struct {
	mu      sync.Mutex // protects the output, replies and texts
	replies map[string]chan json.RawMessage
	texts   int
	asked   int
	// cancelled is closed when the client cancels the turn.
	cancelled chan struct{}
	do        func(model.Command)
	item      model.ItemID
	// nameless means that its words have no ids.
	nameless bool
	// how is how the session was opened, and the mode that it was given.
	how string
}

// floodOf is how many pieces acp-floods says.
const floodOf = 100_000

// acpScripts are what the program does with a prompt, by name. The result is the answer to the prompt.
var acpScripts = map[string]func(p *player, prompt string) string{
	"acp": (*player).completes,
	"acp-nameless": func(p *player, prompt string) string { // its words have no message ids
		p.nameless = true
		return p.completes(prompt)
	},
	"acp-asks": func(p *player, _ string) string {
		p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
		p.says("The answer was " + p.ask(`{"toolCallId":"c9","kind":"execute","title":"rm -rf build","rawInput":{"command":"rm -rf build"}}`))
		return `{"stopReason":"end_turn"}`
	},
	"acp-greets": func(p *player, _ string) string {
		p.says(fmt.Sprint("I am ", os.Getpid()))
		p.calls("ListWorkItems", nil)
		p.says("Hello.")
		return `{"stopReason":"end_turn"}`
	},
	"acp-mute": func(*player, string) string { return "" }, // it never answers initialize
	"acp-errs": func(p *player, _ string) string { // as Codex does
		p.says("I begin.")
		p.update(`{"sessionUpdate":"session_info_update","_meta":{"codex":{"threadStatus":{"type":"systemError"}}}}`)
		p.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"400 the model failed"}}`)
		return `{"stopReason":"end_turn"}`
	},
	"acp-floods": func(p *player, _ string) string {
		fileIs := func(name string) bool { _, err := os.Stat(os.Getenv("DIR") + name); return err == nil }
		if fileIs("/said") { // the next turn says nothing
			return `{"stopReason":"end_turn"}`
		}
		p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
		if err := os.WriteFile(os.Getenv("DIR")+"/begun", nil, 0o600); err != nil {
			panic(err)
		}
		for !fileIs("/held") {
			<-time.After(10 * time.Millisecond)
		}
		for i := range floodOf {
			p.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m9","content":{"type":"text","text":"%d "}}`, i))
		}
		if err := os.WriteFile(os.Getenv("DIR")+"/said", nil, 0o600); err != nil {
			panic(err)
		}
		return `{"stopReason":"end_turn"}`
	},
	"acp-limit": func(p *player, _ string) string {
		p.says("I begin.")
		return `!You've hit your session limit · resets Jan 1, 2100, 12am (UTC)`
	},
	"acp-exits": func(p *player, _ string) string {
		p.says("Last words.")
		fmt.Fprintln(os.Stderr, "no credit \x1b[2J left")
		os.Exit(3)
		return ""
	},
	"acp-cancel": func(p *player, _ string) string {
		p.says("I think.")
		<-p.cancelled
		p.says("I stopped.")
		return `{"stopReason":"cancelled"}`
	},
	"acp-twice": func(p *player, _ string) string {
		for _, id := range strings.Fields(os.Getenv("ITEMS")) {
			p.item = model.ItemID(id)
			p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
			p.says("Report of " + id)
			p.calls("CompleteWorkItem", model.CompleteWorkItem{WorkItemID: p.item})
		}
		return `{"stopReason":"end_turn"}`
	},
	"acp-silent": func(p *player, _ string) string {
		p.says("I take it.")
		p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
		p.texts++
		p.update(`{"sessionUpdate":"usage_update","used":1300,"size":100000}`)
		p.calls("CompleteWorkItem", model.CompleteWorkItem{WorkItemID: p.item})
		return `{"stopReason":"end_turn"}`
	},
	"acp-chatter": func(p *player, _ string) string {
		for i := range 5 {
			p.says(fmt.Sprintf("Round %d.", i))
			p.calls("ListWorkItems", nil)
		}
		<-p.cancelled
		return `{"stopReason":"cancelled"}`
	},
	"acp-long": func(p *player, _ string) string {
		p.says("Last words.")
		p.update(strings.Repeat("x", 11<<20))
		<-p.cancelled
		return ""
	},
	"acp-killed": func(p *player, _ string) string {
		p.says("Last words.")
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		<-p.cancelled
		return ""
	},
	"acp-leaves": func(p *player, _ string) string { // its question is open when its turn ends
		p.mu.Lock()
		p.replies["99"] = make(chan json.RawMessage, 1)
		p.mu.Unlock()
		p.write(`{"jsonrpc":"2.0","id":99,"method":"session/request_permission","params":{"sessionId":"ses-1","toolCall":` +
			`{"toolCallId":"c9","kind":"execute","title":"rm -rf build"},"options":[]}}`)
		p.says("I do not wait.")
		return `{"stopReason":"end_turn"}`
	},
	"acp-form": func(p *player, _ string) string {
		p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
		p.says("It answered " + string(p.request("elicitation/create", `{"mode":"form","message":"Which cache?","requestedSchema":{"type":"object",`+
			`"properties":{"kind":{"type":"string","enum":["LRU","LFU"]},"size":{"type":"integer"}}}}`)))
		return `{"stopReason":"end_turn"}`
	},
	"acp-opens": func(p *player, prompt string) string {
		if p.texts == 0 && strings.HasSuffix(p.how, "session/new") {
			p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
		}
		p.says("Opened by " + p.how)
		return `{"stopReason":"end_turn"}`
	},
	"acp-dies-speaking": func(p *player, _ string) string {
		p.says("Half a thou")
		<-p.cancelled
		return ""
	},
	"acp-dies-done": func(p *player, _ string) string {
		p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
		p.says("Done: it works.")
		p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c8","title":"mcp__vise__CompleteWorkItem","status":"pending","rawInput":{"work_item_id":%q}}`, p.item))
		p.do(model.CompleteWorkItem{WorkItemID: p.item})
		<-p.cancelled
		return ""
	},
	"acp-dies-asking": func(p *player, _ string) string {
		p.says("May I?")
		return p.ask(`{"toolCallId":"c9","kind":"execute","title":"rm -rf build"}`)
	},
}

func (p *player) completes(string) string {
	p.says("I look around.")
	p.calls("PickWorkItem", model.PickWorkItem{WorkItemID: p.item})
	p.says("Done: it works.")
	p.calls("CompleteWorkItem", model.CompleteWorkItem{WorkItemID: p.item})
	p.says("Anything else?")
	p.update(`{"sessionUpdate":"usage_update","used":1300,"size":100000,"cost":{"amount":0.04,"currency":"USD"}}`)
	return `{"stopReason":"end_turn","usage":{"inputTokens":6000,"outputTokens":400,"totalTokens":6400}}`
}

// playACP serves one connection.
func playACP(name string) {
	throughMCP(func(_ context.Context, do func(model.Command), id model.ItemID) {
		p := &player{replies: map[string]chan json.RawMessage{}, cancelled: make(chan struct{}), do: do, item: id}
		in := bufio.NewReader(os.Stdin)
		for {
			line, err := in.ReadBytes('\n')
			if err == io.EOF {
				return
			}
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct {
					Prompt []struct{ Text string }
					ModeID string
				}
				Result json.RawMessage
			}
			if err != nil || json.Unmarshal(line, &m) != nil {
				panic(fmt.Sprint(err, string(line)))
			}
			switch m.Method {
			case "initialize":
				if name == "acp-mute" {
					continue
				}
				p.write(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":%s,"agentInfo":{"name":"scripted","version":"1"}}}`,
					m.ID, cmp.Or(os.Getenv("CAN"), "{}"))
			case "session/load":
				p.says("Words of an earlier turn.")
				fallthrough
			case "session/new", "session/resume":
				p.how = m.Method
				p.answer(m.ID, `{"sessionId":"ses-1"}`)
			case "session/set_mode":
				p.how += " in mode " + m.Params.ModeID
				p.answer(m.ID, `{}`)
			case "session/prompt":
				go func() { p.answer(m.ID, acpScripts[name](p, m.Params.Prompt[0].Text)) }()
			case "session/cancel":
				close(p.cancelled)
			case "":
				p.mu.Lock()
				reply := p.replies[string(m.ID)]
				p.mu.Unlock()
				reply <- m.Result
			}
		}
	})
}

func (p *player) write(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Printf(format+"\n", args...)
}

// answer answers a request; words after ! are an error.
func (p *player) answer(id json.RawMessage, result string) {
	if words, failed := strings.CutPrefix(result, "!"); failed {
		p.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, id, words)
		return
	}
	p.write(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func (p *player) update(u string) {
	p.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":%s}}`, u)
}

// says says words in two chunks of a new reply.
func (p *player) says(words string) {
	p.texts++
	id := fmt.Sprintf(`"messageId":"m%d",`, p.texts)
	if p.nameless {
		id = ""
	}
	for _, part := range []string{words[:len(words)/2], words[len(words)/2:]} {
		p.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk",%s"content":{"type":"text","text":%q}}`, id, part))
	}
}

// calls calls a tool of vise.
func (p *player) calls(tool string, c model.Command) {
	input := fmt.Sprintf(`{"work_item_id":%q}`, p.item)
	p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"mcp__vise__%s","status":"pending","rawInput":%s}`, p.texts, tool, input))
	if c != nil {
		p.do(c)
	}
	p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","status":"completed","rawOutput":"{\"completed_transition\":true}"}`, p.texts))
}

// ask asks for a permission and returns the answer's option.
func (p *player) ask(call string) string {
	var in struct {
		Outcome struct{ Outcome, OptionID string }
	}
	answer := p.request("session/request_permission", fmt.Sprintf(`{"sessionId":"ses-1","toolCall":%s,"options":[`+
		`{"optionId":"yes","kind":"allow_once","name":"Yes"},{"optionId":"ever","kind":"allow_always","name":"Always"},{"optionId":"no","kind":"reject_once","name":"No"}]}`,
		call))
	if err := json.Unmarshal(answer, &in); err != nil {
		panic(err)
	}
	return in.Outcome.Outcome + " " + in.Outcome.OptionID
}

func (p *player) request(method, params string) json.RawMessage {
	reply := make(chan json.RawMessage, 1)
	p.mu.Lock()
	p.asked++
	id := fmt.Sprint(p.asked)
	p.replies[id] = reply
	p.mu.Unlock()
	p.write(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	return <-reply
}
