package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/ui/accessible"
	"vise/ui/config"
	"vise/ui/runner"
)

// form says what a command asks for, for the console of lines: its arguments, and its flags but those of every command. The values are
// those that a shell completes.
func (e *Env) form(words string) accessible.Form {
	within := *e
	root := treeFor(&within, strings.Fields(words))
	within.flags = globals{home: e.flags.home, actor: string(model.Operator)}
	c, _, err := root.Find(strings.Fields(words))
	if err != nil {
		return accessible.Form{}
	}
	out := accessible.Form{Does: c.Short, Verbs: commandNames(c), Revision: c.Flags().Lookup("if-revision") != nil}
	names, needed, most := arguments(c.Use)
	for i, name := range names {
		several := i == len(names)-1 && most == math.MaxInt
		isText := several && name == "TEXT"
		out.Fields = append(out.Fields, accessible.Field{Name: name, Needed: i < needed, Text: isText, Many: several && !isText,
			Values: func() []string {
				of, _ := anyOf(&within, c, name, "", model.FilterOpen)
				return of
			}})
	}
	own, _ := flagsOf(c)
	for _, f := range own {
		if f.Name == "key" || f.Name == "if-revision" {
			continue
		}
		help, _, isText := strings.Cut(f.Usage, "; - is standard input")
		kind := f.Value.Type() // a list of texts is a stringArray or a stringSlice
		out.Fields = append(out.Fields, accessible.Field{Name: f.Name, Help: help, Flag: true, Text: isText, Switch: kind == "bool",
			Many: strings.HasPrefix(kind, "string") && kind != "string", Values: func() []string {
				of, _ := flagValues(&within, f.Name)(c, nil, "")
				return of
			}})
	}
	return out
}

// The limits of a custom command.
const (
	customTime   = time.Minute
	customOutput = 256 << 10 // bytes
	customDrain  = 500 * time.Millisecond
)

// runCustom runs a custom command in the directory in which vise was started. The command may start a program that keeps running, such as
// an editor with windows.
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
		return out.String(), nil // a program that keeps running holds the output open
	case errors.As(err, &exit):
		return out.String(), fmt.Errorf("ended with %s", model.Text(exit.ProcessState.String()))
	}
	return out.String(), err
}

// rewritten changes the configuration file, and makes the file if it does not exist.
func rewritten(e *Env, with func(raw []byte, name, value string) ([]byte, error)) func(context.Context, string, string) error {
	return func(_ context.Context, name, value string) error {
		at, _, err := loaded(e)
		if err != nil {
			return err
		}
		path, raw, err := config.ReadFile(at.File)
		if err != nil && !files.IsGone(err) {
			return fmt.Errorf("%s: %w", at.File, err)
		}
		out, err := with(raw, name, value)
		if err != nil {
			return fmt.Errorf("%s: %w", at.File, err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return files.WriteAtomic(path, out)
	}
}
