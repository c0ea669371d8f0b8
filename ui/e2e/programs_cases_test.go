package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"vise/model"
)

// programCase is what the model of a program says and does, and a function that returns the result in a few words.
type programCase struct {
	name string
	// short: it runs always; the others only in a long round.
	short bool
	// untrusted: vise is installed, and nobody has allowed its tools or trusted its hooks.
	untrusted bool
	// script is nil if got runs the program itself.
	script func(*programRun) []scriptedReply
	got    func(*programRun) string
}

const (
	reportWords = "The limiter is a package of its own; its tests pass. Zeichen: äöü 日本語.\n\n- a list\n- `code`"
	finalText   = "That was all there was to do."
)

func uses(text, tool string, input map[string]any) scriptedReply {
	return scriptedReply{Text: text, Calls: []scriptedCall{{Tool: tool, Input: input}}}
}

func named(id model.ItemID) map[string]any { return map[string]any{"work_item_id": string(id)} }

func completes(text string, id model.ItemID) scriptedReply {
	return uses(text, "CompleteWorkItem", named(id))
}

// afterCompletion is a script that completes the first item with words in the same reply.
func afterCompletion(next ...scriptedReply) func(*programRun) []scriptedReply {
	return func(r *programRun) []scriptedReply {
		return append([]scriptedReply{completes(reportWords, r.items[0])}, next...)
	}
}

func reportOfFirst(r *programRun) string { return r.report(r.items[0]) }

func reportsOfBoth(r *programRun) string {
	first, second := r.report(r.items[0]), r.report(r.items[1])
	if first == second {
		return "both: " + first
	}
	return first + "; " + second
}

var said = scriptedReply{Text: finalText}

// ownWords are the end of the report of one item, if it has words of its own.
func ownWords(id model.ItemID) string { return " This is the report of " + string(id) + "." }

// eachWithWords is a script that completes items one after the other, each picked and with words of its own.
func eachWithWords(n int) func(*programRun) []scriptedReply {
	return func(r *programRun) (out []scriptedReply) {
		for i, id := range r.items[:n] {
			if i > 0 {
				out = append(out, uses("", "PickWorkItem", named(id)))
			}
			out = append(out, completes(reportWords+ownWords(id), id))
		}
		return append(out, said)
	}
}

func reportsOf(n int) func(*programRun) string {
	return func(r *programRun) string {
		var all []string
		for _, id := range r.items[:n] {
			all = append(all, r.report(id))
		}
		if len(slices.Compact(slices.Clone(all))) == 1 {
			return "each: " + all[0]
		}
		return strings.Join(all, "; ")
	}
}

// tokensCounted compares what vise counted of the session with what the model told: 100 and 20 tokens a reply. The last hook may go on
// when its program has ended.
func tokensCounted(r *programRun) (cell string) {
	const wanted = "those of each reply, once"
	for limit := time.Now().Add(stateLimit); cell != wanted && time.Now().Before(limit); {
		var out struct {
			Data struct {
				Interactive []model.Usage `json:"interactive"`
			} `json:"data"`
		}
		if err := json.Unmarshal(r.vise("cost", "--json"), &out); err != nil {
			r.t.Fatal(err)
		}
		n := int64(len(r.model.Requests()))
		switch list := out.Data.Interactive; {
		case len(list) == 0:
			cell = "not told"
		case len(list) == 1 && list[0].InputTokens == 100*n && list[0].OutputTokens == 20*n:
			cell = wanted
		default:
			cell = fmt.Sprintf("%v of %d replies", list, n)
		}
	}
	return cell
}

// toolsAtFirst says how the first request has vise's tools.
func toolsAtFirst(r *programRun) string {
	first := r.model.Requests()[0]
	var q modelRequest
	_ = json.Unmarshal([]byte(first), &q) // a request of another shape has no tools
	switch {
	case slices.ContainsFunc(q.tools(), func(t modelTool) bool { return strings.HasSuffix(t.Name, "CompleteWorkItem") }):
		return "there"
	case strings.Contains(first, "CompleteWorkItem"):
		return "named in its text"
	}
	return "not there"
}

var programCases = []programCase{
	{"the work context in the first request", true, false, afterCompletion(said), func(r *programRun) string {
		return []string{"not in it", "once", "twice"}[min(2, strings.Count(r.model.Requests()[0], "# Work of agent "+r.name))]
	}},
	{"vise's tools in the first request", true, false, afterCompletion(said), toolsAtFirst},
	{"words beside the completion", false, false, afterCompletion(said), reportOfFirst},
	{"the same, its tools not permitted, its hooks not trusted", false, true, afterCompletion(said), reportOfFirst},
	{"no words beside it", false, false, func(r *programRun) []scriptedReply {
		return []scriptedReply{completes("", r.items[0]), said}
	}, reportOfFirst},
	{"two completions in one reply", false, false, func(r *programRun) []scriptedReply {
		both := completes(reportWords, r.items[0])
		both.Calls = append(both.Calls, completes("", r.items[1]).Calls...)
		return []scriptedReply{both, said}
	}, reportsOfBoth},
	{"two completions one after the other, each with words", false, false, eachWithWords(2), reportsOf(2)},
	{"three completions one after the other, each with words", false, false, eachWithWords(3), reportsOf(3)},
	{"a refused completion", false, false, func(*programRun) []scriptedReply {
		return []scriptedReply{completes(reportWords, "wi-nosuch"), said}
	}, reportOfFirst},
	{"60 calls after the completion", false, false, func(r *programRun) []scriptedReply {
		var calls []scriptedReply
		for range 60 {
			calls = append(calls, uses("", "ListWorkItems", map[string]any{"limit": 1}))
		}
		return afterCompletion(append(calls, said)...)(r)
	}, reportOfFirst},
	{"the model fails after it", true, false, afterCompletion(scriptedReply{Status: 400}), reportOfFirst},
	{"SIGINT after it", false, false, signalled(syscall.SIGINT), reportOfFirst},
	{"SIGKILL after it", false, false, signalled(syscall.SIGKILL), reportOfFirst},
	{"tokens that `vise cost` counts", false, false, eachWithWords(2), tokensCounted},
	{"a permission that it asks for at a terminal, in the inbox", false, false, nil, promptInInbox},
	{"what `vise sessions` says at a terminal: it answers, asks, is refused, is killed", false, false, nil, statesAtTerminal},
	{"its settings after install and `--uninstall`", true, false, nil, settingsLeft},
}

// signalled is a script in which a signal ends the program after a completion.
func signalled(with syscall.Signal) func(*programRun) []scriptedReply {
	return func(r *programRun) []scriptedReply {
		return afterCompletion(scriptedReply{Before: func(gone func()) { r.signal(with); gone() }})(r)
	}
}

// headless is how a program is started with our model. Crush has no argument for one.
func headless(name, url, prompt string, codeMode bool) headlessRun {
	if name != "crush" {
		return headlessOn(name, url, prompt, codeMode)
	}
	return headlessRun{Args: []string{"run", "--quiet", prompt}, Env: []string{"SCRIPTED_URL=" + url + "/v1"},
		Files: map[string]string{".config/crush/crush.json": `{"options": {"disable_provider_auto_update": true, "disable_metrics": true},
			"models": {"large": {"model": "scripted", "provider": "scripted"}, "small": {"model": "scripted", "provider": "scripted"}},
			"providers": {"scripted": {"type": "openai-compat", "base_url": "$SCRIPTED_URL", "api_key": "scripted",
			"models": [{"id": "scripted", "name": "scripted", "context_window": 200000, "default_max_tokens": 8000}]}}}`}}
}
