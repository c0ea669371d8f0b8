package store_test

import (
	"fmt"
	"testing"

	"vise/model"
	"vise/store"
)

func BenchmarkApplyCreateTmp(b *testing.B) {
	_, l := newHome(b)
	i := 0
	for b.Loop() {
		i++
		if err := applied(l, objective(fmt.Sprint("k", i))); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkMemCreateTmp(b *testing.B) {
	l := store.NewMem(nil)
	i := 0
	for b.Loop() {
		i++
		if err := applied(l, objective(fmt.Sprint("k", i))); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkPageTmp(b *testing.B) {
	_, l := newHome(b)
	for i := range 100 {
		must(applied(l, objective(fmt.Sprint("k", i))))
	}
	for b.Loop() {
		l.View(ctx, func(r model.Reader) error {
			model.ListItems(r, "ada", "", nil, 20)
			return nil
		})
	}
}
