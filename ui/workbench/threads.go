package workbench

import (
	"context"
	"os"

	"vise/store/files/threads"
	"vise/ui/resume"
	eye "vise/watcher/threads"
)

// threadView is the console's view of the threads of the repository around it.
type threadView struct {
	resume.Room
	*eye.Eye
}

func newThreadView(ctx context.Context, room resume.Room) threadView {
	return threadView{room, eye.Watch(ctx, threads.At(threads.FindRoot(room.Dir)))}
}

// workingDir is where the process stands; empty when that cannot be told.
func workingDir() string {
	dir, _ := os.Getwd()
	return dir
}
