package transcript

import (
	"encoding/json"
	"strings"
)

// Ran is a command that a program ran, and how it ended.
type Ran struct {
	Command    string
	ExitStatus int
}

// Commands finds the commands that claude and codex run in what they say. One whose exit
// status is not told is left out: how it ended is never guessed.
type Commands struct {
	// asked are claude's calls that have no answer yet, by id.
	asked map[string]string
}

// maxAsked bounds the calls that are remembered.
const maxAsked = 1000

// Line takes one line and returns the commands that ended with it.
func (c *Commands) Line(raw []byte) []Ran {
	var l struct {
		Type string `json:"type"`
		Item struct {
			Type     string `json:"type"`
			Command  string `json:"command"`
			ExitCode *int   `json:"exit_code"`
		} `json:"item"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil
	}
	switch {
	case l.Type == "item.completed" && l.Item.Type == "command_execution" && l.Item.ExitCode != nil && l.Item.Command != "":
		return []Ran{{bare(l.Item.Command), *l.Item.ExitCode}}
	case l.Type == "assistant":
		c.calls(l.Message.Content)
	case l.Type == "user":
		return c.results(l.Message.Content)
	}
	return nil
}

// bare is a command without the shell that codex puts around it.
func bare(command string) string {
	_, rest, wrapped := strings.Cut(command, "bash -lc ")
	if !wrapped || strings.ContainsAny(strings.TrimSuffix(command, "bash -lc "+rest), " '\"") {
		return command
	}
	if n := len(rest); n > 1 && (rest[0] == '\'' || rest[0] == '"') && rest[n-1] == rest[0] && !strings.Contains(rest[1:n-1], rest[:1]) {
		return rest[1 : n-1]
	}
	return rest
}

func (c *Commands) calls(content json.RawMessage) {
	var blocks []struct {
		Type, ID, Name string
		Input          struct {
			Command    string `json:"command"`
			Background bool   `json:"run_in_background"`
		}
	}
	if json.Unmarshal(content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "tool_use" && b.Name == "Bash" && b.Input.Command != "" && !b.Input.Background && len(c.asked) < maxAsked {
			if c.asked == nil {
				c.asked = map[string]string{}
			}
			c.asked[b.ID] = b.Input.Command
		}
	}
}

func (c *Commands) results(content json.RawMessage) []Ran {
	var blocks []struct {
		Type      string          `json:"type"`
		ToolUseID string          `json:"tool_use_id"`
		IsError   bool            `json:"is_error"`
		Content   json.RawMessage `json:"content"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	var out []Ran
	for _, b := range blocks {
		command, known := c.asked[b.ToolUseID]
		if b.Type != "tool_result" || !known {
			continue
		}
		delete(c.asked, b.ToolUseID)
		status := 0
		if b.IsError {
			var told bool
			if status, told = exitStatus(spoken(b.Content)); !told {
				continue // refused, or cut short: it says nothing of how the command ended
			}
		}
		out = append(out, Ran{command, status})
	}
	return out
}

// spoken is a result's text: a string, or blocks of text.
func spoken(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(content, &blocks) == nil && len(blocks) > 0 {
		return blocks[0].Text
	}
	return ""
}
