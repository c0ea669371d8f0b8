package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

// backedUp is the data of backup.
type backedUp struct {
	store.Snapshot
	// Snapshots are those that the home keeps by itself, newest first.
	Snapshots []store.Snapshot `json:"snapshots"`
}

func (a *app) backupVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "backup [FILE]", Short: "Copy ledger and plans, proven sound, while others go on",
		Long: "backup copies the ledger as of one change to FILE, which must not exist yet, or takes a snapshot\n" +
			"in the home. It keeps nobody waiting, and works while a stopped process holds the ledger. The copy is\n" +
			"read whole before it gets its name. FILE holds the items' plan files too; a snapshot in the home does not.",
	}
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		d, err := a.openHome()
		if err != nil {
			return answer{}, err
		}
		var out backedUp
		if len(args) == 0 {
			out.Snapshot, err = d.Ledger().Snapshot(ctx)
		} else {
			out.Snapshot, err = a.backupTo(ctx, d, args[0])
		}
		if err != nil {
			return answer{}, err
		}
		if out.Snapshots, err = d.Ledger().Home().Snapshots(); err != nil {
			return answer{}, err
		}
		return answer{data: out, text: func(p *page) {
			p.line("copied revision %d, %s, to %s", out.Revision, sizeOf(out.Bytes), model.Text(out.Path))
			if out.Plans > 0 {
				p.line("with %d plan files", out.Plans)
			}
			p.line("vise restore %s brings it back, with the journal's later changes on top", model.Text(out.Path))
		}}, nil
	})
}

func (a *app) backupTo(ctx context.Context, d *home.Home, file string) (store.Snapshot, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return store.Snapshot{}, err
	}
	s, err := d.Ledger().Backup(ctx, path)
	if errors.Is(err, fs.ErrExist) {
		return s, model.Refuse(model.CodeConflict, "%s is there already", model.Text(path)).WithHint("name a file that is not there yet")
	}
	return s, err
}
