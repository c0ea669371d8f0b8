package files

import (
	"os"
	"strconv"
	"testing"

	"vise/model"
)

func BenchmarkPlan(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 8 << 20} {
		b.Run(strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
			h := newHome(b)
			text := make([]byte, size)
			for i := range text {
				text[i] = 'x'
			}
			must(b, os.WriteFile(h.PlanPath(agent, item), text, 0o600))
			b.SetBytes(int64(size))
			for b.Loop() {
				h.Plan(agent, item)
			}
		})
	}
}

func BenchmarkTwentyPlans(b *testing.B) {
	h := newHome(b)
	b.Run("each by itself", func(b *testing.B) {
		for b.Loop() {
			for range model.DefaultLimit {
				h.Plan(agent, item)
			}
		}
	})
	b.Run("as a list", func(b *testing.B) {
		for b.Loop() {
			items := h.Items(agent)
			for range model.DefaultLimit {
				items.Plan(item)
			}
			items.Close()
		}
	})
}

func BenchmarkStat(b *testing.B) {
	h := newHome(b)
	for b.Loop() {
		h.Stat(agent, item)
	}
}

func BenchmarkCreatePlan(b *testing.B) {
	h := newHome(b)
	for i := 0; b.Loop(); i++ {
		if _, err := h.CreatePlan(agent, model.ItemID("wi-"+strconv.Itoa(i+10)), "seed"); err != nil {
			b.Fatal(err)
		}
	}
}
