package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/ui/config"
	"vise/ui/runner"
)

// The bounds of a custom command.
const (
	customTime   = time.Minute
	customOutput = 256 << 10 // bytes
	customDrain  = 500 * time.Millisecond
)

// runCustom runs a custom command where vise was started. It may leave a
// program behind that is meant to stay, as an editor with windows does.
func runCustom(ctx context.Context, argv []string, stdin []byte) (string, error) {
	ctx, stop := context.WithTimeout(ctx, customTime)
	defer stop()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.WaitDelay = bytes.NewReader(stdin), customDrain
	capped := &runner.Capped{To: &out, Max: customOutput}
	c.Stdout, c.Stderr = capped, capped
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return out.String(), fmt.Errorf("gave up after %s", customTime)
	case errors.Is(err, exec.ErrWaitDelay):
		return out.String(), nil // a program that stays holds the output open
	case errors.As(err, &exit):
		return out.String(), fmt.Errorf("ended with %s", model.Text(exit.ProcessState.String()))
	}
	return out.String(), err
}

// filterSaver is saveFilter for this run; nil without a place for a configuration.
func (a *app) filterSaver() func(context.Context, string, string) error {
	at, err := configPlace(a.getenv)
	if err != nil {
		return nil
	}
	return saveFilter(at)
}

// saveFilter puts a filter into the configuration file, which is made if it is not there.
// A link is followed: it is the operator's own.
func saveFilter(at config.Place) func(context.Context, string, string) error {
	return func(_ context.Context, name, words string) error {
		path := at.File
		if to, err := filepath.EvalSymlinks(path); err == nil {
			path = to
		}
		raw, err := config.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", at.File, err)
		}
		out, err := config.WithFilter(raw, name, words)
		if err != nil {
			return fmt.Errorf("%s: %w", at.File, err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return files.WriteAtomic(path, out)
	}
}
