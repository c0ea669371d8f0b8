package cli

import (
	"context"

	"vise/model"
	"vise/store/home"
	"vise/store/threads"
	"vise/watcher"
)

// threadView is the console's view of the threads of the repository around it, and of those
// that items link to.
type threadView struct {
	home.Threads
	*watcher.Changes
	home *home.Home
}

func newThreadView(ctx context.Context, h *home.Home) threadView {
	in := h.Threads(model.Operator)
	return threadView{in, watcher.Threads(ctx, threads.At(threads.FindRoot(in.Dir))), h}
}
