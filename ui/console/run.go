package console

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// fps is Bubble Tea's highest. The pace goes beyond it while the console is in use.
const fps = 120

// Run shows the console on the terminal until the operator quits, and ends all that it
// waits for. What was being saved is saved when it returns, unless the operator quit twice.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	set := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(fps)}
	if o.NoColor {
		set = append(set, tea.WithColorProfile(colorprofile.ASCII))
	}
	c := New(ctx, o).Primed()
	before, ok := stageOf(os.Stdout, o)
	if ok {
		c = c.staged(before)
		before.paint(c.View().Content)
		set = append(set, tea.WithColorProfile(before.profile))
	}
	var program *tea.Program
	program = tea.NewProgram(paced{c, &pace{}, func() *tea.Program { return program }}, set...)
	last, err := program.Run()
	if err != nil && ok {
		before.leave()
	}
	if p, ok := last.(paced); ok && o.Session.Keeper != nil {
		_ = o.Session.Keeper.Keep(context.WithoutCancel(ctx), p.memo()) // a comfort: see noted
	}
	return err
}
