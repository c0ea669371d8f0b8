package mcp_test

import (
	"strings"
	"testing"

	"vise/model"
)

// TestAnAgentSeesItsOwnQuestion, which belongs to no item, in the list and in its context. The answer names it, and so does the message that
// it was withdrawn.
func TestAnAgentSeesItsOwnQuestion(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	c.call("WaitFor", `{"wake":"operator_input","reason":"a choice","question":"Which region?"}`)
	got := string(c.call("ListWorkItems", `{}`).Structured)
	if !strings.Contains(got, `"own_wait_conditions":[{"id":"wt-`) || !strings.Contains(got, `"question":"Which region?"`) {
		t.Errorf("the list is %s", got)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"vise://context"}}`)
	if a := c.read(); !strings.Contains(string(a.Result), "asks: Which region?") {
		t.Errorf("the context is %s", a.Result)
	}
	check := func(key, said string, does model.Command) {
		t.Helper()
		if _, err := c.ledger.Apply(t.Context(), model.Envelope{Key: key, Actor: model.Operator, Command: does}); err != nil {
			t.Fatal(err)
		}
		_, sent, _ := strings.Cut(string(c.call("ListWorkItems", `{}`).Structured), `"messages":`)
		for _, part := range []string{said, `"question":"Which region?"`, `"wait_condition_id":"wt-`} {
			if !strings.Contains(sent, part) {
				t.Errorf("%s is not in %s", part, sent)
			}
		}
	}
	check("1", "eu-west", model.Answer{AgentID: "ann", Text: "eu-west"})
	c.call("WaitFor", `{"wake":"operator_input","reason":"a choice","question":"Which region?"}`)
	var own []model.Wait
	if err := c.ledger.View(t.Context(), func(r model.Reader) error { own = r.ItemWaits("ann", ""); return nil }); err != nil {
		t.Fatal(err)
	}
	check("2", "withdrawn", model.CancelWait{WaitID: own[0].ID})
}
