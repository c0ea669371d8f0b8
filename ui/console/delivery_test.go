package console

import (
	"testing"

	"vise/model"
)

func TestAnAnswersWayIsToldAsFarAsItIsKnown(t *testing.T) {
	for _, c := range []struct {
		status model.MessageStatus
		turn   int
		want   string
	}{
		{model.MessageQueued, 0, "queued for the next turn"},
		{model.MessageQueued, 3, "queued again: turn 3 was cut off"},
		{model.MessageSent, 3, "sent to turn 3, which runs"},
		{model.MessageSent, 0, "sent with a tool's answer; its next call shows that it was seen"},
		{model.MessageDone, 3, "seen: turn 3 had it and ended"},
		{model.MessageDone, 0, "seen: the agent went on after it had it"},
		{model.MessageDropped, 0, "dropped, not delivered"},
	} {
		if got := deliveryWords(model.Agent{}, model.Delivered{Delivery: c.status, TurnIndex: c.turn}); got != c.want {
			t.Errorf("%s, turn %d: got %q, want %q", c.status, c.turn, got, c.want)
		}
	}
}
