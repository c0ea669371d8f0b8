package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestWhatAnEarlierBuildInstalledIsKept: the settings of each program as build 36d8b116 wrote them, and its block in an instruction file,
// are recognised, stay as they are when vise is installed again, and are removed without a trace. Claude Code's server alone gains a key,
// without which newer versions defer its tools, and OpenCode's plugin the tokens of replies.
func TestWhatAnEarlierBuildInstalledIsKept(t *testing.T) {
	recorded, err := txtar.ParseFile("testdata/installed-36d8b116.txtar")
	if err != nil {
		t.Fatal(err)
	}
	b := newInstallBench(t)
	users, installed := map[string]string{}, map[string]string{}
	for _, f := range recorded.Files {
		name, isUsers := strings.CutPrefix(f.Name, "user/")
		text := string(bytes.ReplaceAll(f.Data, []byte("@HOME@"), []byte(b.home)))
		if isUsers {
			users["/"+name] = text
			continue
		}
		name = strings.TrimPrefix(name, "vise/")
		installed["/"+name] = text
		b.write(name, text)
	}
	options := func(program string) Options {
		o := b.options(program)
		o.Agent, o.Home = "", filepath.Join(b.home, ".local", "share", "vise")
		return o
	}
	gained := map[string]*regexp.Regexp{
		"/.claude.json":                    regexp.MustCompile(`,\n      "alwaysLoad": true`),
		"/.config/opencode/plugin/vise.ts": regexp.MustCompile(`(?m)^// used is what the replies(.*\n){5}\n|^      const all = .*\n| used: used\(sessionID, all\),`),
	}
	for _, program := range Programs {
		o := options(program)
		if agent := o.agentNow(); agent != "ann-"+program {
			t.Errorf("%s works as %q", program, agent)
		}
		list, err := Doctor(o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			path, _, _ := strings.Cut(c.Message, " lacks ")
			if !c.OK && c.Name != "program" && !strings.HasPrefix(c.Name, "hook ") && gained[strings.TrimPrefix(path, b.home)] == nil && c.Name != "tools" {
				t.Errorf("doctor says of %s: %s: %s", program, c.Name, c.Message)
			}
		}
		for _, f := range b.run(o).Files {
			name := strings.TrimPrefix(f.Path, b.home)
			if more := gained[name]; f.Changed && more != nil {
				raw, _ := os.ReadFile(f.Path)
				was := strings.Replace(more.ReplaceAllString(string(raw), ""), "unsent(sessionID, all)", "unsent(sessionID, answer.data ?? [])", 1)
				if was == string(raw) || was != installed[name] {
					t.Errorf("another change:\n%s", f.Diff)
				}
				installed[name] = string(raw)
			} else if f.Changed {
				t.Errorf("an installation changes %s:\n%s", f.Path, f.Diff)
			}
		}
	}
	equal(t, "after an installation", b.files(), installed)
	for _, program := range Programs {
		o := options(program)
		o.Uninstall = true
		b.run(o)
	}
	block := b.options("")
	block.Uninstall = true
	if _, err := KeepPrimer(block, filepath.Join(b.home, "AGENTS.md"), ""); err != nil {
		t.Fatal(err)
	}
	equal(t, "after its removal", b.files(), users)
}
