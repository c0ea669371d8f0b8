package text

import (
	"strings"
	"testing"
)

func BenchmarkPad(b *testing.B) {
	for _, c := range []struct{ name, s string }{
		{"ascii", "Split rate limiter out of gateway and keep the headers"},
		{"japanese", "Reproduce 日本語 header bug in the gateway of 東京"},
		{"styled", "\x1b[31mSplit rate limiter out of gateway and keep the headers\x1b[m"},
		{"1 MB", strings.Repeat("a very long objective ", 1<<20/22)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = Pad(c.s, 40)
			}
		})
	}
}

func BenchmarkSafe(b *testing.B) {
	for _, c := range []struct{ name, s string }{
		{"ascii", "Split rate limiter out of gateway and keep the headers"},
		{"japanese", "Reproduce 日本語 header bug in the gateway of 東京"},
		{"emoji", "Ship 👩‍💻 the 🇩🇪 build ❤️ today, all of it, now"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = Safe(c.s, false)
			}
		})
	}
}
