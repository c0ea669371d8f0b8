package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/ui/transcript"
)

// bound says what the ledger makes of the recorded sessions: each item's report, or the words that are offered.
var bound = map[string]string{
	"natural":    "report REPORT-A A: the limiter is a package of its own. | report REPORT-B B: the backoff has jitter.",
	"three":      "offered REPORT-A A alpha beta gamma delta. + FINAL-THREE one two three four. | offered REPORT-B B alpha beta gamma delta. + FINAL-THREE one two three four. | offered REPORT-C C alpha beta gamma delta. + FINAL-THREE one two three four.",
	"two-in-one": "offered REPORT-TWO A and B are both done. + FINAL-TWO1. | offered REPORT-TWO A and B are both done. + FINAL-TWO1.",
	// The recorded sessions picked nothing.
	"words-then-silent": "offered REPORT-A A alpha beta gamma delta. + FINAL-THREE one two three four. | offered FINAL-THREE one two three four.",
}

// book is a ledger in which an agent runs a turn, as a driver would have it.
type book struct {
	*testing.T
	ledger *store.Ledger
	n      int
	ids    map[string]model.ItemID
}

func (b *book) apply(by model.Actor, c model.Command) model.Receipt {
	b.Helper()
	b.n++
	in, err := b.ledger.Apply(b.Context(), model.Envelope{Key: fmt.Sprint("k", b.n), Actor: by, Agent: "ann", Command: c})
	if err != nil {
		b.Fatalf("%+v: %v", c, err)
	}
	return in
}

func (b *book) take(rounds []transcript.Round) {
	for _, r := range rounds {
		c := model.Round{Text: r.Text, Provenance: r.Provenance, Turn: 1}
		for _, name := range r.Completed {
			c.Done = append(c.Done, b.ids[name])
		}
		b.apply("agent:ann", c)
	}
}

// does carries out the call of a tool of ours, as our server does before the program tells that the call has ended.
func (b *book) does(c *toolCall) {
	name, _ := transcript.OurTool(c.name)
	input := c.Input
	if given := in(input, "arguments"); given != nil {
		input = given
	}
	raw, _ := json.Marshal(input)
	if input == nil {
		raw = []byte(c.texts())
	}
	switch id := b.ids[transcript.WorkItem(c.name, raw)]; name {
	case "PickWorkItem":
		b.apply("agent:ann", model.PickWorkItem{WorkItemID: id})
	case "CompleteWorkItem":
		b.apply("agent:ann", model.CompleteWorkItem{WorkItemID: id})
	}
}

// play gives the lines of a program to the ledger.
func (b *book) play(raw []byte, r *Replies) {
	for m := range messagesIn(raw) {
		switch {
		case m.Method == acp.ClientMethodSessionUpdate:
			u := decoded[acp.SessionNotification](b.T, m.Params).Update
			if x := u.ToolCallUpdate; x != nil && x.Status != nil && *x.Status == acp.ToolCallStatusCompleted {
				b.does(r.calls[x.ToolCallId])
			}
			b.take(r.Update(u))
		case m.Method == acp.ClientMethodSessionRequestPermission:
			r.Asks(decoded[acp.RequestPermissionRequest](b.T, m.Params).ToolCall)
		case m.Result.StopReason != "":
			rest, final := r.End(false)
			b.take(rest)
			b.apply(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: 1, Outcome: model.TurnCompleted, Final: final})
		}
	}
}

// says are the items' reports and offers.
func (b *book) says(names []string) string {
	var out []string
	err := b.ledger.View(b.Context(), func(r model.Reader) error {
		for _, name := range names {
			w, _ := r.Item(b.ids[name])
			v := model.ViewOf(r, w)
			said := []string{}
			for _, o := range v.Offered {
				said = append(said, o.Text.Raw())
			}
			if v.Report != nil {
				out = append(out, "report "+v.Report.Text.Raw())
			} else {
				out = append(out, "offered "+strings.Join(said, " + "))
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return strings.Join(out, " | ")
}

func TestTheLedgerGivesNoItemAnothersRecordedWords(t *testing.T) {
	eachRecorded(t, func(t *testing.T, program, scenario string, names []string, raw []byte) {
		l, err := store.NewLedger(t.Context(), kv.NewMemory(), nil)
		if err != nil {
			t.Fatal(err)
		}
		b := &book{T: t, ledger: l, ids: map[string]model.ItemID{}}
		for _, name := range names {
			b.ids[name] = b.apply("agent:ann", model.CreateWorkItem{Objective: model.Text(name)}).WorkItemID
		}
		b.apply(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "drive 1"})
		b.play(raw, &Replies{Program: Program{Replies: rules[program]}})
		if got := b.says(names); got != bound[scenario] {
			t.Errorf("got\n%s\nwant\n%s", got, bound[scenario])
		}
	})
}
