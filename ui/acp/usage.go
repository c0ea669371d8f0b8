package acp

import (
	"cmp"
	"math"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
)

// UsageRule says what the tokens in the answer to a prompt are.
type UsageRule int

const (
	// UsageOfTurn: what the prompt used (Claude Code, Codex, Gemini CLI), as the protocol says.
	UsageOfTurn UsageRule = iota
	// UsageOfReply: what its last reply used (OpenCode). The others are not told, so the turn used at least that.
	UsageOfReply
	// UsageOfProcess: what the program used since it started (Copilot CLI).
	UsageOfProcess
)

// Usage counts what a turn used. Tokens come with the answer to a prompt. Until then, and if none come because the turn was cut off, they
// are estimated: with each of its replies the model reads the context.
type Usage struct {
	Rule UsageRule
	// Context is how many tokens the context has now, Size how many it can have. They are 0 if the program does not tell.
	Context, Size int
	// Total is what the session has cost in US dollars, as the program told it last. Set it at a resume to what it was at the end: the
	// program goes on from there, or starts again from 0.
	Total float64

	cost          float64
	told, process model.Usage
	// read are the estimated tokens since the last answer, last those of the reply in progress. called means that a call ended in it.
	read, last int
	called     bool
}

// Next is the usage of the next turn of the same process.
func (u Usage) Next() Usage {
	return Usage{Rule: u.Rule, Context: u.Context, Size: u.Size, Total: u.Total, process: u.process}
}

// Update takes one update of a session.
func (u *Usage) Update(n acp.SessionUpdate) {
	if c := CallOf(n); c != nil {
		u.called = u.called || Call{}.With(*c).Ended()
	}
	x := n.UsageUpdate
	if x == nil {
		return
	}
	u.Context, u.Size = x.Used, cmp.Or(x.Size, u.Size)
	if u.called {
		u.read, u.last, u.called = u.read+u.last, 0, false
	}
	u.last = max(u.last, x.Used)
	if c := x.Cost; c != nil && c.Currency == "USD" && c.Amount >= 0 && !math.IsInf(c.Amount, 0) {
		if u.cost += c.Amount; c.Amount >= u.Total {
			u.cost -= u.Total
		}
		u.Total = c.Amount
	}
}

// Answer takes the answer to a prompt. One without tokens leaves the estimate: the prompt was cancelled, or taken into another.
func (u *Usage) Answer(p acp.PromptResponse) {
	n := tokensOf(p)
	if n == (model.Usage{}) {
		return
	}
	u.read, u.last = 0, 0
	switch u.Rule {
	case UsageOfReply:
		u.told = model.Usage{}
	case UsageOfProcess:
		before := u.process
		if u.process = n; before.InputTokens <= n.InputTokens && before.OutputTokens <= n.OutputTokens {
			n.InputTokens -= before.InputTokens
			n.OutputTokens -= before.OutputTokens
		}
	}
	u.told = u.told.Plus(n)
}

// Used is what the turn used so far.
func (u *Usage) Used() model.Usage {
	return u.told.Plus(model.Usage{CostUSD: u.cost, InputTokens: int64(u.read + u.last)})
}

// tokensOf returns the tokens of an answer. Some programs count cached tokens and thoughts apart, which their total tells. Gemini CLI has a
// form of its own.
func tokensOf(p acp.PromptResponse) model.Usage {
	x := p.Usage
	if x == nil {
		n := func(name string) int64 {
			f, _ := in(p.Meta, "quota", "token_count", name).(float64)
			return int64(f)
		}
		return model.Usage{InputTokens: n("input_tokens"), OutputTokens: n("output_tokens")}
	}
	out, thought := x.OutputTokens, given(x.ThoughtTokens)
	if x.TotalTokens == x.InputTokens+given(x.CachedReadTokens)+given(x.CachedWriteTokens)+out+thought {
		out += thought
	}
	return model.Usage{InputTokens: int64(max(x.InputTokens, x.TotalTokens-out)), OutputTokens: int64(out)}
}
