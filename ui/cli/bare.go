package cli

import "context"

// bare is vise without a verb: the console on a terminal, else the status with a hint. It
// never waits for input that cannot come, and asks no question of what is no terminal.
func (a *app) bare(ctx context.Context, _ []string) (answer, error) {
	if a.flags.json || !a.opensConsole() {
		ans, err := a.status(ctx)
		if err != nil || ans.text == nil {
			return ans, err
		}
		told := ans.text
		ans.text = func(p *page) {
			told(p)
			p.line("")
			p.line("vise opens the console on a terminal; vise help lists the verbs")
		}
		return ans, nil
	}
	return answer{}, a.openConsole(ctx)
}

// opensConsole reports whether there is something to show a console on.
func (a *app) opensConsole() bool {
	return a.accessible() || a.ttyIn && a.ttyOut && a.getenv("TERM") != "dumb"
}

// accessible reports whether a console of lines is asked for: by the flag, wherever the input
// comes from, or by the environment on a terminal.
func (a *app) accessible() bool {
	v := a.getenv("ACCESSIBLE")
	return a.flags.accessible || v != "" && v != "0" && a.ttyIn && a.ttyOut
}
