package console

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// payloads are texts that drive a terminal, hide what is there, or show what is not.
var payloads = map[string]string{
	"clear screen":        "a\x1b[2Jb",
	"leave alt screen":    "a\x1b[?1049lb",
	"device report":       "a\x1b[6nb",
	"title":               "a\x1b]0;owned\x07b",
	"notification":        "a\x1b]9;owned\x1b\\b",
	"clipboard":           "a\x1b]52;c;aGVsbG8=\x07b",
	"inline image":        "a\x1b]1337;File=:AAAA\x07b",
	"link":                "a\x1b]8;;http://evil.example\x1b\\good.example\x1b]8;;\x1b\\b",
	"markdown link":       "[good.example](http://evil.example) [x](javascript:alert(1)) <file:///etc/passwd>",
	"tmux passthrough":    "a\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x07\x1b\\b",
	"sixel":               "a\x1bPq#0;2;0;0;0#0~~\x1b\\b",
	"reset":               "a\x1bcb",
	"lone escape":         "a\x1b",
	"unterminated OSC":    "a\x1b]0;the rest of the screen",
	"unterminated DCS":    "a\x1bPthe rest of the screen",
	"conceal":             "a\x1b[8mhidden\x1b[0mb",
	"blink":               "a\x1b[5mb",
	"C1 CSI":              "a\u009b2Jb",
	"C1 OSC":              "a\u009d52;c;aGVsbG8=\u009cb",
	"C1 bytes":            "a\x9b2Jb\x9d0;x\x9c",
	"bidi override":       "a\u202egnp.exe\u202cb",
	"bidi isolate":        "a\u2066b\u2069\u2067c\u2069",
	"zero width":          "a\u200bb\u200cc\ufeffd\u2060e",
	"tags":                "a\U000e0041\U000e0042b",
	"line separators":     "a\u2028b\u2029c\u0085d",
	"combining marks":     "a" + strings.Repeat("\u0301", 500) + "b",
	"carriage return":     "safe text\revil",
	"backspaces":          "good\b\b\b\bevil",
	"invalid UTF-8":       "a\xff\xfe\xc3\x28b",
	"bell, NUL, DEL":      "a\x07\x00\x7fb",
	"entities":            "&#27;]52;c;aGVsbG8=&#7; &#x1b;[2J &#155;2J &#8238;x",
	"entities in code":    "`\x1b[2J` &lt;b&gt;\n\n    \x1b]0;x\x07\n\n```\n\x1b[2J\u202e\n```\n",
	"html":                "<div>\x1b[2J</div>\n\n<!-- \x1b]52;c;aGVsbG8=\x07 -->",
	"table":               "| a\x1b[2J | b |\n|---|---|\n| \u202ex | \x1bc |\n",
	"tabs and newlines":   "a\tb\nc\r\nd\ve\ff",
	"wide and joined":     "日本語 👩‍👩‍👧‍👦 👍🏽 🇩🇪 क्षि ก็ ﷽ שלום",
	"72 nested quotes":    strings.Repeat("> ", 72) + "x",
	"154 nested lists":    nestedList(154),
	"markdown everywhere": "# h\n\n***\n\n- [ ] task\n\n![img](http://evil.example/x.png)\n\n[ref]: http://evil.example\n\n[ref]",
}

func nestedList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

// Whatever a text from outside holds, and wherever it is shown, a frame is made of
// characters that can be seen and of colours.
func TestNoTextDrivesTheTerminal(t *testing.T) {
	for name, payload := range payloads {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 120, 36, func(o *Options) { o.Home = payload })
				defer wd.end()
				wd.plant(payload)
				wd.settle()
				wd.tour(payload)
			})
		})
	}
}

// plant writes the payload everywhere an agent can write.
func (wd *world) plant(payload string) {
	wd.t.Helper()
	p := model.Text(strings.ToValidUTF8(payload, "?"))
	words := cutRunes(model.Text(strings.ReplaceAll(string(p), "\x00", "")), 400) + "."
	id := wd.create("a", "objective "+string(words))
	list := []model.Todo{{Text: "todo " + words, State: model.TodoInProgress}, {Text: words, State: model.TodoPending}}
	wd.do(model.UpdateWorkItem{WorkItemID: id, TodoList: &list})
	wd.do(model.PickWorkItem{WorkItemID: id, Reason: words})
	blocked := wd.create("b", "blocked "+string(words))
	wd.do(model.UpdateWorkItem{WorkItemID: blocked, BlockedBy: model.SetTo(words)})
	waits := wd.create("c", "waits "+string(words))
	wd.do(model.WaitFor{WorkItemID: waits, Wake: model.WakeExternal, Reason: words, Source: words, Resource: words, Condition: words})
	wd.do(model.Trigger{WorkItemID: waits, Source: words, Payload: words})
	asks := wd.create("d", "asks "+string(words))
	wd.do(model.WaitFor{WorkItemID: asks, Wake: model.WakeOperatorInput, Reason: words, Question: words, Choices: []model.Text{words, words}})
	answered := wd.create("f", "answered "+string(words))
	wd.do(model.WaitFor{WorkItemID: answered, Wake: model.WakeOperatorInput, Reason: words, Question: words})
	wd.do(model.Answer{WorkItemID: answered, Text: words})
	done := wd.create("e", "done "+string(words))
	wd.do(model.Round{Text: words, WorkItemID: done, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: done}}}})
	for _, id := range []model.ItemID{id, blocked, waits, asks, done} {
		wd.eyes.put(id, "# Plan\n\n"+payload+"\n\n- "+payload+"\n\n> "+payload+"\n")
	}
}

func cutRunes(t model.Text, n int) model.Text {
	if r := []rune(string(t)); len(r) > n {
		return model.Text(r[:n])
	}
	return t
}

// tour looks at every tab of every item, every dialog, and messages with the payload in them.
func (wd *world) tour(payload string) {
	wd.look("start")
	for item := range 6 {
		for range tabCount {
			wd.press("]")
			wd.settle()
			wd.look("a tab")
		}
		wd.frame()
		keys := []string{"p", "c", "b", "w", "r", "E", "t", "s", "P", "x", "?", "y", "o", "m", "a"}
		if item > 0 && item < 5 {
			keys = nil
		}
		for _, key := range append(keys, "i") {
			wd.press(key)
			wd.settle()
			wd.look("dialog " + key)
			wd.send(tea.PasteMsg{Content: payload})
			wd.look("paste in " + key)
			wd.press("esc", "esc")
			wd.settle()
		}
		wd.press("j")
		wd.settle()
	}
	wd.press("/")
	wd.send(tea.PasteMsg{Content: payload})
	wd.settle()
	wd.look("filter")
	wd.press("esc")
	wd.eyes.news <- News{All: true, Mode: payload}
	wd.settle()
	wd.look("watch mode")
	wd.eyes.spoil(wd.names["a"], PlanText{Artifact: model.PlanArtifact{Condition: model.PlanUnreadable, Path: payload}, Reason: payload})
	wd.press("g")
	wd.settle()
	wd.look("bad plan")
	wd.faulty.fail(model.Refuse(model.CodeBusy, "%s", payload).WithHint("%s", payload))
	wd.press("R")
	wd.settle()
	wd.look("ledger trouble")
	for _, size := range [][2]int{{80, 24}, {50, 20}, {38, 9}, {41, 11}} {
		wd.w, wd.h = size[0], size[1]
		wd.send(tea.WindowSizeMsg{Width: wd.w, Height: wd.h})
		wd.settle()
		wd.look(fmt.Sprint(size))
	}
}

// look checks the frame, as the program writes it and as a terminal takes it.
func (wd *world) look(where string) {
	wd.t.Helper()
	v := wd.console.View()
	for what, s := range map[string]string{"frame": v.Content, "title": v.WindowTitle} {
		if bad := harmful(s); bad != "" {
			wd.t.Errorf("%s: the %s holds %s", where, what, bad)
		}
	}
	wd.measured(v.Content)
}

// harmful names the first thing in s that is neither visible nor a colour.
func harmful(s string) string {
	for i, r := range s {
		switch {
		case r == '\n':
		case r == '\x1b':
			end := strings.IndexByte(s[i:], 'm')
			if end < 0 || !isColour(s[i:i+end]) {
				return fmt.Sprintf("%q", s[i:min(i+12, len(s))])
			}
		case unicode.IsControl(r), r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			return fmt.Sprintf("%U", r)
		case unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp), r >= 0xE0000 && r <= 0xE0FFF, r == 0x200B, r == 0xFEFF, r == 0x2060:
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// isColour accepts "ESC [ numbers", without conceal and blink.
func isColour(seq string) bool {
	params, ok := strings.CutPrefix(seq, "\x1b[")
	if !ok {
		return false
	}
	parts := strings.Split(params, ";")
	for i := 0; i < len(parts); i++ {
		n, err := strconv.Atoi(parts[i])
		switch {
		case parts[i] == "":
		case err != nil, n == 5, n == 6, n == 8:
			return false
		case n == 38 || n == 48 || n == 58:
			if i+1 < len(parts) && parts[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
	return true
}
