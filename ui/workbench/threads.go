package workbench

import (
	"context"
	"os"

	"vise/store/threads"
	"vise/ui/cli"
	"vise/ui/resume"
	"vise/watcher/hints"
	eye "vise/watcher/threads"
)

// threadView is the console's view of the threads of the repository around it, and of those
// that items link to.
type threadView struct {
	resume.Room
	*hints.Eye
	ledger cli.Threaded
}

func newThreadView(ctx context.Context, room resume.Room, l cli.Threaded) threadView {
	return threadView{room, eye.Watch(ctx, threads.At(threads.FindRoot(room.Dir))), l}
}

// workingDir is where the process stands; empty when that cannot be told.
func workingDir() string {
	dir, _ := os.Getwd()
	return dir
}
