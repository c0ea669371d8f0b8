package agents

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/transcript"
)

// Told reads what a session in its program's own terminal said, from an offset of its transcript on, at most the last bytes, and where the
// next will be. The entries are those of a driven session's log.
func Told(s home.Session, from, most int64) (out []acp.Entry, next int64, err error) {
	f, size, err := openOf(os.Getenv, s)
	if err != nil {
		return nil, from, err
	}
	defer f.Close()
	if size < from {
		from = 0
	}
	in := bufio.NewReader(io.NewSectionReader(f, from, size-from))
	if size-from > most {
		from = size - most
		in.Reset(io.NewSectionReader(f, from, most))
		line, _ := in.ReadBytes('\n')
		from += int64(len(line))
		out = append(out, acp.Earlier(s.Transcript))
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return out, from, nil
		}
		from += int64(len(line))
		l := transcript.Read(s.Program, bytes.TrimSpace(line))
		for _, e := range entries(l) {
			e.At = l.At
			out = append(out, e)
		}
	}
}

// entries are a line of a transcript as a session's log has it. A subagent's words are not the session's.
func entries(l transcript.Line) (out []acp.Entry) {
	if l.Apart {
		return nil
	}
	id := cmp.Or(l.Reply, "-") // a text without one is a notice
	add := func(u sdk.SessionUpdate) { out = append(out, acp.Entry{Update: &u}) }
	if l.Prompt != "" {
		out = append(out, acp.Entry{Prompt: model.Text(l.Prompt), From: model.Operator})
	}
	if l.Thought != "" {
		add(sdk.SessionUpdate{AgentThoughtChunk: &sdk.SessionUpdateAgentThoughtChunk{MessageId: &id, Content: sdk.TextBlock(l.Thought)}})
	}
	if !l.Whole || len(l.Calls) == 0 { // a whole reply was written without its calls before
		for _, t := range l.Texts {
			add(sdk.SessionUpdate{AgentMessageChunk: &sdk.SessionUpdateAgentMessageChunk{MessageId: &id, Content: sdk.TextBlock(t)}})
		}
	}
	for _, c := range l.Calls {
		add(sdk.SessionUpdate{ToolCall: callOf(c)})
	}
	for _, a := range l.Answers {
		status := sdk.ToolCallStatusCompleted
		if a.Failed {
			status = sdk.ToolCallStatusFailed
		}
		add(sdk.SessionUpdate{ToolCallUpdate: &sdk.SessionToolCallUpdate{ToolCallId: sdk.ToolCallId(a.ID), Status: &status,
			RawOutput: a.Text()}})
	}
	return out
}

// kinds are the kinds of the programs' tools, as the protocol has them.
var kinds = map[sdk.ToolKind][]string{
	sdk.ToolKindRead:   {"Read", "NotebookRead", "read", "read_file", "view", "read_many_files"},
	sdk.ToolKindSearch: {"Grep", "Glob", "LS", "grep", "glob", "list", "search_file_content", "list_directory", "rg"},
	sdk.ToolKindFetch:  {"WebFetch", "WebSearch", "web_fetch", "webfetch", "google_web_search", "fetch"},
}

// callOf is a call of a tool as the protocol has it.
func callOf(c transcript.ToolUse) *sdk.SessionUpdateToolCall {
	out := &sdk.SessionUpdateToolCall{ToolCallId: sdk.ToolCallId(c.ID), Title: c.Tool, Status: sdk.ToolCallStatusInProgress}
	t := transcript.ToolCall{Tool: c.Tool, Input: c.Input}
	var in map[string]any
	_ = json.Unmarshal(c.Input, &in) // input of another shape is shown by the tool's name
	out.RawInput = in
	if command := t.Command(); command != "" {
		out.Kind, out.RawInput = sdk.ToolKindExecute, map[string]any{"command": command}
		return out
	}
	files := t.Named()
	for _, path := range files {
		out.Locations = append(out.Locations, sdk.ToolCallLocation{Path: path})
	}
	for kind, names := range kinds {
		if slices.Contains(names, c.Tool) {
			out.Kind = kind
		}
	}
	text := func(names ...string) *string {
		for _, name := range names {
			if s, ok := in[name].(string); ok {
				return &s
			}
		}
		return nil
	}
	if t.Edits() {
		out.Kind = sdk.ToolKindEdit
		if added := text("new_string", "newString", "content", "file_text", "new_str"); added != nil && len(files) > 0 {
			out.Content = []sdk.ToolCallContent{sdk.ToolDiffContent(files[0], *added)}
			out.Content[0].Diff.OldText = text("old_string", "oldString", "old_str")
		}
	}
	return out
}
