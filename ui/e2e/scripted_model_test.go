package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// scriptedModel is a model that replies as a script says. It speaks the streaming APIs that agents' programs use: Anthropic's Messages,
// OpenAI's Responses and Chat Completions, and Gemini's. It chooses a reply by the number of replies in the conversation, so a retry gets
// the same reply.
type scriptedModel struct {
	Script []scriptedReply

	mu    sync.Mutex // protects the fields below
	asked []string
}

// scriptedReply is one reply. Its calls name tools as their server does.
type scriptedReply struct {
	Text  string
	Calls []scriptedCall
	// Status, if set, is an HTTP status that is returned instead of a reply.
	Status int
	// Before is called before the reply begins, with a function that waits until the program has disconnected.
	Before func(gone func())
}

// scriptedCall is a call of a tool.
type scriptedCall struct {
	Tool  string
	Input map[string]any
}

// Requests returns the requests of conversations with tools, in the order of their arrival.
func (m *scriptedModel) Requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// modelRequest holds the used fields of a request of any of the APIs.
type modelRequest struct {
	Messages []struct {
		Role string `json:"role"`
	} `json:"messages"`
	Contents []struct {
		Role string `json:"role"`
	} `json:"contents"`
	Input []struct {
		Type  string      `json:"type"`
		Role  string      `json:"role"`
		Tools []modelTool `json:"tools"`
	} `json:"input"`
	Tools []modelTool `json:"tools"`
}

type modelTool struct {
	Name     string      `json:"name"`
	Type     string      `json:"type"`
	Function *modelTool  `json:"function"`
	Tools    []modelTool `json:"tools"`
	Gemini   []modelTool `json:"functionDeclarations"`
	space    string
}

// tools returns the tools of a request, including those in a name space of the Responses API and those that Codex lists in its first input.
func (r modelRequest) tools() (out []modelTool) {
	all := slices.Clip(r.Tools)
	for _, i := range r.Input {
		all = append(all, i.Tools...)
	}
	for _, t := range all {
		if t.Gemini != nil {
			out = append(out, t.Gemini...)
			continue
		}
		if t.Function != nil {
			t = *t.Function
		}
		for _, inner := range t.Tools {
			inner.space = t.Name
			out = append(out, inner)
		}
		if t.Type != "namespace" {
			out = append(out, t)
		}
	}
	return out
}

// replies returns the number of replies in the conversation.
func (r modelRequest) replies() (n int) {
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	for _, c := range r.Contents {
		if c.Role == "model" {
			n++
		}
	}
	within := false
	for _, x := range r.Input {
		model := x.Role == "assistant" || x.Type == "reasoning" || strings.HasSuffix(x.Type, "_call")
		if model && !within {
			n++
		}
		within = model
	}
	return n
}

// modelCall is a call in the form in which it is written.
type modelCall struct {
	id, space, name, input string
	// isCode means that the input is JavaScript that calls the tool (Codex's code mode).
	isCode bool
}

func (r modelRequest) calls(reply int, wanted []scriptedCall) (out []modelCall, missing []string) {
	all := r.tools()
	for n, w := range wanted {
		i := slices.IndexFunc(all, func(t modelTool) bool {
			return strings.HasSuffix(t.Name, w.Tool)
		})
		isCode := i < 0
		if isCode {
			i = slices.IndexFunc(all, func(t modelTool) bool { return t.Name == "exec" && t.Type == "custom" })
		}
		if i < 0 {
			missing = append(missing, w.Tool)
			continue
		}
		raw, _ := json.Marshal(w.Input) // values of a script always marshal
		c := modelCall{id: fmt.Sprintf("call_%d_%d", reply, n), space: all[i].space, name: all[i].Name, input: string(raw), isCode: isCode}
		if isCode {
			c.input = fmt.Sprintf("text(JSON.stringify(await tools.mcp__vise__%s(%s)))", w.Tool, raw)
		}
		out = append(out, c)
	}
	return out, missing
}

// maxRequest bounds a request in bytes.
const maxRequest = 32 << 20

// ServeHTTP is the model's API. Requests that are not for a reply get an empty object.
func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	raw, _ := io.ReadAll(io.LimitReader(q.Body, maxRequest))
	var r modelRequest
	speak := speakers[q.URL.Path[strings.LastIndexAny(q.URL.Path, "/:")+1:]]
	if speak == nil || json.Unmarshal(raw, &r) != nil {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":100,"data":[],"models":[]}`)
		return
	}
	reply, n := scriptedReply{Text: "Understood."}, r.replies()
	if len(r.tools()) > 0 { // otherwise the program asks for a title or a summary
		m.mu.Lock()
		m.asked = append(m.asked, string(raw))
		m.mu.Unlock()
		if n < len(m.Script) {
			reply = m.Script[n]
		}
	}
	if reply.Before != nil {
		reply.Before(func() { <-q.Context().Done() })
	}
	if reply.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"the script has it fail"}}`)
		return
	}
	calls, missing := r.calls(n, reply.Calls)
	for _, name := range missing {
		reply.Text += " There is no tool " + name + "."
	}
	w.Header().Set("Content-Type", "text/event-stream")
	speak(n, reply.Text, calls, func(event string, v any) {
		raw, _ := json.Marshal(v) // our own values always marshal
		if event != "" {
			fmt.Fprintf(w, "event: %s\n", event)
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	})
}

// object is a JSON object.
type object map[string]any

// speakers write a reply as the events of an API. The key is the last word of the API's path.
var speakers = map[string]func(n int, text string, calls []modelCall, emit func(event string, v any)){
	"messages": speakMessages, "responses": speakResponses, "completions": speakChat,
	"streamGenerateContent": speakGemini,
}

func speakMessages(n int, text string, calls []modelCall, send func(string, any)) {
	emit := func(kind string, o object) { o["type"] = kind; send(kind, o) }
	emit("message_start", object{"message": object{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant",
		"model": "scripted", "content": []any{}, "usage": object{"input_tokens": 100, "output_tokens": 1}}})
	i, stop := 0, "end_turn"
	block := func(begins, delta object) {
		emit("content_block_start", object{"index": i, "content_block": begins})
		emit("content_block_delta", object{"index": i, "delta": delta})
		emit("content_block_stop", object{"index": i})
		i++
	}
	if text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text})
	}
	for _, c := range calls {
		stop = "tool_use"
		block(object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": c.input})
	}
	emit("message_delta", object{"delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 20}})
	emit("message_stop", object{})
}

func speakResponses(n int, text string, calls []modelCall, send func(string, any)) {
	number := 0
	emit := func(kind string, o object) {
		o["type"], o["sequence_number"] = kind, number
		number++
		send(kind, o)
	}
	var items []object
	if text != "" {
		items = append(items, object{"type": "message", "id": fmt.Sprintf("msg_%d", n), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}}})
	}
	for _, c := range calls {
		item := object{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.name, "arguments": c.input,
			"status": "completed"}
		if c.isCode {
			item["type"], item["input"] = "custom_tool_call", c.input
			delete(item, "arguments")
		}
		if c.space != "" {
			item["namespace"] = c.space
		}
		items = append(items, item)
	}
	whole := object{"id": fmt.Sprintf("resp_%d", n), "object": "response", "status": "completed", "output": items,
		"usage": object{"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}}
	emit("response.created", object{"response": object{"id": whole["id"], "object": "response", "status": "in_progress",
		"output": []any{}}})
	for i, item := range items {
		emit("response.output_item.added", object{"output_index": i, "item": item})
		emit("response.output_item.done", object{"output_index": i, "item": item})
	}
	emit("response.completed", object{"response": whole})
}

func speakChat(n int, text string, calls []modelCall, send func(string, any)) {
	chunk := func(delta object, finish any) {
		send("", object{"id": fmt.Sprintf("chat_%d", n), "object": "chat.completion.chunk", "model": "scripted",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant", "content": text}, nil)
	stop := "stop"
	for i, c := range calls {
		stop = "tool_calls"
		chunk(object{"tool_calls": []any{object{"index": i, "id": c.id, "type": "function",
			"function": object{"name": c.name, "arguments": c.input}}}}, nil)
	}
	chunk(object{}, stop)
	send("", object{"id": fmt.Sprintf("chat_%d", n), "object": "chat.completion.chunk", "model": "scripted", "choices": []any{},
		"usage": object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
}

func speakGemini(_ int, text string, calls []modelCall, send func(string, any)) {
	var parts []any
	if text != "" {
		parts = append(parts, object{"text": text})
	}
	for _, c := range calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.name, "args": json.RawMessage(c.input)}})
	}
	send("", object{"candidates": []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}})
}
