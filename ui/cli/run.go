package cli

import (
	"context"
	"os"
	"path/filepath"

	"vise/watcher"
)

// wakeful runs wakeLedger until the function that it returns is called.
func (a *app) wakeful(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.wakeLedger(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// wakeLedger hints the ledger at commits of other processes until ctx ends. Without eyes on
// the file the ledger notices them by itself, later.
func (a *app) wakeLedger(ctx context.Context) {
	d, err := a.open()
	if err != nil {
		return
	}
	w, err := watcher.Start(ctx, watcher.Config{Home: d.Files(), Ledger: filepath.Join(d.Dir(), "ledger.db")})
	if err != nil {
		return
	}
	defer w.Close()
	for {
		event, err := w.Next(ctx)
		if err != nil {
			return
		}
		if event.LedgerMoved {
			d.Wake()
		}
	}
}

// configFile is where the configuration lies, whether it is there or not.
func (a *app) configFile() (string, error) {
	if dir := a.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vise", "config.yaml"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config", "vise", "config.yaml"), err
}
