package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"vise/model"
	"vise/ui/console"
)

// Input after : is read like a command line, and no command is sent.
func TestALineIsReadAsTheCommandLineReadsIt(t *testing.T) {
	dir, item, _ := newHome(t)
	a := consoleRunIn(t, dir)
	if _, err := open(a.Env); err != nil {
		t.Fatal(err)
	}
	id := model.ItemID(item)
	for line, want := range map[string]string{
		"new|Fix|the|flaky|test":                  `CreateWorkItem {"objective":"Fix the flaky test"}`,
		"new|Fix|it|--priority|high":              `CreateWorkItem {"objective":"Fix it","priority":"high"}`,
		"new|priority|queue":                      `CreateWorkItem {"objective":"priority queue"}`,
		"block|the|vault|is|shut":                 `"blocked_by":"the vault is shut"`,
		"wait|timer|2h":                           `"wake":"timer"`,
		"wait|operator|LRU|or|LFU?|--choice|LRU":  `"question":"LRU or LFU?"`,
		"update|priority|high":                    `"priority":"high"`,
		"update|objective|Split|the|rate|limiter": `"objective":"Split the rate limiter"`,
		"say|leave|the|script":                    `"text":"leave the script"`,
		"wait|timer|yesterday":                    "! is not a time",
		"wait|for|it":                             "! usage: wait",
		"update|colour|red":                       "! usage: update",
		"complete|now":                            "! takes no arguments here",
		"new|--agents|x":                          "! unknown flag",
		"answer|LRU":                              `Answer {`,
	} {
		cmd, err := a.readLine(t.Context(), strings.Split(line, "|"), console.Subject{Agent: defaultAgent, Item: id, Revision: 7})
		got := ""
		if err != nil {
			got = "! " + err.Error()
			if e, ok := err.(*model.Error); ok {
				got += " " + e.Hint
			}
		} else {
			raw, _ := json.Marshal(cmd)
			got = model.CommandName(cmd) + " " + string(raw)
		}
		if miss, refused := strings.CutPrefix(want, "! "); refused && (err == nil || !strings.Contains(got, miss)) || !refused && !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
