package acp

import (
	"fmt"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

func TestUsageIsThatOfTheTurnWhateverAProgramMeans(t *testing.T) {
	const answer = `{"stopReason":"end_turn","usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d%s}}`
	told := func(in, out, apart int, rest string) string { return fmt.Sprintf(answer, in, out, in+out+apart, rest) }
	update := func(used int, rest string) string {
		return fmt.Sprintf(`{"sessionUpdate":"usage_update","used":%d,"size":1000%s}`, used, rest)
	}
	cost := func(dollars string) string {
		return update(100, `,"cost":{"amount":`+dollars+`,"currency":"USD"}`)
	}
	const called = `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`
	for _, c := range []struct {
		name  string
		usage Usage
		lines []string
		want  string
	}{
		{"nothing is told", Usage{}, nil, ""},
		{"of the turn", Usage{}, []string{told(10, 2, 0, "")}, "tokens in 10, out 2"},
		{"cached tokens are told apart", Usage{}, []string{told(10, 2, 7, `,"cachedReadTokens":4,"cachedWriteTokens":3`)}, "tokens in 17, out 2"},
		{"cached tokens and thoughts are told within", Usage{}, []string{told(10, 2, 0, `,"cachedReadTokens":4,"thoughtTokens":1`)}, "tokens in 10, out 2"},
		{"thoughts are told apart", Usage{}, []string{told(10, 2, 5, `,"cachedReadTokens":4,"thoughtTokens":1`)}, "tokens in 14, out 3"},
		{"a quota of its own", Usage{}, []string{`{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":10,"output_tokens":2}}}}`},
			"tokens in 10, out 2"},
		{"two prompts in a turn", Usage{}, []string{told(10, 2, 0, ""), told(20, 3, 0, "")}, "tokens in 30, out 5"},
		{"a prompt that was taken into another", Usage{}, []string{told(0, 0, 0, ""), told(20, 3, 0, "")}, "tokens in 20, out 3"},
		{"of the last reply, told to two prompts", Usage{Rule: UsageOfReply}, []string{told(10, 2, 0, ""), told(10, 2, 0, "")}, "tokens in 10, out 2"},
		{"of the process", Usage{Rule: UsageOfProcess}, []string{told(10, 2, 0, ""), "next", told(25, 6, 0, "")}, "tokens in 15, out 4"},
		{"of a process that started again", Usage{Rule: UsageOfProcess}, []string{told(10, 2, 0, ""), "next", told(5, 1, 0, "")}, "tokens in 5, out 1"},
		{"estimated until the answer", Usage{}, []string{update(100, ""), update(110, ""), called, update(120, ""), called, called, update(130, "")},
			"tokens in 360, out 0"},
		{"the answer replaces the estimate", Usage{}, []string{update(100, ""), called, update(120, ""), told(200, 9, 0, "")}, "tokens in 200, out 9"},
		{"a cancelled prompt keeps the estimate", Usage{}, []string{update(100, ""), called, update(120, ""), told(0, 0, 0, "")}, "tokens in 220, out 0"},
		{"the next turn begins with nothing", Usage{}, []string{update(100, ""), cost("0.5"), told(9, 1, 0, ""), "next"}, ""},
		{"dollars of the session", Usage{}, []string{cost("0.5"), "next", cost("0.75"), cost("1.25")}, "$0.75, tokens in 100, out 0"},
		{"dollars that go on at a resume", Usage{Total: 2}, []string{cost("2.5")}, "$0.50, tokens in 100, out 0"},
		{"dollars that start again at a resume", Usage{Total: 2}, []string{cost("0.5"), cost("0.75")}, "$0.75, tokens in 100, out 0"},
		{"impossible dollars, and others", Usage{}, []string{cost("-3"), update(100, `,"cost":{"amount":5,"currency":"EUR"}`)}, "tokens in 100, out 0"},
	} {
		u := c.usage
		for _, line := range c.lines {
			switch {
			case line == "next":
				u = u.Next()
			case strings.Contains(line, "stopReason"):
				u.Answer(decoded[acp.PromptResponse](t, []byte(line)))
			default:
				u.Update(decoded[acp.SessionUpdate](t, []byte(line)))
			}
		}
		if got := u.Used().Words(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheContextIsAsItWasToldLast(t *testing.T) {
	var u Usage
	for _, line := range []string{`{"sessionUpdate":"usage_update","used":61000,"size":200000}`, `{"sessionUpdate":"usage_update","used":5000}`} {
		u.Update(decoded[acp.SessionUpdate](t, []byte(line)))
	}
	if u = u.Next(); u.Context != 5000 || u.Size != 200_000 {
		t.Errorf("context %d of %d", u.Context, u.Size)
	}
}
