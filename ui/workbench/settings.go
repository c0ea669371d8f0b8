package workbench

import (
	"context"

	"vise/ui/config"
	"vise/ui/console"
	"vise/watcher/settings"
)

// options are the console's surroundings, which follow the operator's settings as long as
// the bench stands.
func (b *bench) options() console.Options {
	o := b.consoleOptions()
	o.RunOwn = runOwn
	at, err := place(b.Getenv)
	if err != nil {
		return o
	}
	e := settings.Watch(b.ctx, at.File, at.Themes) // before the first reading, so that no save is missed
	b.atEnd = append(b.atEnd, e.Close)
	o.SaveFilter = saveFilter(at)
	o.Settings = config.Load(at, b.Getenv)
	o.NextSettings = func(ctx context.Context) (config.Settings, error) {
		if err := e.Next(ctx); err != nil {
			return config.Settings{}, err
		}
		return config.Load(at, b.Getenv), nil
	}
	return o
}
