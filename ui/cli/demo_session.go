package cli

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/console"
)

// demoSession is the session of the demo's main agent. Its log is scripted: the times count from the demo's beginning, and what comes after
// the permission that it asks for comes after the answer.
type demoSession struct {
	*home.Home
	now func() time.Time

	mu      sync.Mutex // protects what follows
	said    []acp.Entry
	session home.Session
}

func newDemoSession(h *home.Home, now func() time.Time) *demoSession {
	return &demoSession{Home: h, now: now, session: home.Session{Program: "claude", ID: "demo", Agent: mainAgent, Item: "wi-limiter",
		State: home.SessionWorks, Since: now(), Context: 61_000, ContextSize: 200_000, Total: 0.42,
		Driver: model.Process{PID: os.Getpid()}}}
}

// Known and Read are part of console.Sessions.
func (d *demoSession) Known() []home.Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []home.Session{d.session}
}

// Find finds nothing: the demo's session is on the screen.
func (d *demoSession) Find(string, model.AgentID) []console.Said { return nil }

func (d *demoSession) Read(_ home.Session, from, _ int64) ([]acp.Entry, int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said[from:], int64(len(d.said)), nil
}

// wordEvery is the pause between two words.
const wordEvery = 70 * time.Millisecond

// play writes the log as its times come.
func (d *demoSession) play(ctx context.Context) {
	raw, _ := demoTexts.ReadFile("demo/session.jsonl")
	at := time.Duration(0)
	for line := range strings.Lines(string(raw)) {
		var e acp.Entry
		_ = json.Unmarshal([]byte(line), &e) // it is built in
		due := max(e.At.Sub(time.Time{}), at)
		if home.Pause(ctx, due-at) != nil {
			return
		}
		at = due
		switch {
		case e.Update != nil && e.Update.AgentMessageChunk != nil:
			for word := range strings.SplitAfterSeq(e.Update.AgentMessageChunk.Content.Text.Text, " ") {
				chunk := *e.Update.AgentMessageChunk
				chunk.Content = sdk.TextBlock(word)
				d.say(acp.Entry{Update: &sdk.SessionUpdate{AgentMessageChunk: &chunk}})
				at += wordEvery
				if home.Pause(ctx, wordEvery) != nil {
					return
				}
			}
		case e.Ask != nil:
			d.say(e)
			if d.ask(ctx, e) != nil {
				return
			}
		default:
			d.say(e)
		}
	}
}

// say adds an entry to the log.
func (d *demoSession) say(e acp.Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e.At = d.now()
	d.said = append(d.said, e)
	state := home.SessionWorks
	switch {
	case e.Ask != nil && e.Answer == "":
		state = home.SessionAsks
	case e.Ended != "":
		state = home.SessionRests
	}
	if d.session.State != state {
		d.session.State, d.session.Since = state, e.At
	}
}

// ask asks the operator for a permission, and says how the call ended.
func (d *demoSession) ask(ctx context.Context, e acp.Entry) error {
	apply := func(c model.Command) (model.Receipt, error) {
		return d.Apply(ctx, model.Envelope{Key: home.NewKey(), Actor: model.AgentActor(mainAgent), Agent: mainAgent, Command: c})
	}
	r, err := apply(model.AskPermission{AgentID: mainAgent, Program: "claude", Session: "demo", Tool: model.Text(*e.Ask.Title),
		AnswerMS: time.Hour.Milliseconds(), CanAlways: true})
	answer := model.PermissionAnswer("")
	for at := uint64(0); err == nil && answer == ""; {
		if at, err = d.Follow(ctx, at); err == nil {
			err = d.View(ctx, func(now model.Reader) error {
				a, _ := now.Agent(mainAgent)
				for _, p := range a.Permissions {
					if p.ID == r.PermissionID {
						answer = p.Answer
					}
				}
				return nil
			})
		}
	}
	if err == nil {
		_, err = apply(model.EndPermissions{AgentID: mainAgent, PermissionIDs: []model.PermissionID{r.PermissionID}})
	}
	status := sdk.ToolCallStatusCompleted
	if answer == model.PermitDeny {
		status = sdk.ToolCallStatusFailed
	}
	d.say(acp.Entry{Ask: e.Ask, Answer: model.Text(answer)})
	d.say(acp.Entry{Update: new(sdk.UpdateToolCall(e.Ask.ToolCallId, sdk.WithUpdateStatus(status)))})
	return err
}
