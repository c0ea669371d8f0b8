package home

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
)

// TestACommandOutlastsAConnectionThatHangs: a host that does not answer for hostSilence counts as away. A command waits
// for the answer of the next connection, for a limited time.
func TestACommandOutlastsAConnectionThatHangs(t *testing.T) {
	for name, x := range map[string]struct {
		silent  time.Duration
		unknown bool
	}{
		"answered by the next connection": {hostSilence + hostSilence/2, false},
		"answered at the last moment":     {actWait - 1, false},
		"not answered":                    {actWait + 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &link{Host: Host{Name: "build"}, out: make(chan toHost, 1)}
				var host sync.WaitGroup
				host.Go(func() {
					sent := <-l.out
					time.Sleep(x.silent) // the bubble's time
					l.answered("command "+sent.Key, fromHost{Answer: &hostAnswer{Key: sent.Key, Receipt: model.Receipt{AgentID: "ann"}}})
				})
				in, err := l.apply(t.Context(), model.Envelope{Key: NewKey(), Agent: "ann@build", Command: model.Say{AgentID: "ann@build", Text: "x"}})
				if unknown := errors.Is(err, &model.Error{Code: model.CodeUnknownOutcome}); unknown != x.unknown || !unknown && in.AgentID != "ann@build" {
					t.Errorf("the receipt is %+v, %v", in, err)
				}
				host.Wait()
			})
		})
	}
}
