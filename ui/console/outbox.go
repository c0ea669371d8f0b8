package console

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// outbox sends one job at a time, so that commits have the order of the keys, and quitting can wait until the
// last job is saved. (Bubble Tea runs each command in its own goroutine, keeps no order among them, and waits
// for none at the end.)
type outbox struct {
	jobs []job
	seq  int
	// sending: the first job is being sent.
	sending bool
	// awaited is the job whose receipt closes the dialog; 0 if there is none.
	awaited int
	undo    model.UndoHistory
	told    told
	// lost are the errors since the operator quit: no screen shows them.
	lost []error
}

// told are the words for the outcomes of a group of jobs so far.
type told struct {
	group, done int
	words       []string
	failed      bool
}

// grouped is the words for the outcome of a job, with those of the earlier jobs of its group.
func (o *outbox) grouped(j job, words string, failed bool) (all string, anyFailed bool) {
	if j.group == 0 {
		return words, failed
	}
	if o.told.group != j.group {
		o.told = told{group: j.group}
	}
	o.told.words, o.told.failed = append(slices.Clone(o.told.words), words), o.told.failed || failed
	if !failed {
		o.told.done++
	}
	return strings.Join(o.told.words, " "), o.told.failed
}

// job is a command, an action on a file todo or a thread, or a draft to save.
type job struct {
	seq      int
	envelope *model.Envelope
	// act is the decision on a file todo; nil for other jobs.
	act *FileAct
	// thread is the decision on a thread; nil for other jobs.
	thread *ThreadAct
	// said is the message after success; empty: the receipt's words. unsaid is what an error begins with.
	said, unsaid string
	// group is common to the jobs of one act for several agents; 0 for other jobs. marked are its marked rows, which lose their marks when
	// it is carried out.
	group           int
	marked          []model.ItemID
	draftKey, draft string
	// typedAs is the draft of the dialog that made the command. It is deleted after the command was carried
	// out.
	typedAs string
}

// handle posts a job from a dialog.
func (j job) handle(c *console) { c.post(j) }

// post queues a job, and sends it if no other job is being sent.
func (c *console) post(j job) {
	c.outbox.seq++
	j.seq = c.outbox.seq
	c.outbox.jobs = append(slices.Clone(c.outbox.jobs), j)
	c.dispatch()
}

func (c *console) dispatch() {
	if c.outbox.sending || len(c.outbox.jobs) == 0 {
		return
	}
	c.outbox.sending = true
	j, fx := c.outbox.jobs[0], c.fx
	c.start(func() tea.Msg {
		receipt, err := j.carryOut(fx)
		return receiptMsg{j.seq, receipt, fx.now(), err}
	})
}

// carryOut does the work of a job. It runs outside the loop.
func (j job) carryOut(fx *effects) (r model.Receipt, err error) {
	switch {
	case j.envelope != nil:
		return fx.Ledger.Apply(fx.ctx, *j.envelope)
	case j.act != nil:
		return r, fx.Files.Act(fx.ctx, *j.act)
	case j.thread != nil:
		said, err := fx.Threads.Act(fx.ctx, *j.thread)
		for _, w := range said {
			r.Warnings = append(r.Warnings, model.Warning{Kind: model.WarnThread, Message: w.Raw()}) // raw: made safe where it is shown
		}
		return r, err
	}
	err = fx.Drafts.Save(fx.ctx, j.draftKey, j.draft)
	if disk := (*fs.PathError)(nil); errors.As(err, &disk) {
		err = disk.Err // the path means nothing to the operator
	}
	if err != nil {
		err = fmt.Errorf("what you type is kept in the dialog only, not as a draft: %w", err)
	}
	return r, err
}

// send posts an operator's command for the agent on screen.
func (c *console) send(cmd model.Command, said string) {
	c.sendFor(c.agent, cmd, said)
}

func (c *console) sendFor(agent model.AgentID, cmd model.Command, said string) {
	c.post(c.fx.decided(agent, cmd, said))
}

// decided is the job of an operator's command.
func (fx *effects) decided(agent model.AgentID, cmd model.Command, said string) job {
	return job{said: said, envelope: &model.Envelope{Key: fx.newKey(), Actor: model.Operator, Agent: agent, Command: cmd}}
}

// handle handles the answer to the first job and sends the next.
func (m receiptMsg) handle(c *console) {
	if len(c.outbox.jobs) == 0 || c.outbox.jobs[0].seq != m.seq {
		return
	}
	j := c.outbox.jobs[0]
	c.now, c.outbox.sending = later(c.now, m.at), false
	c.outbox.jobs = c.outbox.jobs[1:]
	if m.err = j.named(m.err); m.err != nil && c.quitting {
		c.outbox.lost = append(slices.Clone(c.outbox.lost), m.err)
	}
	c.answered(j, m)
	c.dispatch()
	if c.quitting && len(c.outbox.jobs) == 0 {
		c.start(tea.Quit)
	}
}

// named names the act in an error that leaves open whether it happened.
func (j job) named(err error) error {
	e := model.AsError(err)
	if e == nil || e.Code != model.CodeUnknownOutcome || j.envelope == nil {
		return err
	}
	named := *e
	named.Message = undoWords(cmp.Or(j.said, model.CommandName(j.envelope.Command))).String()
	if agent := clean(j.envelope.Agent); agent != "" && !strings.Contains(named.Message, agent) {
		named.Message += " (" + agent + ")"
	}
	named.Message += ": " + e.Message
	return &named
}

// ended is what the operator must know after the console ended.
func (o outbox) ended() error {
	if len(o.lost) == 0 {
		return nil
	}
	e := &model.Error{Code: model.CodeInternal, Message: clean(o.lost[0].Error())}
	if known := model.AsError(o.lost[0]); known != nil {
		first := *known
		e = &first
	}
	for _, err := range o.lost[1:] {
		e.Message += "; " + clean(err.Error())
	}
	return e
}

// autosaved saves the text in a dialog as a draft while the operator types, at most twice a second. A console
// that dies loses no more than that. It does nothing while the dialog's command is being sent.
func (c *console) autosaved() {
	d, ok := c.layers.editor()
	if !ok || c.outbox.awaited != 0 {
		return
	}
	c.keepDraft(d.Draft())
}

// unsaved counts the commands and the actions on file todos and threads that are not saved yet.
func (o outbox) unsaved() (n int) {
	for _, j := range o.jobs {
		if j.envelope != nil || j.act != nil || j.thread != nil {
			n++
		}
	}
	return n
}

func (c *console) keepDraft(key, text string) {
	if key == "" || c.drafts[key] == text {
		return
	}
	if text == "" {
		delete(c.drafts, key)
	} else {
		c.drafts[key] = text
	}
	c.post(job{draftKey: key, draft: text})
}

// remembered stores how to undo a command that was carried out. If an undo is refused because its item has
// changed, it is dropped.
func (o outbox) remembered(j job, m receiptMsg) outbox {
	if j.envelope == nil {
		return o
	}
	if undo, ok := j.envelope.Command.(model.Undo); ok && m.err != nil {
		o.undo = o.undo.Drop(undo, m.err)
	}
	if m.err == nil {
		o.undo = o.undo.Add(j.envelope.Agent, j.envelope.Command, m.receipt, undoWords(j.said))
	}
	return o
}

// takeBack sends an undo, or a redo if again. Only one is sent at a time, because the next one depends on its
// result.
func takeBack(again bool) act {
	return func(c *console) {
		e, ok := c.outbox.undo.Last(again)
		if saving := slices.ContainsFunc(c.outbox.jobs, func(j job) bool { return j.envelope != nil }); saving || !ok {
			c.say("The last act is being saved. Try again.")
			return
		}
		if !again && e.Final {
			c.outbox.undo = c.outbox.undo.Before()
			c.say("That cannot be undone: " + e.What.String() + "." + c.beforeIt(e.What))
			return
		}
		if id := e.Item(); e.Agent == c.agent && id != "" && c.queue.Row(id) != nil {
			c.cursor = id
		}
		said := e.Said()
		if e.Agent != c.agent {
			said += " (" + clean(e.Agent) + ")"
		}
		c.sendFor(e.Agent, e.Undo, said)
	}
}

// beforeIt names the act that undo would undo now, if an earlier one was not undone.
func (c *console) beforeIt(earlier model.Text) string {
	if e, ok := c.outbox.undo.Last(false); ok && !e.Final && e.What != earlier {
		return c.keys.Keyed(" {undo} undoes what came before it: ") + e.What.String() + "."
	}
	return ""
}

// undoWords describe a finished action: "blocked wi-7f3k".
func undoWords(said string) model.Text {
	first, _, _ := strings.Cut(said, ". ")
	if first == "" {
		return "the last act"
	}
	return model.Text(strings.ToLower(first[:1]) + strings.TrimSuffix(first[1:], "."))
}
