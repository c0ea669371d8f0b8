package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// inMemoryCluster is a backend that says that it is on a cluster, and takes few operations at once.
type inMemoryCluster struct{ store.Backend }

func (b inMemoryCluster) Can() store.Capabilities { return store.Capabilities{Cluster: b} }
func (inMemoryCluster) Status(context.Context) (store.ClusterStatus, error) {
	return store.ClusterStatus{ID: "c"}, nil
}
func (inMemoryCluster) Grant(context.Context, string, store.Grant) (bool, error) { return true, nil }
func (inMemoryCluster) Limits() (ops, bytes int)                                 { return 120, 1 << 20 }
func (inMemoryCluster) Claim(ctx context.Context, _ string) (context.Context, func(), error) {
	return ctx, func() {}, nil
}

// A ledger that is on its way, or has moved away, cannot be joined. No home is made.
func TestALedgerThatIsNotHereCannotBeJoined(t *testing.T) {
	c := store.Cluster{Endpoints: []string{"127.0.0.1:1"}, Ledger: "team"}
	for _, state := range []string{"", "moving", "arriving", "moved"} {
		for _, fresh := range []bool{false, true} {
			b := inMemoryCluster{kv.NewMemory()}
			first := filepath.Join(t.TempDir(), "first")
			if _, err := store.Join(ctx, first, c, b, true, store.Options{}); err != nil {
				t.Fatal(err)
			}
			must(store.PutState(b, state, "/elsewhere"))
			dir := filepath.Join(t.TempDir(), "home")
			_, err := store.Join(ctx, dir, c, b, fresh, store.Options{})
			var e *model.Error
			_, made := os.Stat(dir)
			switch is := state == "" || state == "moving"; {
			case is && !fresh && (err != nil || made != nil):
				t.Errorf("a ledger that is %q: %v, %v", state, err, made)
			case is && fresh && !errors.Is(err, &model.Error{Code: model.CodeConflict}):
				t.Errorf("a new ledger where one is %q: %v", state, err)
			case !is && (!errors.As(err, &e) || e.Code != model.CodeRefused || !strings.Contains(e.Error(), "/elsewhere") || made == nil):
				t.Errorf("a ledger that is %q, new: %t: %v, %v", state, fresh, err, made)
			}
		}
	}
}
