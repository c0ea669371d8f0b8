package runner

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/model/prompt"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/config"
	"vise/ui/transcript"
)

// converse runs the turn over the Agent Client Protocol: one prompt, and more for messages that come meanwhile if the program takes them.
func (t *turn) converse(ctx context.Context, begin briefing) ending {
	var item model.ItemID
	if now := begin.Context.Current; now != nil {
		item = now.ID
	}
	s, err := t.sessionOf(ctx, item, t.index)
	if err != nil {
		return ending{failed: err, cause: context.Cause(ctx)}
	}
	c, err := s.begin(ctx, t)
	if err != nil {
		return ending{failed: err}
	}
	t.talk.Store(c)
	defer t.talk.Store(nil)
	var taking sync.WaitGroup
	taking.Go(func() { c.take(context.WithoutCancel(ctx)) })
	taking.Go(c.clock)
	end := c.prompts(ctx, begin)
	c.finish(&end)
	taking.Wait()
	c.answering.Wait()
	end.used, end.limit = t.used(), transcript.LimitIn(end.said, t.Now())
	c.close(end)
	return end
}

// begin begins a turn's conversation.
func (s *session) begin(ctx context.Context, t *turn) (*conversation, error) {
	log, offset, err := acp.OpenLog(s.Home, s.agent, s.kept.ID, s.Now)
	if err != nil {
		return nil, fmt.Errorf("the log of session %s: %w", s.kept.ID, err)
	}
	c := &conversation{turn: t, s: s, log: log,
		more: make(chan struct{}, 1), news: make(chan struct{}, 1),
		replies: acp.Replies{Program: s.spec}, usage: s.usage.Next()}
	_ = s.Ledger.View(ctx, func(r model.Reader) error { // without it the next turn looks again
		if a, _ := r.Agent(s.agent); a.Limits.MaxTokensPerDay > 0 {
			c.tokens = max(1, a.Limits.MaxTokensPerDay-a.UsedToday(s.Now()).Tokens())
		}
		return nil
	})
	c.ends, c.end = context.WithCancel(ctx)
	log.Add(acp.Entry{Turn: t.index})
	s.mu.Lock()
	s.live, s.kept.Turn, s.kept.Offset = c, t.index, offset
	err = s.sessions().BeginTurn(s.kept)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	s.note(home.SessionWorks, "")
	return c, nil
}

// prompts sends the turn's prompt, and returns when all prompts are answered. When ctx ends it cancels them, and ends the program if they
// are not answered then.
func (c *conversation) prompts(ctx context.Context, begin briefing) (end ending) {
	answers := make(chan func())
	send := func(read func() string, from model.Actor) {
		words := read()
		if words == "" {
			answers <- func() {}
			return
		}
		c.log.Add(acp.Entry{Prompt: model.Text(words), From: from})
		r, err := c.s.client.Prompt(context.WithoutCancel(ctx), words)
		answers <- func() {
			end.add(c.s, r.StopReason, err)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			c.usage.Answer(r)
		}
	}
	go send(func() string { return begin.Text }, model.Scheduler)
	cancelled, late := ctx.Done(), (<-chan time.Time)(nil)
	for pending := 1; pending > 0; {
		select {
		case answered := <-answers:
			pending--
			answered()
		case <-c.news:
			pending++
			go send(func() string { return c.message(ctx) }, model.Operator)
		case <-cancelled:
			cancelled, late = nil, time.After(cancelTime)
			if c.s.client.Cancel(context.WithoutCancel(ctx)); c.s.spec.Hangs && c.asking.Load() > 0 {
				late = time.After(0)
			}
		case <-late:
			go c.s.end(context.Cause(ctx))
		}
	}
	end.cause = context.Cause(ctx)
	return end
}

func inform(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default: // a signal is already pending
	}
}

// used is what the turn used so far.
func (t *turn) used() model.Usage {
	c := t.talk.Load()
	if c == nil {
		return model.Usage{}
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.usage.Used()
}

// add adds how a prompt ended.
func (e *ending) add(s *session, why sdk.StopReason, err error) {
	switch why {
	case sdk.StopReasonRefusal:
		e.said = "the model refused to go on"
	case sdk.StopReasonMaxTokens:
		e.said = "the reply reached the model's limit of tokens"
	case sdk.StopReasonMaxTurnRequests:
		e.said = "the turn reached the program's limit of requests to the model"
	}
	if err != nil {
		e.said, e.isError = err.Error(), true
		if !s.runs() {
			s.end(err)
			e.isError = false // what it said before is no error message
			if e.result, e.failed = s.how, s.fail; !s.how.OK() {
				e.said = "" // its exit status and standard error say more
			}
		}
		e.stderr = s.stderr.String()
	}
}

// finish ends what was being said, and adds the turn's last words.
func (c *conversation) finish(end *ending) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if !end.isError {
		end.said = cmp.Or(end.said, c.replies.Failure())
	}
	rest, final := c.replies.End(end.isError)
	c.rounds, end.final = append(c.rounds, rest...), final
	c.s.live = nil
	c.end()
	inform(c.more)
}

// close keeps what is known of the session between turns.
func (c *conversation) close(end ending) {
	how := end.command(c.agent, c.index)
	ended := model.Text(how.Outcome)
	if how.Reason != "" {
		ended += ": " + how.Reason
	}
	c.log.Add(acp.Entry{Ended: ended})
	if err := c.log.Close(); err != nil {
		c.report(Event{Turn: c.index, What: "the session's log", Err: err})
	}
	s := c.s
	s.mu.Lock()
	s.usage, s.kept.Usage, s.kept.Total = c.usage, end.used, c.usage.Total
	s.mu.Unlock()
	if s.runs() {
		s.note(home.SessionRests, "")
	}
	s.idle = time.AfterFunc(idleFor, func() { s.end(errNext) })
}

// settled forgets the turn: the ledger has all of its words.
func (s *session) settled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions().EndTurn(s.kept)
}

// take gives the ledger the rounds as they end. The key of a round says which it is, so that one that is read again from the log is not
// taken twice.
func (c *conversation) take(ctx context.Context) {
	for range c.more {
		c.s.mu.Lock()
		rounds, isOver := c.rounds, c.s.live != c
		ran := c.replies.Ran()
		c.rounds = nil
		c.keep()
		c.s.mu.Unlock()
		c.observe(ctx, ran)
		for _, r := range saidOf(rounds) {
			c.said++
			r.key = roundKey(c.agent, c.s.kept.ID, c.index, c.said)
			c.turn.take(ctx, r)
		}
		if isOver {
			return
		}
	}
}

// roundKey names a round of a session. Two agents' sessions can have the same id.
func roundKey(agent model.AgentID, session string, turn, n int) string {
	return model.Hash("round", string(agent), session, fmt.Sprint(turn), fmt.Sprint(n))[:32]
}

// keep notes at what the session works, and what the turn used so far. s.mu is held.
func (c *conversation) keep() {
	k := &c.s.kept
	doing := c.replies.Doing()
	used := c.usage.Used()
	if c.tokens > 0 && used.Tokens() >= c.tokens {
		c.cancel(errTokens)
	}
	if k.Doing == doing && k.Usage == used || c.s.live != c {
		return
	}
	if k.Doing != doing {
		k.Doing, k.Since = doing, c.Now().UTC()
	}
	k.Usage, k.Context, k.ContextSize = used, c.usage.Context, c.usage.Size
	c.s.sessions().Put(*k)
}

// clock ends the turn after its time. Seconds during which it waits for a person do not count.
func (c *conversation) clock() {
	for left := c.program.Turn.Timeout.Duration(); left > 0; {
		step := min(left, time.Second)
		if home.Pause(c.ends, step) != nil {
			return
		}
		if c.asking.Load() == 0 {
			left -= step
		}
	}
	c.cancel(errTimeout)
}

// asks counts a permission or a question as waiting until the returned function is called.
func (c *conversation) asks(what string) (done func()) {
	c.asking.Add(1)
	c.s.note(home.SessionAsks, what)
	return func() {
		if c.asking.Add(-1) == 0 && c.ends.Err() == nil {
			c.s.note(home.SessionWorks, "")
		}
	}
}

// Ask is part of acp.Listener. What only changes the agent's own records is allowed at once, and what the agent's policy allows.
func (s *session) Ask(r sdk.RequestPermissionRequest) func(context.Context) sdk.PermissionOptionId {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.live
	if c == nil {
		return func(context.Context) sdk.PermissionOptionId { return "" }
	}
	call := c.replies.Asks(r.ToolCall)
	if c.allows(call) {
		c.log.Add(acp.Entry{Ask: &r.ToolCall, Answer: model.Text(model.PermitOnce)})
		return func(context.Context) sdk.PermissionOptionId { return optionOf(r.Options, model.PermitOnce) }
	}
	c.log.Add(acp.Entry{Ask: &r.ToolCall})
	c.answering.Add(1)
	return func(ctx context.Context) sdk.PermissionOptionId {
		defer c.answering.Done()
		answer := c.permission(ctx, call, r.Options)
		c.log.Add(acp.Entry{Ask: &sdk.ToolCallUpdate{ToolCallId: call.ID}, Answer: cmp.Or(model.Text(answer), "cancelled")})
		if answer == model.PermitDeny {
			s.mu.Lock()
			defer s.mu.Unlock()
			c.replies.Refused(call.ID)
		}
		return optionOf(r.Options, answer)
	}
}

// openers are our tools that do more than change the agent's own records.
var openers = []string{"StartTask", "SpawnAgent", "OpenDelegation"}

// allows reports whether a call needs no answer of a person.
func (c *conversation) allows(call acp.Call) bool {
	if tool, ours := transcript.OurTool(c.replies.Tool(call.ID)); ours && !slices.Contains(openers, tool) {
		return true
	}
	switch c.program.Permissions {
	case config.PermitAll:
		return true
	case config.PermitEdits:
		outside := slices.ContainsFunc(call.Locations, func(l sdk.ToolCallLocation) bool {
			rel, err := filepath.Rel(c.s.dir, l.Path)
			return err != nil || !filepath.IsLocal(rel)
		})
		return call.Kind == sdk.ToolKindEdit && len(call.Locations) > 0 && !outside
	}
	return false
}

// optionOf returns the option that is an answer: "" if there is none. Of several that allow always, the one for this session is taken.
func optionOf(all []sdk.PermissionOption, answer model.PermissionAnswer) sdk.PermissionOptionId {
	kinds := map[model.PermissionAnswer]sdk.PermissionOptionKind{model.PermitOnce: sdk.PermissionOptionKindAllowOnce,
		model.PermitAlways: sdk.PermissionOptionKindAllowAlways, model.PermitDeny: sdk.PermissionOptionKindRejectOnce}
	var found sdk.PermissionOptionId
	for _, o := range all {
		isOfSession := o.OptionId == "allow_session" || o.OptionId == "proceed_always_tool" // Codex, Gemini CLI
		if o.Kind == kinds[answer] && (found == "" || isOfSession) {
			found = o.OptionId
		}
	}
	return found
}

// permission asks a person, and returns the answer; "" if the program asks no more.
func (c *conversation) permission(ctx context.Context, call acp.Call, options []sdk.PermissionOption) model.PermissionAnswer {
	tool, input := call.Words()
	ask := model.AskPermission{AgentID: c.agent, Program: model.Text(c.s.spec.Name), Session: model.Text(c.s.kept.ID),
		Tool: model.Text(tool), Input: model.Text(input), Process: Self(), AnswerMS: model.MaxPermissionAge.Milliseconds(),
		CanAlways: optionOf(options, model.PermitAlways) != "", Refused: !c.attended()}
	in, err := c.apply(ctx, model.AgentActor(c.agent), ask)
	if err != nil || ask.Refused {
		return model.PermitDeny
	}
	done := c.asks(tool)
	defer c.answering.Go(func() { // the program goes on meanwhile
		end := model.EndPermissions{AgentID: c.agent, PermissionIDs: []model.PermissionID{in.PermissionID}}
		_, _ = c.apply(context.WithoutCancel(ctx), model.AgentActor(c.agent), end) // it ends with this process too
		done()
	})
	var answer model.PermissionAnswer
	c.await(ctx, func(r model.Reader) bool {
		p, _, ok := model.PermissionOf(r, in.PermissionID)
		if answer = p.Answer; !ok {
			answer = model.PermitDeny // a person dismissed it
		}
		return answer != ""
	})
	return answer
}

// await is Await until the conversation ends.
func (c *conversation) await(ctx context.Context, done func(model.Reader) bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(c.ends, stop)()
	Await(ctx, c.Ledger, done)
}

// Await looks at the ledger, now and after each commit, until done, or until ctx ends.
func Await(ctx context.Context, l home.Ledger, done func(model.Reader) bool) {
	var seen uint64
	for isDone := false; ctx.Err() == nil; {
		err := l.View(ctx, func(r model.Reader) error {
			seen, isDone = r.Revision(), done(r)
			return nil
		})
		if isDone {
			return
		}
		if err == nil {
			_, err = l.Follow(ctx, seen)
		}
		if err != nil {
			home.Pause(ctx, retryAfter)
		}
	}
}

// attended reports whether a person can answer: nobody waits for a driver that ends by itself.
func (d *Driver) attended() bool { return !d.Once && (d.Attended == nil || d.Attended()) }

// Question is part of acp.Listener: the form becomes the agent's question to the operator.
func (s *session) Question(form sdk.UnstableCreateElicitationForm) func(context.Context) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.live
	if c == nil || !c.attended() {
		return func(context.Context) map[string]any { return nil }
	}
	c.answering.Add(1)
	return func(ctx context.Context) map[string]any {
		defer c.answering.Done()
		return c.question(ctx, form)
	}
}

// question asks the operator for each field of a form, until the answer is one.
func (c *conversation) question(ctx context.Context, form sdk.UnstableCreateElicitationForm) map[string]any {
	out := map[string]any{}
	defer c.asks(form.Message)()
	for _, f := range acp.Fields(form) {
		words := model.Text(strings.TrimSpace(form.Message + "\n" + f.Words))
		choices := make([]model.Text, len(f.Choices))
		for i, x := range f.Choices {
			choices[i] = model.Text(x)
		}
		for isValue := false; !isValue; {
			answer, ok := c.operator(ctx, model.WaitFor{Reason: words, Question: words, Choices: choices, OfAgent: true,
				Wake: model.WakeOperatorInput})
			if !ok {
				return nil
			}
			isValue = f.Fill(out, answer)
		}
	}
	return out
}

// operator asks the operator in the agent's name. The answer goes to the program, so its message is taken into the turn. ok is false if
// there is none.
func (c *conversation) operator(ctx context.Context, ask model.WaitFor) (answer string, ok bool) {
	in, err := c.apply(ctx, model.AgentActor(c.agent), ask)
	if err != nil {
		return "", false
	}
	c.questions.Store(in.WaitID, nil)
	var x model.Wait
	c.await(ctx, func(r model.Reader) bool {
		x, _ = r.Wait(in.WaitID)
		return x.Status != model.WaitActive || x.TriggerCount > 0
	})
	c.answering.Go(func() { // the program goes on meanwhile
		ctx := context.WithoutCancel(ctx)
		_, _ = c.renew(ctx, model.BeatTurn{HearAnswer: in.WaitID}) // else the next turn begins with it
		_, _ = c.apply(ctx, model.AgentActor(c.agent), model.CancelWait{WaitID: in.WaitID})
	})
	return x.LastTrigger.Payload.Raw(), x.TriggerCount > 0 // raw: goes to the program
}

// message returns the queued messages as a prompt, after they were taken into the turn. Those that answered a question were given already.
func (c *conversation) message(ctx context.Context) string {
	in, err := c.renew(ctx, model.BeatTurn{Hear: true})
	if err != nil {
		return ""
	}
	var list []model.Message
	_ = c.Ledger.View(ctx, func(r model.Reader) error { // an error is tried again at the next commit
		for _, id := range in.Messages {
			m, ok := r.Message(id)
			if _, isGiven := c.questions.Load(m.WaitID); ok && !isGiven {
				list = append(list, m)
			}
		}
		return nil
	})
	if len(list) == 0 {
		return ""
	}
	return prompt.Messages(list)
}
