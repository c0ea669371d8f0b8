package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"vise/store/files"
	"vise/ui/console"
)

// prints keep the plan that was on screen last, in a file of the home's state directory. A
// file that cannot be read is as good as none.
type prints struct{ path string }

// largestPrint bounds the file, in bytes: one that is larger is not ours.
const largestPrint = 1 << 20

func newPrints(home string) prints { return prints{filepath.Join(home, "state", "print.json")} }

// Printed is part of console.Prints.
func (p prints) Printed(context.Context) (console.Print, bool) {
	var out console.Print
	raw, err := files.ReadSmall(p.path, largestPrint)
	return out, err == nil && json.Unmarshal(raw, &out) == nil
}

// Print is part of console.Prints.
func (p prints) Print(_ context.Context, x console.Print) error {
	raw, err := json.Marshal(x)
	if err != nil || len(raw) > largestPrint {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return err
	}
	return files.WriteAtomic(p.path, raw)
}
