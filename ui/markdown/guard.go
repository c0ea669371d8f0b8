package markdown

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// patience is how long one block may take. Real plans stay far below it: 8 KB take 15 ms.
const patience = 250 * time.Millisecond

var (
	errSlow = errors.New("took longer than 250 ms to lay out")
	errBusy = errors.New("another block is still being laid out")
)

// guard runs what may take long and cannot be cancelled, one at a time. What has outlived
// its time goes on alone; until it ends, nothing else is run.
type guard struct {
	patience time.Duration // how long a job may take
	mu       sync.Mutex    // one caller at a time
	past     chan struct{} // closed when the job that outlived its time ends; nil if none did
}

// run runs job and returns what it makes, errSlow when it takes too long, or errBusy at once
// while an earlier job goes on past its time. A panic of job is an error.
func (g *guard) run(job func() ([]string, error)) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.past != nil {
		select {
		case <-g.past:
			g.past = nil
		default:
			return nil, errBusy
		}
	}
	var (
		lines []string
		err   error
		done  = make(chan struct{})
	)
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("cannot lay out: %v", r)
			}
		}()
		lines, err = job()
	}()
	timer := time.NewTimer(g.patience)
	defer timer.Stop()
	select {
	case <-done:
		return lines, err
	case <-timer.C:
		g.past = done
		return nil, errSlow
	}
}
