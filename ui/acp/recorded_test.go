package acp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
)

// recorded are the sessions in which real programs completed work, by scenario. A, B and C are the items.
var recorded = map[string]string{
	"natural": `
same_round I take A. []
same_round REPORT-A A: the limiter is a package of its own. [A]
same_round Next. []
same_round REPORT-B B: the backoff has jitter. [B]
same_round FINAL-NATURAL that is all. []
final FINAL-NATURAL that is all.`,
	"three": `
same_round REPORT-A A alpha beta gamma delta. [A]
same_round REPORT-B B alpha beta gamma delta. [B]
same_round REPORT-C C alpha beta gamma delta. [C]
same_round FINAL-THREE one two three four. []
final FINAL-THREE one two three four.`,
	"two-in-one": `
same_round REPORT-TWO A and B are both done. [A B]
same_round FINAL-TWO1. []
final FINAL-TWO1.`,
	"words-then-silent": `
same_round REPORT-A A alpha beta gamma delta. [A]
same_round  [B]
same_round FINAL-THREE one two three four. []
final FINAL-THREE one two three four.`,
}

// rules are those of the recorded programs.
var rules = map[string]ReplyRule{"claude": ReplyByUsage, "codex": ReplyGoesOn, "gemini": ReplyBySuffix, "copilot": ReplyByUsage}

// eachRecorded runs a test on each recorded session. names are those of its items.
func eachRecorded(t *testing.T, run func(t *testing.T, program, scenario string, names []string, raw []byte)) {
	dir := filepath.Join(cmp.Or(os.Getenv("VISE_SHARED"), "../../../shared"), "fixtures/acp")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Skipf("no recorded sessions here: %v", err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\w+) \| ([\w-]+) \| (wi-.*) \|$`).FindAllStringSubmatch(string(readme), -1)
	if len(rows) != 20 {
		t.Fatalf("%d recorded sessions", len(rows))
	}
	for _, row := range rows {
		t.Run(row[1]+"/"+row[2], func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(dir, row[1], row[2]+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for i, item := range strings.Split(row[3], ", ") {
				names = append(names, "ABC"[i:i+1])
				raw = bytes.ReplaceAll(raw, []byte(item), []byte(names[i]))
			}
			run(t, row[1], row[2], names, raw)
		})
	}
}

func TestEveryReportOfTheRecordedProgramsIsOfItsOwnReply(t *testing.T) {
	eachRecorded(t, func(t *testing.T, program, scenario string, _ []string, raw []byte) {
		want := strings.TrimSpace(recorded[scenario])
		if program == "opencode" && scenario == "words-then-silent" { // it does not tell whether the second call is of a new reply
			want = strings.NewReplacer("same_round REPORT", "near_round REPORT", "same_round  [B]", "near_round  [B]").Replace(want)
		}
		replies := Replies{Program: Program{Replies: rules[program]}}
		usage := Usage{Rule: map[string]UsageRule{"opencode": UsageOfReply, "copilot": UsageOfProcess}[program]}
		if got := replay(t, raw, &replies, &usage); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		calls := map[string]int64{"natural": 5, "three": 4, "two-in-one": 2, "words-then-silent": 3}[scenario]
		tokens := model.Usage{InputTokens: 1200 * calls, OutputTokens: 80 * calls}
		switch program {
		case "claude":
			tokens.CostUSD = .008 * float64(calls)
		case "opencode":
			tokens = model.Usage{InputTokens: 1200, OutputTokens: 80}
		}
		used := usage.Used()
		if math.Abs(used.CostUSD-tokens.CostUSD) > 1e-6 || used.InputTokens != tokens.InputTokens || used.OutputTokens != tokens.OutputTokens {
			t.Errorf("used %+v, want %+v", used, tokens)
		}
	})
}

// message is a line of a program, as far as the tests read it.
type message struct {
	Method string
	Params json.RawMessage
	Result acp.PromptResponse
}

// messagesIn are the lines of a program.
func messagesIn(raw []byte) iter.Seq[message] {
	return func(yield func(message) bool) {
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var m message
			_ = json.Unmarshal(lines.Bytes(), &m) // other answers have other shapes
			if !yield(m) {
				return
			}
		}
	}
}

// replay gives the lines of a program to r and u and returns the rounds, a line each, and the turn's last words.
func replay(t *testing.T, raw []byte, r *Replies, u *Usage) string {
	var out told
	for m := range messagesIn(raw) {
		switch {
		case m.Method == acp.ClientMethodSessionUpdate:
			var n acp.SessionNotification
			if err := json.Unmarshal(m.Params, &n); err != nil {
				t.Fatal(err)
			}
			out.add(r.Update(n.Update))
			u.Update(n.Update)
		case m.Method == acp.ClientMethodSessionRequestPermission:
			var q acp.RequestPermissionRequest
			if err := json.Unmarshal(m.Params, &q); err != nil {
				t.Fatal(err)
			}
			r.Asks(q.ToolCall)
		case m.Result.StopReason != "":
			rest, final := r.End(false)
			out.add(rest)
			out = append(out, "final "+final.Raw())
			u.Answer(m.Result)
		}
	}
	return strings.Join(out, "\n")
}
