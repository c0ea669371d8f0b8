package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"vise/ui/mcp"
)

// An agent keeps where it left its item, and its next session reads that with the item, beside the linked todos that are open.
func TestAnAgentKeepsAndReadsItsThread(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(true), func(o *mcp.Options) { o.All = true })
	c.initialize()
	w := c.create("Fix the login")
	get := func() string {
		return string(c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured)
	}
	if got := get(); strings.Contains(got, `"left"`) {
		t.Errorf("there is neither a thread nor a linked todo: %s", got)
	}
	if got := c.call("UpdateThread", `{"next_action":"run the tests"}`); !got.IsError || got.code() != "not_found" {
		t.Errorf("without a thread: %s", got.Structured)
	}
	c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID))
	begun := string(c.call("UpdateThread", `{"goal":"Fix the login","unverified":["the token is new"],"discarded_hypotheses":["the clock is wrong"]}`).Structured)
	if !strings.Contains(begun, `| thread: fix-the-login, in progress`) {
		t.Errorf("begun: %s", begun)
	}
	said := string(c.call("UpdateThread", `{"next_action":"use --password hunter2","verify":["the token is new"]}`).Structured)
	for _, want := range []string{`"changed_fields":["next_action","unverified","verified"]`, `| next: use --password [redacted:password]`,
		`a secret in next_action is written as [redacted:KIND]`} {
		if !strings.Contains(said, want) {
			t.Errorf("kept %s, want %s", said, want)
		}
	}
	if got := string(c.call("UpdateThread", `{}`).Structured); !strings.Contains(got, `| dead end: the clock is wrong`) || strings.Contains(got, "changed_fields") {
		t.Errorf("read %s", got)
	}
	c.session(w.ID, "Quote the name", "Bound the buffer")
	got := get()
	for _, want := range []string{`| next: use --password [redacted:password]`, `| dead end: the clock is wrong`,
		`Linked file todos: 2 open`, `- reviews/abc123/review/002 (ready): Bound the buffer`} {
		if !strings.Contains(got, want) {
			t.Errorf("GetWorkItem answers %s, want %s", got, want)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"vise://context"}}`)
	text := string(c.read().Result)
	for _, want := range []string{"| next: use --password", "Linked file todos: 2 open"} {
		if !strings.Contains(text, want) {
			t.Errorf("the context is %s, want %s", text, want)
		}
	}
}

// What a thread says never makes an answer longer than its bound.
func TestALongThreadFitsTheAnswer(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(true), func(o *mcp.Options) { o.All = true })
	c.initialize()
	w := c.create(strings.Repeat("long ", 300))
	c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID))
	var words []string
	for i := range 12 {
		words = append(words, fmt.Sprintf(`"%d%s"`, i, strings.Repeat("é", 230)))
	}
	list := "[" + strings.Join(words, ",") + "]"
	kept := c.call("UpdateThread", `{"goal":"Fix","next_action":"go on","verified":`+list+`,"unverified":`+list+`,"risks":`+list+
		`,"recommended_commands":`+list+`,"discarded_hypotheses":`+list+`}`)
	for _, got := range []string{string(kept.Structured), string(c.call("UpdateThread", `{}`).Structured),
		string(c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured)} {
		if n := len([]rune(got)); n > 6200 || !strings.Contains(got, `| next: go on`) {
			t.Errorf("%d characters: %s", n, got)
		}
	}
}
