package cli

import (
	"context"
	"os"
	"path/filepath"

	"vise/model"
	"vise/ui/resume"
	"vise/watcher"
)

// followed is the ledger whose answers threads follow, those of agents in dirs there.
func (a *app) followed(dirs map[model.AgentID]string) (Threaded, error) {
	d, err := a.open()
	if err != nil {
		return Threaded{}, err
	}
	actor, err := a.actor()
	room := a.room(actor)
	at := map[model.AgentID]string{}
	for agent, dir := range dirs {
		if dir != "" {
			at[agent] = absolute(room.Dir, dir)
		}
	}
	return Threaded{Ledger: d.ledger, Room: room, Dirs: at}, err
}

// roomIn is room in an agent's directory; empty means the working directory.
func (a *app) roomIn(dir string, actor model.Actor) resume.Room {
	room := a.room(actor)
	if dir != "" {
		room.Dir = absolute(room.Dir, dir)
	}
	return room
}

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
	w, err := watcher.Start(ctx, watcher.Config{Home: d.files, Ledger: filepath.Join(d.dir, "ledger.db")})
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
			d.ledger.Wake()
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
