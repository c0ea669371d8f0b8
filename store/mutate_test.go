package store_test

import (
	"errors"
	"fmt"

	"vise/model"
	"vise/store"
)

// mutate carries out one mutation of a stage in a process of its own, and prints the result.
func mutate(args []string) {
	id := func(n int) model.ItemID { return model.ItemID(args[n]) }
	s := stage{dir: args[0], queued: id(2), focused: id(3), waiting: id(4), asking: id(5), child: id(6), ingress: model.IngressID(args[7])}
	l, err := store.Open(s.dir, store.Options{})
	must(err)
	deterministic(l)
	switch _, err := l.Apply(ctx, s.envelope(args[1])); {
	case err == nil:
		fmt.Println("ok")
	case errors.Is(err, &model.Error{Code: model.CodeUnknownOutcome}):
		fmt.Println("unknown")
	default:
		fmt.Println("failed")
	}
}
