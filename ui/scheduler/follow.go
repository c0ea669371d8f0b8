package scheduler

import "context"

// follow sends the newest revision whenever the ledger moved; who is late gets the newest
// alone. done is closed when it has ended, which it does with ctx.
func follow(ctx context.Context, s *Scheduler, from uint64) (news <-chan uint64, done <-chan struct{}) {
	out, ended := make(chan uint64, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			revision, err := s.Ledger.Follow(ctx, from)
			if err != nil {
				if ctx.Err() == nil {
					s.report(Event{Err: err})
				}
				sleep(ctx, retryAfter)
				continue
			}
			from = revision
			select {
			case <-out:
			default:
			}
			out <- revision
		}
	}()
	return out, ended
}
