package acp

import (
	"encoding/json"
	"fmt"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
)

// A form is asked for by its titles and filled with its values, as Claude Code and others spell them.
func TestAFormIsFilledWithAnAnswer(t *testing.T) {
	const claude = `"q":{"type":"string","title":"Cache","oneOf":[{"const":"lru","title":"LRU"},{"const":"lfu","title":"LFU"}]},
		"q_custom":{"type":"string","title":"Other"}`
	const several = `"q":{"type":"array","items":{"anyOf":[{"const":"a","title":"One"},{"const":"b","title":"Two"}]}}`
	for _, c := range []struct{ properties, choices, answer, want string }{
		{claude, "[LRU LFU]", "LFU", `{"q":"lfu"}`},
		{claude, "[LRU LFU]", "neither of them", `{"q_custom":"neither of them"}`},
		{several, "[One Two]", "two, One", `{"q":["b","a"]}`},
		{several, "[One Two]", "three", `no`},
		{`"q":{"type":"string","enum":["LRU","LFU"]}`, "[LRU LFU]", " lru ", `{"q":"LRU"}`},
		{`"q":{"type":"string","enum":["LRU","LFU"]}`, "[LRU LFU]", "FIFO", `no`},
		{`"q":{"type":"boolean"}`, "[yes no]", "no", `{"q":false}`},
		{`"q":{"type":"boolean"}`, "[yes no]", "perhaps", `no`},
		{`"q":{"type":"integer"}`, "[]", "7", `{"q":7}`},
		{`"q":{"type":"string"}`, "[]", "any words, these", `{"q":"any words, these"}`},
	} {
		form := decoded[acp.UnstableCreateElicitationForm](t, fmt.Appendf(nil, `{"mode":"form","requestedSchema":{"type":"object","properties":{%s}}}`, c.properties))
		fields, content, got := Fields(form), map[string]any{}, "no"
		if len(fields) != 1 || fmt.Sprint(fields[0].Choices) != c.choices {
			t.Fatalf("%s: asked for %+v", c.properties, fields)
		}
		if fields[0].Fill(content, c.answer) {
			raw, _ := json.Marshal(content)
			got = string(raw)
		}
		if got != c.want {
			t.Errorf("%s, answered %q: got %s, want %s", c.properties, c.answer, got, c.want)
		}
	}
}

func TestAnEditTellsOnlyTheLinesThatItChanges(t *testing.T) {
	old := "a\nb\nc\n"
	for text, want := range map[string]model.Text{"a\nB\nc\n": "+1 -1", "a\nb\nc\nd\n": "+1 -0", "": "+0 -3", "-x\n+y\n@@ z\n": "+3 -3"} {
		c := Call{Status: acp.ToolCallStatusCompleted}
		c.Content = []acp.ToolCallContent{{Diff: &acp.ToolCallContentDiff{OldText: &old, NewText: text}}}
		if got := c.Outcome(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
