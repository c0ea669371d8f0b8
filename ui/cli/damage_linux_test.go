package cli

import (
	"strings"
	"testing"
	"time"
)

// Every frontend names the damage that a read finds, and shows the rest.
func TestEveryFrontendNamesDamage(t *testing.T) {
	t.Parallel()
	home := damagedHome(t, "item/", "")
	t.Run("tools", func(t *testing.T) {
		tools := &session{t: t}
		tools.serve(program(t, home, "mcp", "--agent", "default"))
		x := tools.tool("ListWorkItems", `{"filter":"all"}`)
		if !strings.Contains(x, `"damaged":[{`) || !strings.Contains(x, "vise doctor") || !strings.Contains(x, `"objective":"Done"`) {
			t.Error(x)
		}
		if x := tools.context(); !strings.Contains(x, `"damaged: `) || !strings.Contains(x, "vise doctor") || !strings.Contains(x, "Current work item") {
			t.Error(x)
		}
	})
	t.Run("console as lines", func(t *testing.T) {
		c := program(t, home, "--accessible")
		c.Stdin = strings.NewReader("q\n")
		x := run(t, c)
		if x.code != 5 || !strings.Contains(x.stdout, "Damaged: ") || !strings.Contains(x.stdout, "vise doctor") {
			t.Errorf("exit %d, %s%s", x.code, x.stdout, x.stderr)
		}
	})
	t.Run("console", func(t *testing.T) {
		c := program(t, home)
		c.Env = append(c.Env, "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+t.TempDir())
		x := startTerminal(t, c, 120, 36)
		for end := time.After(20 * time.Second); !strings.Contains(x.text(), "DAMAGED") || !strings.Contains(x.text(), "vise doctor"); {
			select {
			case <-x.wrote:
			case <-end:
				t.Fatalf("the screen shows\n%s", x.text())
			}
		}
	})
}
