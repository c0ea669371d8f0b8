package cli

import (
	"context"

	"vise/ui/config"
	"vise/ui/console"
	"vise/watcher"
)

// followSettings has the console take the operator's settings, now and whenever they change.
func (r *consoleRun) followSettings(o *console.Options) {
	at, err := configPlace(r.getenv)
	if err != nil {
		return
	}
	w := watcher.Settings(r.ctx, at.File, at.Themes) // before the first reading, so that no save is missed
	r.atEnd = append(r.atEnd, w.Close)
	o.SaveFilter = saveFilter(at)
	o.Settings = config.Load(at, r.getenv)
	o.NextSettings = func(ctx context.Context) (config.Settings, error) {
		if err := w.Next(ctx); err != nil {
			return config.Settings{}, err
		}
		return config.Load(at, r.getenv), nil
	}
}
