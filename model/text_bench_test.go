package model

import (
	"encoding/json"
	"strings"
	"testing"
)

func BenchmarkText(b *testing.B) {
	plain := strings.Repeat("plain words, ", 1<<20/13)
	for _, c := range []struct{ name, text string }{
		{"ascii 1 MB", plain},
		{"lines 1 MB", strings.Repeat("one line of a plan, as they are\n", 1<<15)},
		{"mixed 0.8 MB", strings.Repeat("ein Häuschen 日本語 👩‍💻 \x1b[31mé ", 20_000)},
		{"japanese 0.8 MB", strings.Repeat("日本語のテキスト", 1<<15)},
		{"hindi 0.8 MB", strings.Repeat("क्षमा करें ", 1<<15)},
		{"objective", "Split rate limiter out of gateway, keep the wire headers"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				_ = Text(c.text).String()
			}
		})
	}
}

func BenchmarkTextJSON(b *testing.B) {
	type asText struct{ Objective, Preview Text }
	type asString struct{ Objective, Preview string }
	objective, preview := strings.Repeat("word ", 12), strings.Repeat("- a line of the plan\n", 76)
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(asText{Text(objective), Text(preview)})
		}
	})
	b.Run("string", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(asString{objective, preview})
		}
	})
}
