package console

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// fps is how often Bubble Tea looks whether there is a frame to write. It bounds how long a
// key waits for its frame: 5 ms in the median. At rest each look costs some 150 µs of a loaded
// machine: 1.5 % of a core, at 120 more than the 2 % that are promised.
const fps = 100

// Run shows the console on the terminal until the operator quits, and ends all that it
// waits for. What was being saved is saved when it returns, unless the operator quit twice.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	set := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(fps)}
	if o.NoColor {
		set = append(set, tea.WithColorProfile(colorprofile.ASCII))
	}
	last, err := tea.NewProgram(New(ctx, o).Primed(), set...).Run()
	if c, ok := last.(Console); ok && c.fx.Keeper != nil {
		_ = c.fx.Keeper.Keep(context.WithoutCancel(ctx), c.memo()) // a comfort: nothing fails without it
	}
	return err
}
