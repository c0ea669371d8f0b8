package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/store"
)

// compacted is the data of compact.
type compacted struct {
	Before store.Space `json:"before"`
	After  store.Space `json:"after"`
}

func (a *app) compactVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "compact", Short: "Give the ledger's free pages back to the disk",
		Long: "compact writes the ledger anew without its free pages and puts it in its place. Other processes go\n" +
			"on meanwhile, and then with the new file; none waits for more than some milliseconds. doctor says when it\n" +
			"pays. On a full disk it uses the room that the home keeps in reserve.",
	}
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) {
		d, err := a.openHome()
		if err != nil {
			return answer{}, err
		}
		var out compacted
		if out.Before, out.After, err = d.Ledger().Compact(ctx); err != nil {
			return answer{}, err
		}
		return answer{data: out, text: func(p *page) {
			p.line("the ledger had %s, %s of them free, and has %s now", sizeOf(out.Before.Bytes), sizeOf(out.Before.Free), sizeOf(out.After.Bytes))
		}}, nil
	})
}

// sizeOf spells a size for people: 12 KB, 3.4 MB.
func sizeOf(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}
