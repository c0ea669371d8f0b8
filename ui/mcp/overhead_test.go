package mcp_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"vise/model/prompt"
)

// What a session costs its model in addition to the work, in tokens of four characters. docs/performance.md has these
// figures.
func TestASessionsOverheadKeepsWithinItsBudget(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	var id string
	for n := range 24 {
		plan := fmt.Sprintf("# Split part %d\n\n%s", n, repeat("What is done, and how it is checked.\n", 20))
		w := c.call("CreateWorkItem", fmt.Sprintf(`{"objective":"Split part %d of the gateway into a service of its own","plan":%q}`, n, plan)).item(t)
		if n == 2 {
			id = string(w.ID)
		}
	}
	ask := func(method, params string) string {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params))
		return string(c.read().Result)
	}
	list := c.call("ListWorkItems", `{}`).Content[0].Text
	var page struct {
		Rows []json.RawMessage `json:"work_items"`
	}
	if err := json.Unmarshal([]byte(list), &page); err != nil || len(page.Rows) != 20 {
		t.Errorf("the page has %d items, %v", len(page.Rows), err)
	}
	all := 0
	for _, x := range []struct {
		what, text string
		most       int
	}{
		{"the seven tools", ask("tools/list", `{}`), 1500},
		{"the context", ask("resources/read", `{"uri":"vise://context"}`), 1500},
		{"a list of 20", list, 2400},
		{"a pick", c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, id)).Content[0].Text, 600},
		{"a completion", c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, id)).Content[0].Text, 600},
	} {
		n := prompt.Tokens(x.text)
		all += n
		t.Logf("%s: %d tokens", x.what, n)
		if n > x.most {
			t.Errorf("%s takes %d tokens, and may take %d", x.what, n, x.most)
		}
	}
	t.Logf("a session: %d tokens", all)
	if all > 5200 {
		t.Errorf("a session takes %d tokens, and may take 5200", all)
	}
}
