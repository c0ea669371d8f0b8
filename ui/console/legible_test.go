package console

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"
	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
)

// framesOf shows at 80×24 what words look like at the places where an agent's words are: the queue, the plan, a session, a dialog, the Fleet,
// the inbox, a search and the reports.
func framesOf(t *testing.T, words string) map[string][]string {
	out := map[string][]string{}
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSessions{}
		wd := newWorld(t, 80, 24, func(o *Options) { o.Sessions = f })
		defer wd.end()
		wd.create("a", words)
		wd.change("todos a > " + words + " | - " + words)
		wd.change("plan a # " + words + "\\n\\n- " + strings.Repeat(words+" ", 9) + "\\n")
		wd.create("b", "b "+words)
		wd.do(model.CompleteWorkItem{WorkItemID: wd.create("c", "c "+words)})
		wd.change("ask b " + words)
		f.works()
		f.update(sdk.UpdateAgentMessageText(words))
		wd.settle()
		take := func(name string, keys ...string) {
			wd.press(keys...)
			wd.settle()
			wd.measured(wd.console.View().Content)
			out[name] = wd.frame()
		}
		take("plan", "down")
		take("todos", "]")
		take("session", "g", "s")
		take("to zero", ".")
		take("fleet", "esc", "2")
		take("reports", "3")
		take("new item", "1", "o")
		wd.write(words)
		take("typed")
		take("find", "esc", "esc", "/")
		wd.write(words)
		take("found")
	})
	return out
}

// The borders stand in the same cells whatever script the words are in: letters from the right, letters of two cells, marks that take no
// cell, and emoji of several characters.
func TestNoScriptMovesABorder(t *testing.T) {
	borders := func(frame []string) (at [][2]int) {
		for y, line := range frame {
			for i, r := range line {
				if strings.ContainsRune("│┃┏┓┗┛╭╮╰╯", r) {
					at = append(at, [2]int{y, ansi.StringWidthWc(line[:i])})
				}
			}
		}
		return at
	}
	latin := framesOf(t, "Split the limiter")
	for _, words := range []string{"לפצל את מגביל הקצב", "تقسيم محدد المعدل", "限流器を分割する作業", "처리율 제한기 나누기", "ก็ น้ำ ที่นี่", "👩‍👩‍👧‍👦 🇩🇪 ok"} {
		for name, frame := range framesOf(t, words) {
			if is, want := borders(frame), borders(latin[name]); !slices.Equal(is, want) {
				t.Errorf("%q, %s: the borders are not where they are with Latin letters:\n%s\n%s", words, name, strings.Join(frame, "\n"),
					strings.Join(latin[name], "\n"))
			}
			if name != "find" && name != "to zero" && !strings.Contains(strings.Join(frame, "\n"), string([]rune(words)[:1])) {
				t.Errorf("%q is not shown in %s:\n%s", words, name, strings.Join(frame, "\n"))
			}
		}
	}
}

// What colours tell, marks and words tell too: the frames are compared as plain text.
func TestNoColourCarriesMeaningAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		plain := func(keys ...string) string {
			wd.press(keys...)
			wd.settle()
			return strings.Join(wd.frame(), "\n")
		}
		wd.create("works", "Is worked on")
		wd.change("pick works")
		for _, name := range []string{"asks", "blocked", "queued", "news"} {
			wd.create(name, "Is "+name)
		}
		wd.change("ask asks LRU or LFU?")
		wd.change("block blocked legal")
		wd.do(model.WaitFor{WorkItemID: wd.names["news"], Wake: model.WakeExternal, Reason: "waits for CI", Resource: "ci"})
		wd.do(model.Trigger{WorkItemID: wd.names["news"], Source: "ci"})
		wd.do(model.CompleteWorkItem{WorkItemID: wd.create("done", "Is done")})
		// Each state has a mark of its own before its item.
		marks, frame := map[string]string{}, plain()
		for _, state := range []string{"worked on", "asks", "blocked", "queued", "news", "done"} {
			m := regexp.MustCompile(`(\S) +Is ` + state).FindStringSubmatch(frame)
			if m == nil || marks[m[1]] != "" {
				t.Errorf("%s has no mark of its own (as %s): %q\n%s", state, marks[slices.Concat(m, []string{"", ""})[1]], m, frame)
				continue
			}
			marks[m[1]] = state
		}
		for _, word := range []string{"WORKS", "ASKS YOU", "BLOCKED", "QUEUED", "NEWS", "DONE"} {
			if !strings.Contains(frame, word) {
				t.Errorf("no heading says %s:\n%s", word, frame)
			}
		}
		// The row at the cursor and the pane with the focus are marked; so is the chosen line of a menu.
		if next := plain("down"); next == frame || strings.Count(next, ">") < 1 {
			t.Errorf("the cursor's row is not marked:\n%s", next)
		}
		if in := plain("tab"); !strings.Contains(in, "┏━ Detail") || !strings.Contains(in, "╭─ Queue") {
			t.Errorf("the pane with the focus is not marked:\n%s", in)
		}
		// What needs you is said on every view.
		for _, view := range []string{"1", "2", "3"} {
			if got := plain(view); !strings.Contains(strings.SplitN(got, "\n", 2)[0], "1 ask") {
				t.Errorf("view %s does not say who asks:\n%s", view, got)
			}
		}
	})
}
