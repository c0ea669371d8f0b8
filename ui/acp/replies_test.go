package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/ui/transcript"
)

// told are rounds, a line each.
type told []string

func (t *told) add(rounds []transcript.Round) {
	for _, r := range rounds {
		*t = append(*t, fmt.Sprintf("%s %s %v", r.Provenance, r.Text.Raw(), r.Completed))
	}
}

// forms are the updates of a script's lines, by their first word; %[1]s is the second word, %[2]s the rest.
var forms = map[string]string{
	"says":   `{"sessionUpdate":"agent_message_chunk","messageId":"%[1]s","content":{"type":"text","text":"%[2]s"}}`,
	"notes":  `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%[1]s %[2]s"}}`,
	"thinks": `{"sessionUpdate":"agent_thought_chunk","messageId":"%[1]s","content":{"type":"text","text":"%[2]s"}}`,
	"aside": `{"sessionUpdate":"agent_message_chunk","messageId":"%[1]s","content":{"type":"text","text":"%[2]s"},
		"_meta":{"claudeCode":{"parentToolUseId":"c9"}}}`,
	"used": `{"sessionUpdate":"usage_update","used":100,"size":1000}`,
	"completes": `{"sessionUpdate":"tool_call","toolCallId":"%[1]s","title":"vise_CompleteWorkItem","kind":"other","status":"pending",
		"rawInput":{"work_item_id":"%[2]s"}}`,
	"calls": `{"sessionUpdate":"tool_call","toolCallId":"%[1]s","title":"%[2]s","kind":"other","status":"in_progress","rawInput":{}}`,
	"ended": `{"sessionUpdate":"tool_call_update","toolCallId":"%[1]s","status":"completed","rawOutput":"{\"completed_transition\":true}"}`,
	"again": `{"sessionUpdate":"tool_call_update","toolCallId":"%[1]s","status":"completed","rawOutput":"{\"completed_transition\":false}"}`,
	"fails": `{"sessionUpdate":"tool_call_update","toolCallId":"%[1]s","status":"failed"}`,
	"asks": `{"toolCallId":"%[1]s","title":"CompleteWorkItem (vise MCP Server)","kind":"other","status":"pending",
		"content":[{"type":"content","content":{"type":"text","text":"{\"work_item_id\":\"%[2]s\"}"}}]}`,
	"answered": `{"sessionUpdate":"tool_call_update","toolCallId":"%[1]s","title":"CompleteWorkItem (vise MCP Server)","status":"completed",
		"content":[{"type":"content","content":{"type":"text","text":"{\"work_item\":{\"handle\":\"%[2]s\",\"id\":\"%[2]s\"}}"}}]}`,
}

// run gives a script to r: a line each, or "over" and "broken" for the end of a prompt.
func run(t *testing.T, r *Replies, script string) string {
	t.Helper()
	var out told
	for line := range strings.Lines(strings.TrimSpace(script)) {
		what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, rest, _ := strings.Cut(rest, " ")
		raw := []byte(fmt.Sprintf(forms[what]+"%.0[1]s%.0[2]s", id, rest))
		switch what {
		case "over", "broken":
			rounds, final := r.End(what == "broken")
			out.add(rounds)
			out = append(out, "final "+final.Raw())
		case "refuses":
			r.Refused(acp.ToolCallId(id))
		case "asks":
			r.Asks(decoded[acp.ToolCallUpdate](t, raw))
		default:
			out.add(r.Update(decoded[acp.SessionUpdate](t, raw)))
		}
	}
	return strings.Join(out, "\n")
}

func decoded[T any](t *testing.T, raw []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestARoundIsOneReplyOfTheModel(t *testing.T) {
	for _, c := range []struct {
		name         string
		rule         ReplyRule
		script, want string
	}{
		{"three completions, each with the words of its reply", ReplyByUsage,
			`says m1 The limiter
			 says m1  is a package.
			 completes c1 wi-1
			 ended c1
			 says m2 The backoff has jitter.
			 completes c2 wi-2
			 ended c2
			 says m3 The README names the flag.
			 completes c3 wi-3
			 ended c3
			 says m4 That is all.
			 over`,
			`same_round The limiter is a package. [wi-1]
same_round The backoff has jitter. [wi-2]
same_round The README names the flag. [wi-3]
same_round That is all. []
final That is all.`},
		{"while a call is open all belongs to its reply", ReplyByUsage,
			`thinks t1 Both at once.
			 says m1 Both are done.
			 completes c1 wi-1
			 used
			 completes c2 wi-2
			 ended c2
			 says m2 More words.
			 ended c1
			 says m2 And more.
			 says m3 Bye.
			 over`,
			"same_round Both are done.\n\nMore words.And more. [wi-1 wi-2]\nsame_round Bye. []\nfinal Bye."},
		{"words of the same id after the call", ReplyUnknown,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 says m1 Tests pass.
			 over`,
			"same_round The limiter is a package.\n\nTests pass. [wi-1]\nfinal "},
		{"a thought begins a reply and is no words", ReplyUnknown,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 thinks m2 What is left?
			 completes c2 wi-2
			 ended c2
			 over`,
			"same_round The limiter is a package. [wi-1]\nsame_round  [wi-2]\nfinal "},
		{"a silent completion after one with words, told by the usage", ReplyByUsage,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 used
			 ended c1
			 used
			 completes c2 wi-2
			 ended c2
			 over`,
			"same_round The limiter is a package. [wi-1]\nsame_round  [wi-2]\nfinal "},
		{"a use before the call's end tells nothing", ReplyByUsage,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 used
			 ended c1
			 completes c2 wi-2
			 ended c2
			 says m2 Bye.
			 over`,
			"near_round The limiter is a package. [wi-1]\nnear_round  [wi-2]\nsame_round Bye. []\nfinal Bye."},
		{"a program that does not tell: offered, never another's", ReplyUnknown,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 used
			 completes c2 wi-2
			 ended c2
			 over`,
			"near_round The limiter is a package. [wi-1]\nnear_round  [wi-2]\nfinal "},
		{"a program that does not tell: the words before a foreign call are offered", ReplyUnknown,
			`says m1 The limiter is a package.
			 calls c1 bash
			 ended c1
			 completes c2 wi-2
			 ended c2
			 over`,
			"near_round The limiter is a package. [wi-2]\nfinal "},
		{"a program that does not tell: a foreign call changes nothing", ReplyUnknown,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 calls c2 bash
			 ended c2
			 over`,
			"same_round The limiter is a package. [wi-1]\nfinal "},
		{"parallel calls that run one after the other", ReplyGoesOn,
			`says m1 Both are done.
			 completes c1 wi-1
			 ended c1
			 completes c2 wi-2
			 ended c2
			 used
			 completes c3 wi-3
			 ended c3
			 over`,
			"same_round Both are done. [wi-1 wi-2]\nsame_round  [wi-3]\nfinal "},
		{"calls that begin with the request for a permission, and say their number", ReplyBySuffix,
			`notes Both are done.
			 asks x_1795_0 wi-1
			 answered x_1795_0 wi-1
			 asks x_1796_1 wi-2
			 answered x_1796_1 wi-2
			 asks x_1797_0 wi-3
			 answered x_1797_0 wi-3
			 asks x wi-4
			 answered x wi-4
			 over`,
			"same_round Both are done. [wi-1 wi-2]\nnear_round  [wi-3]\nnear_round  [wi-4]\nfinal "},
		{"a call that names its item only in its answer", ReplyBySuffix,
			`notes The limiter is a package.
			 answered x_1_0 wi-1
			 over`,
			"same_round The limiter is a package. [wi-1]\nfinal "},
		{"a refused permission ends its call", ReplyBySuffix,
			`notes The limiter is a package.
			 asks x_1_0 wi-1
			 refuses x_1_0
			 notes Nobody permits it.
			 over`,
			"same_round The limiter is a package. []\nsame_round Nobody permits it. []\nfinal Nobody permits it."},
		{"a completion that was refused, or made before, is none", ReplyByUsage,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 completes c2 wi-2
			 fails c1
			 again c2
			 says m2 It was refused.
			 over`,
			"same_round The limiter is a package. []\nsame_round It was refused. []\nfinal It was refused."},
		{"a notice is no words, even the first one", ReplyGoesOn,
			`notes Warning: metadata not found.
			 says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 notes Context compacted.
			 completes c2 wi-2
			 ended c2
			 over`,
			"same_round The limiter is a package. [wi-1 wi-2]\nfinal "},
		{"a subagent's words are not the agent's", ReplyByUsage,
			`says m1 I ask another.
			 calls c9 Task
			 aside m2 I am the other.
			 ended c9
			 says m3 The other is done.
			 over`,
			"same_round I ask another. []\nsame_round The other is done. []\nfinal The other is done."},
		{"the error of a failed prompt is no words", ReplyByUsage,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 says m2 Next I take the backoff.
			 says m3 API Error: 529 overloaded
			 broken`,
			"same_round The limiter is a package. [wi-1]\nsame_round Next I take the backoff. []\nfinal Next I take the backoff."},
		{"a failed prompt without an error's text keeps the words of its calls", ReplyByUsage,
			`says m1 The limiter is a package.
			 completes c1 wi-1
			 ended c1
			 broken`,
			"same_round The limiter is a package. [wi-1]\nfinal "},
		{"the end closes open calls; the ledger knows which were carried out", ReplyByUsage,
			`says m1 The limiter is a package.
			 calls c1 bash
			 completes c2 wi-1
			 over
			 ended c2
			 says m2 A new turn.
			 over`,
			"same_round The limiter is a package. [wi-1]\nfinal \nsame_round  []\nsame_round A new turn. []\nfinal A new turn."},
		{"the last words without a completion are the final ones", ReplyByUsage,
			`says m1 I changed the limiter.
			 calls c1 bash
			 ended c1
			 used
			 completes c2 wi-1
			 ended c2
			 over`,
			"same_round I changed the limiter. []\nsame_round  [wi-1]\nfinal I changed the limiter."},
		{"nothing was said", ReplyUnknown, "thinks m1 Hm.\nover", "final "},
	} {
		if got := run(t, &Replies{Program: Program{Replies: c.rule}}, c.script); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestARoundSaysWhatItCalled(t *testing.T) {
	r := &Replies{}
	for _, raw := range []string{
		`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"mcp.vise.PickWorkItem","kind":"execute",
			"rawInput":{"server":"vise","tool":"PickWorkItem","arguments":{"work_item_id":"wi-1"}},"_meta":{"is_mcp_tool_call":true}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Read limit.go","kind":"read","_meta":{"claudeCode":{"toolName":"Read"}}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c3","title":"vise-GetContext","kind":"other"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c3","title":"GetContext","kind":"other"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c4","title":"vise_CompleteWorkItem","kind":"execute","rawInput":{"command":"vise_CompleteWorkItem"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c5","title":"go test ./...","kind":"execute"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c6","title":"tracker_CompleteWorkItem","rawInput":{"work_item_id":"wi-1"}}`,
	} {
		r.Update(decoded[acp.SessionUpdate](t, []byte(raw)))
	}
	rounds, _ := r.End(false)
	if len(rounds) != 1 || !slices.Equal(rounds[0].Ours, []model.Text{"PickWorkItem", "GetContext"}) || rounds[0].ID != "c1" ||
		!slices.Equal(rounds[0].Others, []model.Text{"Read", "execute", "tracker_CompleteWorkItem"}) || len(rounds[0].Completed) > 0 {
		t.Errorf("got %+v", rounds)
	}
}

func TestCommandsAndHowTheyEndedAreToldInEachProgramsWay(t *testing.T) {
	const begin = `{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","title":"x","rawInput":{"command":"go test","cwd":"/repo"}%s}`
	for _, c := range []struct{ program, begin, end, want string }{
		{"claude", `,"_meta":{"claudeCode":{"toolName":"Bash"}}`, `"status":"completed","rawOutput":"ok"`, "[{go test /repo 0 false false}]"},
		{"claude", `,"_meta":{"claudeCode":{"toolName":"Bash"}}`, `"status":"failed","rawOutput":"Exit code 3\nFAIL"`, "[{go test /repo 3 false false}]"},
		{"claude", `,"_meta":{"claudeCode":{"toolName":"Bash"}}`, `"status":"failed","rawOutput":"permission denied"`, "[]"},
		{"codex", ``, `"status":"failed","rawOutput":{"exit_code":3}`, "[{go test /repo 3 false false}]"},
		{"codex", ``, `"status":"failed","_meta":{"terminal_exit":{"exit_code":3}}`, "[{go test /repo 3 false false}]"},
		{"codex", ``, `"status":"failed","_meta":{"terminal_exit":{"exit_code":null}}`, "[]"},
		{"opencode", ``, `"status":"completed","rawOutput":{"output":"FAIL","metadata":{"exit":3}}`, "[{go test /repo 3 false false}]"},
		{"copilot", ``, `"status":"completed","rawOutput":{"content":"FAIL\n<shellId: 0 completed with exit code 3>"}`, "[{go test /repo 3 false false}]"},
		{"gemini", ``, `"status":"completed","content":[{"type":"content","content":{"type":"text","text":"FAIL"}}]`, "[]"},
		{"a subagent's", `,"_meta":{"claudeCode":{"toolName":"Bash","parentToolUseId":"c9"}}`, `"status":"completed"`, "[{go test /repo 0 false false}]"},
	} {
		r := &Replies{}
		r.Update(decoded[acp.SessionUpdate](t, fmt.Appendf(nil, begin, c.begin)))
		r.Update(decoded[acp.SessionUpdate](t, []byte(`{"sessionUpdate":"tool_call_update","toolCallId":"c",`+c.end+`}`)))
		if got := fmt.Sprint(r.Ran()); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.program, c.end, got, c.want)
		}
		if again := r.Ran(); len(again) > 0 {
			t.Errorf("%s: told twice: %v", c.program, again)
		}
	}
}

// A program's flood of small pieces must cost a piece each.
func TestManyPiecesAreOneText(t *testing.T) {
	r, want := &Replies{}, strings.Repeat("ab", 50_000)
	for range 50_000 {
		r.Update(acp.UpdateAgentMessageText("ab"))
	}
	rounds, final := r.End(false)
	if len(rounds) != 1 || rounds[0].Text.Raw() != want || final.Raw() != want || rounds[0].ID != "" {
		t.Errorf("%d rounds", len(rounds))
	}
}

// Copilot CLI gives our tools the kinds of others. A command's title can be anything, so it names none of our tools.
func TestOurToolIsKnownByItsTitleWhateverItsKind(t *testing.T) {
	for kind, want := range map[acp.ToolKind]string{acp.ToolKindEdit: "vise-UpdateWorkItem", acp.ToolKindExecute: "execute"} {
		r := Replies{Program: Program{Replies: ReplyByUsage}}
		r.Update(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{ToolCallId: "c1", Title: "vise-UpdateWorkItem", Kind: kind}})
		title, other := "UpdateWorkItem", acp.ToolKindOther
		if r.Asks(acp.ToolCallUpdate{ToolCallId: "c1"}); kind == acp.ToolKindEdit {
			r.Asks(acp.ToolCallUpdate{ToolCallId: "c1", Title: &title, Kind: &other})
		}
		if got := r.Tool("c1"); got != want {
			t.Errorf("a call of kind %s is of the tool %s", kind, got)
		}
	}
}

// Codex and Copilot CLI end a turn as usual although the model failed. What they say of it is no word of the model's.
func TestAFailureOfTheModelThatEndsTheTurnAsUsualIsTold(t *testing.T) {
	chunk := func(id, words string) string {
		return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk"%s,"content":{"type":"text","text":%q}}`, id, words)
	}
	const state = `{"sessionUpdate":"session_info_update","_meta":{"codex":{"threadStatus":{"type":%q}}}}`
	call := []string{`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"x"}`, `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}`}
	const m1 = `,"messageId":"m1"`
	for name, c := range map[string]struct {
		program, failure, final string
		sent                    []string
	}{
		"Codex":                          {"codex", "400 no", "I begin.", []string{chunk("", "Warning: x"), chunk(m1, "I begin."), fmt.Sprintf(state, "systemError"), chunk("", "400 no\n")}},
		"Codex, which said nothing else": {"codex", "400 no", "", []string{chunk("", "Warning: x"), fmt.Sprintf(state, "systemError"), chunk("", "400 no\n")}},
		"Codex, which tried again":       {"codex", "", "Done.", []string{fmt.Sprintf(state, "systemError"), chunk("", "400 no\n"), fmt.Sprintf(state, "active"), chunk(m1, "Done.")}},
		"Copilot CLI":                    {"copilot", "Error: 400 no", "I begin.", append(append([]string{chunk("", "I begin.")}, call...), chunk("", "Error: 400 no"))},
		"a model's own words":            {"copilot", "", "Error: 400 is gone.", []string{chunk("", "Error"), chunk("", ": 400 is gone.")}},
		"another program's words":        {"gemini", "", "Error: 400 no", []string{chunk("", "Error: 400 no")}},
	} {
		p, _ := Named(c.program)
		r := Replies{Program: p}
		for _, raw := range c.sent {
			r.Update(decoded[acp.SessionUpdate](t, []byte(raw)))
		}
		failure := r.Failure()
		if _, final := r.End(false); failure != c.failure || final.Raw() != c.final {
			t.Errorf("%s: the failure is %q, the last words are %q", name, failure, final)
		}
	}
}

// What a program that gives words an id says without one is its own notice.
func TestANoticeIsNoWordOfTheModels(t *testing.T) {
	for program, want := range map[string]PartKind{"codex": PartNotice, "copilot": PartWords, "another": PartWords} {
		s, u := StoryOf(program), acp.UpdateAgentMessageText("Warning: no metadata")
		if i := s.Add(Entry{Update: &u}); s.Parts[i].Kind != want {
			t.Errorf("%s: the part is %+v", program, s.Parts[i])
		}
	}
}
