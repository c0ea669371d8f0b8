package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vise/model"
)

// say feeds the lines of a transcript to its reader and returns the rounds: words [completed] of tools.
func say(s *Replies, lines ...string) (got []string) {
	tell := func(list []Round) {
		for _, r := range list {
			got = append(got, fmt.Sprintf("%s %s %v %v", r.Provenance, r.Text.Raw(), r.Completed, r.Tools))
		}
	}
	for _, l := range lines {
		tell(s.Line([]byte(l)))
	}
	tell(s.Open())
	return got
}

const (
	words   = `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Done."}]}}`
	asks    = `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"%s","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":"%s"}}]}}`
	result  = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":%s}]}}`
	another = `{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Next."}]}}`
)

func TestWhatClaudeCompletesIsReadWithItsAnswers(t *testing.T) {
	long := `"` + strings.Repeat("x", 5000) + `"`
	one := []string{words, fmt.Sprintf(asks, "t1", "wi-1"), fmt.Sprintf(result, "t1", `"ok"`)}
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"one completion", append(one, another), []string{"same_round Done. [wi-1] [t1]", "same_round Next. [] []"}},
		{"two, whose answers come between", append(one, fmt.Sprintf(asks, "t2", "wi-2"), fmt.Sprintf(result, "t2", `"ok"`), another),
			[]string{"same_round Done. [wi-1 wi-2] [t1 t2]", "same_round Next. [] []"}},
		{"a repeated completion is none", []string{words, fmt.Sprintf(asks, "t1", "wi-1"), fmt.Sprintf(result, "t1", `"{\"completed_transition\":false}"`)},
			[]string{"same_round Done. [] []"}},
		{"a subagent's words are not the agent's", []string{strings.Replace(words, `{"type"`, `{"isSidechain":true,"type"`, 1)}, nil},
		{"long answers, to its call and to others", []string{words, fmt.Sprintf(asks, "t1", "wi-1"), fmt.Sprintf(result, "t9", long), fmt.Sprintf(result, "t1", long)},
			[]string{"same_round Done. [wi-1] [t1]"}},
		{"what is no JSON", []string{"not JSON", words}, []string{"same_round Done. [] []"}},
		{"an answer without its call", []string{fmt.Sprintf(result, "t9", `"ok"`)}, nil},
	} {
		if got := say(&Replies{Program: "claude"}, c.lines...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPartsOfOneMessageOfOpenCodeAreARound(t *testing.T) {
	const session = `[
		{"info":{"id":"m1","role":"user"},"parts":[{"type":"text","text":"do it"}]},
		{"info":{"id":"m2","role":"assistant"},"parts":[{"type":"text","text":"Done."},
			{"type":"tool","tool":"vise_CompleteWorkItem","callID":"c1","state":{"status":"completed","input":{"work_item_id":"wi-1"},"output":"{}"}},
			{"type":"tool","tool":"vise_CompleteWorkItem","callID":"c2","state":{"status":"error","input":{"work_item_id":"wi-2"}}}]}]`
	var messages []OpenCodeMessage
	if err := json.Unmarshal([]byte(session), &messages); err != nil {
		t.Fatal(err)
	}
	got := OpenCode(messages)
	if len(got) != 1 || got[0].ID != "m2" || got[0].Text != "Done." || !slices.Equal(got[0].Tools, []string{"c1"}) || got[0].Provenance != model.ReportSameRound {
		t.Errorf("got %+v", got)
	}
}

// Only our own server's tool completes work: another server's tool can have its name, or a part of it.
func TestACallOfAForeignServerCompletesNothing(t *testing.T) {
	for tool, ours := range map[string]bool{
		"mcp__vise__CompleteWorkItem": true, "mcp_vise_CompleteWorkItem": true, "vise_CompleteWorkItem": true,
		"mcp__advise__CompleteWorkItem": false, "mcp__tracker__CompleteWorkItem": false, "mcp__vise2__CompleteWorkItem": false,
		"mcp__tracker__vise_CompleteWorkItem": false, "mcp__vise__IncompleteWorkItem": false, "CompleteWorkItem": false,
	} {
		if got := Completes(tool, []byte(`{"work_item_id":"wi-1"}`)) != ""; got != ours {
			t.Errorf("%s: taken for ours %v", tool, got)
		}
	}
}
