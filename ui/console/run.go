package console

import (
	"context"
	"os"
	"strings"

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
	var over *overpaint
	if ok {
		c = c.staged(before)
		frame := c.View().Content
		before.paint(frame)
		over = &overpaint{File: os.Stdout, stands: strings.Split(frame, "\n")}
		set = append(set, tea.WithColorProfile(before.profile), tea.WithOutput(over))
	}
	if o.Painted != nil {
		o.Painted()
	}
	var program *tea.Program
	program = tea.NewProgram(paced{c, &pace{}, over, func() *tea.Program { return program }}, set...)
	last, err := program.Run()
	if err != nil && ok {
		before.leave()
	}
	if p, ok := last.(paced); ok {
		p.remember(context.WithoutCancel(ctx))
	}
	return err
}

// remember writes down where the operator is and what is on screen. Both are a comfort: see
// noted.
func (c Console) remember(ctx context.Context) {
	if c.fx.Keeper != nil {
		_ = c.fx.Keeper.Keep(ctx, c.memo())
	}
	if p, ok := c.print(); ok && c.fx.Prints != nil {
		_ = c.fx.Prints.Print(ctx, p)
	}
}
