package markdown

import (
	"strings"
	"testing"

	"vise/model"
	"vise/themes"
)

// planOf is a plan of about size bytes as agents write them.
func planOf(size int) string {
	section := `## Step

A refactor, not a *behaviour* change. Move the token bucket out of
` + "`gateway/limit.go`" + ` into a package with no HTTP imports, and see
[the notes](docs/limits.md) on why the burst size becomes a field.

- keep wire headers byte-identical
- burst size becomes a field, not a constant
  - the default stays 20
- [x] do not touch the Redis script

` + "```go\nfunc (b *Bucket) Take(n int) bool {\n\treturn b.level.Add(-n) >= 0 // lock-free\n}\n```" + `

| step | owner |
|------|-------|
| replay 24h of traffic | claude |

`
	return "# Plan\n\n" + strings.Repeat(section, max(size/len(section), 1))
}

func BenchmarkSplit(b *testing.B) {
	for _, c := range []struct {
		name string
		src  string
	}{{"plan 10 KB", planOf(10 << 10)}, {"plan 1 MB", planOf(1 << 20)}, {"plan 5 MB", planOf(5 << 20)}, {"prose 1 MB", strings.Repeat("word ", 1<<20/5)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.src)))
			b.ReportAllocs()
			for b.Loop() {
				Split(model.Text(c.src))
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	p, _ := themes.ByName("dark")
	style := NewStyle(p, false)
	d := Split(model.Text(planOf(1 << 20)))
	b.Run("40 new", func(b *testing.B) {
		for b.Loop() {
			NewRenderer(Whole).View(d, 80, style).Lines(Position{Block: 500}, 40)
		}
	})
	b.Run("40 kept", func(b *testing.B) {
		v := NewRenderer(Whole).View(d, 80, style)
		for b.Loop() {
			v.Lines(Position{Block: 500}, 40)
		}
	})
	b.Run("1 MB", func(b *testing.B) {
		for b.Loop() {
			v := NewRenderer(Whole).View(d, 80, style)
			for i := range d.blocks {
				v.rows(i)
			}
		}
	})
}

func BenchmarkChanged(b *testing.B) {
	src := planOf(1 << 20)
	old, edited := Split(model.Text(src)), Split(model.Text(src[:1<<19]+"\nnew\n"+src[1<<19:]))
	for b.Loop() {
		edited.Changed(old)
	}
}
