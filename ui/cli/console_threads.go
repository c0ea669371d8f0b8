package cli

import (
	"context"

	"vise/model"
	"vise/store/home"
	"vise/store/threads"
	"vise/watcher/hints"
	watch "vise/watcher/threads"
)

// threadView is the console's view of the threads of the repository around it, and of those
// that items link to.
type threadView struct {
	home.Threads
	*hints.Eye
	home *home.Home
}

func newThreadView(ctx context.Context, h *home.Home) threadView {
	in := h.Threads(model.Operator)
	return threadView{in, watch.Watch(ctx, threads.At(threads.FindRoot(in.Dir))), h}
}
