package cli

import (
	"context"
	"fmt"
	"time"

	"vise/model"
	"vise/store/home"
)

// dueCounted bounds how many due times are counted for the sentence of the end.
const dueCounted = 100

// farOff is beyond every timer that is worth a sentence.
const farOff = 50 * 365 * 24 * time.Hour

// exitTimeout is how long the end waits for a ledger that somebody else holds.
const exitTimeout = 300 * time.Millisecond

// exitMessage is what a console says on the terminal that it gives back: that timers and
// rechecks wait, if no other process runs the scheduler of the home; empty when all is well.
func exitMessage(ctx context.Context, h *home.Home, now time.Time) string {
	if h.Attended() {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, exitTimeout)
	defer stop()
	n := 0
	err := h.View(ctx, func(r model.Reader) error {
		for after := model.AgentID(""); n < dueCounted; {
			agents := r.Agents(after, dueCounted)
			for _, a := range agents {
				n += len(r.Due(a.ID, now.Add(farOff), dueCounted))
				after = a.ID
			}
			if len(agents) < dueCounted {
				return nil
			}
		}
		return nil
	})
	switch {
	case err != nil || n == 0:
		return ""
	case n == 1:
		return "1 timer waits until vise runs again; vise serve keeps time without a screen"
	case n >= dueCounted:
		return fmt.Sprintf("%d or more timers wait until vise runs again; vise serve keeps time without a screen", dueCounted)
	}
	return fmt.Sprintf("%d timers wait until vise runs again; vise serve keeps time without a screen", n)
}
