package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
)

// say feeds lines to a stream and returns its rounds: words [completed] of tools.
func say(s Stream, lines ...string) (got []string) {
	tell := func(list []Round) {
		for _, r := range list {
			got = append(got, fmt.Sprintf("%s %s %v %v", r.Provenance, r.Text.Raw(), r.Completed, r.Tools))
		}
	}
	for _, l := range lines {
		rounds, _ := s.Line([]byte(l))
		tell(rounds)
	}
	tell(s.End())
	return got
}

const (
	words   = `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Done."}]}}`
	asks    = `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"%s","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":"%s"}}]}}`
	result  = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":%s}]}}`
	another = `{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Next."}]}}`
)

func TestWhatClaudeCompletesIsReadWithItsAnswers(t *testing.T) {
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
		{"a subagent's words are not the agent's", []string{strings.Replace(words, `{"type"`, `{"isSidechain":true,"type"`, 1), strings.Replace(words, `{"type"`, `{"parent_tool_use_id":"t9","type"`, 1)}, nil},
		{"an answer without its call", []string{fmt.Sprintf(result, "t9", `"ok"`)}, nil},
	} {
		if got := say(&Claude{}, c.lines...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCodexWordsAreNearAtBest(t *testing.T) {
	const (
		text = `{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}`
		done = `{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"vise","tool":"CompleteWorkItem","arguments":{"work_item_id":"wi-1"},"status":"completed"}}`
		ls   = `{"type":"item.completed","item":{"type":"command_execution"}}`
	)
	if got, want := say(&Codex{}, text, done), []string{"near_round Done. [wi-1] []"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got := Completing([]Round{{}, {Completed: []string{"wi-1"}}})
	if len(got) != 1 {
		t.Errorf("completing rounds: %v", got)
	}
	if got, want := say(&Codex{}, text, ls, done), []string{"near_round Done. [] []", "near_round  [wi-1] []"}; !slices.Equal(got, want) {
		t.Errorf("words before another tool: got %q, want %q", got, want)
	}
}

func TestHowATurnEndedIsRead(t *testing.T) {
	for _, c := range []struct {
		s            Stream
		line         string
		last, failed string
	}{
		{&Claude{}, `{"type":"result","subtype":"success","result":"All done."}`, "All done.", ""},
		{&Claude{}, `{"type":"result","subtype":"error_max_turns","is_error":true,"result":""}`, "", "error_max_turns: "},
		{&Codex{}, `{"type":"turn.failed","error":{"message":"no credit"}}`, "", "no credit"},
		{&Codex{}, `{"type":"item.completed","item":{"type":"agent_message","text":"Bye."}}`, "Bye.", ""},
	} {
		_, err := c.s.Line([]byte(c.line))
		last, failed := c.s.Last()
		if err != nil || last.Raw() != c.last || failed != c.failed {
			t.Errorf("%s: got %q, %q, %v", c.line, last, failed, err)
		}
	}
	for _, s := range []Stream{&Claude{}, &Codex{}} {
		if _, err := s.Line([]byte("not JSON")); err == nil {
			t.Errorf("%T takes what is not JSON", s)
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

func TestClaudeTellsItsUsageLimitAndThatNobodyPermittedItsCalls(t *testing.T) {
	const (
		rejected = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1893456000,"rateLimitType":"five_hour"}}`
		allowed  = `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1893456000}}`
		call     = `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"%s","name":"Bash","input":{}}]}}`
		ended    = `{"type":"result","subtype":"success","is_error":false,"result":"Bye.","permission_denials":[%s]}`
		denial   = `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{}}`
	)
	for _, c := range []struct {
		lines  []string
		limit  int64
		failed string
	}{
		{[]string{rejected}, 1893456000, ""},
		{[]string{rejected, allowed}, time.Time{}.Unix(), ""},
		{[]string{fmt.Sprintf(call, "t1"), fmt.Sprintf(ended, denial)}, time.Time{}.Unix(),
			"nobody permitted any of its 1 calls (Bash): permit them in its settings"},
		{[]string{fmt.Sprintf(call, "t1"), fmt.Sprintf(call, "t2"), fmt.Sprintf(ended, denial)}, time.Time{}.Unix(), ""},
		{[]string{fmt.Sprintf(ended, "")}, time.Time{}.Unix(), ""},
	} {
		s := &Claude{}
		say(s, c.lines...)
		if _, failed := s.Last(); s.Limit(time.Now()).Unix() != c.limit || failed != c.failed {
			t.Errorf("%s: limit %s, failed %q", c.lines, s.Limit(time.Now()), failed)
		}
	}
}
