package todos

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vise/model"
	"vise/model/todo"
)

// many is a session of 10,000 todo files of ordinary size, in chains of ten.
func many(b *testing.B) *Session {
	b.Helper()
	const n = 10_000
	s := newSession(b, review)
	dir := filepath.Join(s.Path(), "review")
	must(b, os.MkdirAll(dir, 0o755))
	for i := 1; i <= n; i++ {
		d := draft(fmt.Sprintf("finding %d in the code", i), todo.Ready)
		d.FindingID, d.SourceRef = model.Text(fmt.Sprintf("SEC-%d", i)), "tmp/reviews/abc/TOME.md"
		d.Files = []model.Text{model.Text(fmt.Sprintf("src/f%d.go:%d", i%500, i))}
		if i%10 != 1 {
			d.Dependencies = []todo.Ref{todo.NewRef("review", fmt.Sprintf("%03d", i-1))}
		}
		t, err := todo.New(d, fmt.Sprintf("%03d", i), operator())
		must(b, err)
		must(b, os.WriteFile(filepath.Join(dir, t.File), Render(t, d, todo.Note{At: noon, Phase: "Initial Discovery"}), 0o644))
	}
	b.ReportAllocs()
	b.ResetTimer()
	return s
}

func BenchmarkTenThousand(b *testing.B) {
	b.Run("list", func(b *testing.B) {
		s := many(b)
		for b.Loop() {
			if _, err := s.Load(false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reload", func(b *testing.B) {
		s := many(b)
		old := noon.AddDate(-1, 0, 0)
		for _, t := range mustLoad(b, s).Todos {
			must(b, os.Chtimes(filepath.Join(s.Path(), "review", t.File), old, old))
		}
		snap, err := s.Reload(Snapshot{})
		must(b, err)
		b.ResetTimer()
		for b.Loop() {
			var err error
			if snap, err = s.Reload(snap); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("next", func(b *testing.B) {
		s := many(b)
		for b.Loop() {
			snap, err := s.Load(false)
			if _, why := todo.Next(nil, snap.Index); err != nil || why != todo.Something {
				b.Fatal(err, why)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		s := many(b)
		for b.Loop() {
			snap, err := s.Load(false)
			if p := todo.CheckAll(snap.Index); err != nil || len(p) > 0 {
				b.Fatal(err, p)
			}
		}
	})
	b.Run("similar", func(b *testing.B) {
		s := many(b)
		snap := mustLoad(b, s)
		for b.Loop() {
			todo.FindSimilar(snap.Todos)
		}
	})
}
