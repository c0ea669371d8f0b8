//go:build unix

package e2e

import (
	"strings"
	"syscall"

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

var programCases = []programCase{
	{"the work context in the first request", true, false, afterCompletion(said), func(r *programRun) string {
		return []string{"not in it", "once", "twice"}[min(2, strings.Count(r.model.Requests()[0], "# Work of agent "+r.name))]
	}},
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
	{"a permission that it asks for at a terminal, in the inbox", false, false, nil, promptInInbox},
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
