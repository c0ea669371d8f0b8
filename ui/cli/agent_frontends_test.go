package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
)

// TestTheEnvironmentSaysWhoAnAgentIs: the environment of the program's starter names the agent, before the program's
// own settings.
func TestTheEnvironmentSaysWhoAnAgentIs(t *testing.T) {
	other := filepath.Join(t.TempDir(), "home")
	s := &session{t: t, agent: "claude", named: "bob", home: filepath.Join(t.TempDir(), "home"), claude: t.TempDir(), settings: []string{"--home", other}}
	s.serve(s.program("mcp", "--agent", "claude", "--home", other))
	id := s.item("One")
	s.says("m1", "It is done; tests pass.")
	s.completes("m1", id)
	s.stops("It is done; tests pass.")
	if v, _ := s.records(id); v.AgentID != "bob" || v.Report == nil {
		t.Errorf("the item is %s's, with report %+v", v.AgentID, v.Report)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("the settings' home was used")
	}
}

// session is an agent's session: an MCP server as a process, and its hooks as others.
type session struct {
	t      *testing.T
	home   string
	claude string
	in     io.WriteCloser
	out    *bufio.Reader
	// agent is the agent that the hooks are installed for; complaint is what they may write for a person.
	agent     string
	complaint string
	// named is the agent that the environment names; settings are further arguments of the installed hooks.
	named    string
	settings []string
	calls    int
	lines    []string
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{t: t, agent: "ann", home: filepath.Join(t.TempDir(), "home"), claude: t.TempDir()}
	s.serve(s.program("mcp", "--agent", "ann"))
	return s
}

// serve starts the MCP server.
func (s *session) serve(c *exec.Cmd) {
	s.t.Helper()
	t := s.t
	var err error
	if s.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	s.begin()
}

// begin is the handshake of MCP.
func (s *session) begin() {
	s.t.Helper()
	s.ask(`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// codeOf returns the code with which a call of a tool is refused; empty if it is not.
func (s *session) codeOf(tool, args string) model.Code {
	s.t.Helper()
	raw := s.ask(fmt.Sprintf(`"method":"tools/call","params":{"name":%q,"arguments":%s}`, tool, args))
	var r struct {
		IsError    bool                        `json:"isError"`
		Structured struct{ Error model.Error } `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.IsError != (r.Structured.Error.Code != "") {
		s.t.Fatalf("%s: %s", tool, raw)
	}
	return r.Structured.Error.Code
}

func (s *session) program(args ...string) *exec.Cmd {
	c := program(s.t, s.home, args...)
	c.Env = append(c.Env, "CLAUDE_CONFIG_DIR="+s.claude, "VISE_ACTOR=", "VISE_AGENT="+s.named)
	return c
}

func (s *session) ask(what string) json.RawMessage {
	s.t.Helper()
	s.calls++
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", s.calls, what)
	line, err := s.out.ReadBytes('\n')
	var a struct{ Result, Error json.RawMessage }
	if err != nil || json.Unmarshal(line, &a) != nil || a.Error != nil {
		s.t.Fatalf("%s: %v %s", what, err, line)
	}
	return a.Result
}

// tool calls a tool and returns its answer, as a JSON-RPC result.
func (s *session) tool(tool, args string) string {
	s.t.Helper()
	return string(s.ask(fmt.Sprintf(`"method":"tools/call","params":{"name":%q,"arguments":%s}`, tool, args)))
}

// context returns the resource that an agent reads at its start.
func (s *session) context() string {
	s.t.Helper()
	return string(s.ask(`"method":"resources/read","params":{"uri":"vise://context"}`))
}

func (s *session) call(tool, args string) model.View {
	s.t.Helper()
	raw := s.tool(tool, args)
	var r struct {
		Structured struct {
			Item    model.View `json:"work_item"`
			Current model.View `json:"current_work_item"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal([]byte(raw), &r); err != nil || strings.Contains(raw, `"isError":true`) {
		s.t.Fatalf("%s: %s", tool, raw)
	}
	if r.Structured.Item.ID == "" {
		return r.Structured.Current
	}
	return r.Structured.Item
}

// says adds words of a reply to the transcript.
func (s *session) says(message, words string) {
	s.lines = append(s.lines, fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[{"type":"text","text":%q}]}}`, message, words))
}

// completes makes a completion in one reply: the call, its hook and its lines.
func (s *session) completes(message string, id model.ItemID) {
	s.t.Helper()
	s.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, id))
	use := "toolu_" + string(id)
	s.lines = append(s.lines,
		fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[{"type":"tool_use","id":%q,"name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}`, message, use, id),
		fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"ok"}]}}`, use))
	s.hook("PostToolUse", fmt.Sprintf(`{"session_id":"s","tool_name":"mcp__vise__CompleteWorkItem","tool_input":{"work_item_id":%q},"tool_use_id":%q,"tool_response":"ok"}`, id, use))
}

func (s *session) stops(last string) {
	s.t.Helper()
	path := filepath.Join(s.claude, "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(s.lines, "\n")+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.hook("Stop", fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"stop_hook_active":false,"last_assistant_message":%q}`, path, last))
}

func (s *session) hook(event, input string) {
	s.t.Helper()
	c := s.program(append([]string{"hook", "claude", event, "--agent", s.agent}, s.settings...)...)
	c.Stdin = strings.NewReader(input)
	if x := run(s.t, c); x.code != 0 || x.stdout != "" || x.stderr != "" && (s.complaint == "" || !strings.Contains(x.stderr, s.complaint)) {
		s.t.Errorf("hook %s: exit %d, %s%s", event, x.code, x.stdout, x.stderr)
	}
}

func (s *session) item(objective string) model.ItemID {
	s.t.Helper()
	id := s.call("CreateWorkItem", fmt.Sprintf(`{"objective":%q}`, objective)).ID
	s.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q,"reason":"next"}`, id))
	return id
}

// records are what a completion leaves: the report, and the kinds of its events.
func (s *session) records(id model.ItemID) (model.View, string) {
	s.t.Helper()
	var shown struct {
		WorkItem model.View `json:"work_item"`
	}
	if err := json.Unmarshal(mustAsk(s.t, s.home, "show", string(id)).Data, &shown); err != nil {
		s.t.Fatal(err)
	}
	var kinds []string
	x := run(s.t, program(s.t, s.home, "events", "--item", string(id), "--json"))
	for _, k := range []model.EventKind{model.EventReportPromoted, model.EventBriefSuppressed, model.EventCompletionWarning, model.EventReportOffered} {
		if n := strings.Count(x.stdout, `"kind":"`+string(k)+`"`); n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s=%d", k, n))
		}
	}
	return shown.WorkItem, strings.Join(kinds, " ")
}

// TestThreeCasesOfCompletion: with words, without, and two at once, through MCP and hooks.
func TestThreeCasesOfCompletion(t *testing.T) {
	s := newSession(t)
	with := s.item("With words")
	s.says("m1", "It is done; tests pass.")
	s.completes("m1", with)
	s.stops("It is done; tests pass.")

	without := s.item("Without words")
	s.completes("m2", without)
	s.stops("")

	one := s.item("One of two")
	s.completes("m3", one)
	two := s.item("Two of two")
	s.completes("m3", two)
	s.says("m3", "Both are done.")
	s.stops("Both are done.")

	v, kinds := s.records(with)
	if v.Report == nil || v.Report.Text != "It is done; tests pass." || v.Report.By != model.ReportSameRound ||
		kinds != "work_item_completion_report_promoted=1 turn_terminal_brief_suppressed=1" {
		t.Errorf("with words: %+v, %s", v.Report, kinds)
	}
	v, kinds = s.records(without)
	if v.Report != nil || len(v.Offered) > 0 || kinds != "work_item_completion_warning=1" {
		t.Errorf("without: %+v %+v, %s", v.Report, v.Offered, kinds)
	}
	for _, id := range []model.ItemID{one, two} {
		v, kinds = s.records(id)
		if v.Report != nil || len(v.Offered) != 1 || kinds != "work_item_completion_warning=1 work_item_completion_report_offered=1" {
			t.Errorf("two at once: %+v %+v, %s", v.Report, v.Offered, kinds)
		}
	}
	mustAsk(t, s.home, "report", string(one), "--offered", "1")
	if v, _ = s.records(one); v.Report == nil || v.Report.By != model.ReportOperator {
		t.Errorf("chosen by the operator: %+v", v.Report)
	}
}

func TestHooksNeverFailTheProgramThatCalls(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	for _, args := range [][]string{{"hook"}, {"hook", "vim", "x"}, {"hook", "claude", "Stop", "--no-such-flag"}, {"hook", "claude", "Stop"}, {"hook", "--help"}} {
		c := program(t, home, args...)
		c.Stdin = strings.NewReader("garbage")
		if x := run(t, c); x.code != 0 || strings.Contains(x.stdout, "decision") {
			t.Errorf("%v: exit %d %s", args, x.code, x.stdout)
		}
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("a hook made a home")
	}
}

func TestPrimerIsShort(t *testing.T) {
	if n := (len([]rune(primer)) + 3) / 4; n > 600 {
		t.Errorf("the primer has %d tokens", n)
	}
}

func TestContextKeepsItsBudget(t *testing.T) {
	home, _, _ := newHome(t)
	x := mustAsk(t, home, "context", "--budget", "64")
	var d struct {
		Tokens int `json:"tokens"`
	}
	if err := json.Unmarshal(x.Data, &d); err != nil || d.Tokens > 64 || d.Tokens == 0 {
		t.Errorf("%d tokens, %v: %s", d.Tokens, err, x.stdout)
	}
	if x := ask(t, home, "context", "--budget", "0"); x.Error == nil || x.Error.Code != model.CodeInvalid {
		t.Errorf("got %s", x.stdout)
	}
}
