package cli

import (
	"context"

	"vise/store/threads"
	"vise/ui/resume"
	"vise/watcher"
)

// threadView is the console's view of the threads of the repository around it, and of those
// that items link to.
type threadView struct {
	resume.Room
	*watcher.Changes
	ledger Threaded
}

func newThreadView(ctx context.Context, room resume.Room, l Threaded) threadView {
	return threadView{room, watcher.Threads(ctx, threads.At(threads.FindRoot(room.Dir))), l}
}
