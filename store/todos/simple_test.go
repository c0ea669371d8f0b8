package todos

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"vise/model"
	"vise/model/todo"
)

// TestWhatIsReadSimplyIsReadAsYAML makes front matter of pieces that are near the simple form, and reads it in both
// ways.
func TestWhatIsReadSimplyIsReadAsYAML(t *testing.T) {
	key := rapid.SampledFrom([]string{"status", "a", "null", "Y", "1a", "a-b", "_a", "a b", "\"a\"", "- a", " a", "", "#a", "é", "<<"})
	value := rapid.SampledFrom([]string{
		"pending", "p1", "12", "0x1F", "1_000", "2026-03-02", "null", "Null", "~", "true", "-", "- a", "a-", "a: b", "a #b", "a#b", "é",
		`""`, `"a"`, `"a b"`, `" a "`, `"a: b"`, `"a # b"`, `"a\tb"`, `"a"b"`, `"é ✓ 日"`, "\"a\tb\"", "\"a\u0085b\"", "\"\u2028\"", "\"\ufeff\"",
		`"a" `, `"a" #b`, `'a'`, `"`, `["a`, `["a"]`, `["a", "b"]`, `["a, b"]`, `["a","b"]`, `[a]`, `[]`, `[ ]`, `["a", ]`, `["", ""]`, `[", "]`,
		`{a: b}`, `*a`, `&a b`, `!!str a`, "|", "",
	})
	between := rapid.SampledFrom([]string{": ", ": ", ": ", ":", " : ", ":  ", ":\t"})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n  b\n", "\n# c\n", "\n...\n", "\u0085"})
	plain := rapid.SampledFrom([]string{"pending", "p1", "12", "2026-03-02", "null", "true", `""`, `"a b"`, `"é ✓ 日"`, "[]", `["a", "b"]`})
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		var head strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(rt, "lines") {
			if rapid.IntRange(0, 2).Draw(rt, "plain") > 0 { // else few of them would be simple
				fmt.Fprintf(&head, "k%d: %s\n", i, plain.Draw(rt, "plain value"))
				continue
			}
			head.WriteString(key.Draw(rt, "key") + between.Draw(rt, "between") + value.Draw(rt, "value") + end.Draw(rt, "end"))
		}
		simply, ok := simple(head.String())
		if !ok {
			return
		}
		taken++
		full, d := entries(head.String())
		if d != nil || len(full) != len(simply) {
			rt.Fatalf("%q: %v, %d keys of %d", head.String(), d, len(simply), len(full))
		}
		for k, e := range full {
			if !readsAlike(e.value, simply[k]) {
				rt.Fatalf("%q: %s is %+v, and simply %+v", head.String(), k, e.value, simply[k])
			}
		}
	})
	if taken == 0 {
		t.Error("none of the heads is simple")
	}
}

func readsAlike(a, b *yaml.Node) bool {
	return b != nil && a.Kind == b.Kind && scalar(a) == scalar(b) && slices.EqualFunc(a.Content, b.Content, readsAlike)
}

func TestWhatViseWritesIsSimple(t *testing.T) {
	d := draft("A title with \"quotes\"", todo.Ready)
	d.Files, d.Dependencies = []model.Text{"a.go:1", "b c.go"}, []todo.Ref{"review/001", "review/002"}
	made, err := todo.New(d, "003", operator())
	must(t, err)
	doc, damage := split(string(Render(made, d, todo.Note{At: noon, Phase: "Found"})))
	if damage != nil {
		t.Fatal(damage)
	}
	if _, ok := simple(doc.head); !ok {
		t.Errorf("not simple:\n%s", doc.head)
	}
}
