package etcd

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// The server's limit of operations (--max-txn-ops) is looked for among powers of two between these. Some of it is kept free.
const (
	leastOps = 32
	mostOps  = 4096
	spareOps = 8
)

// Limits is how many operations and bytes one change can have. The first call asks the server, with transactions that only compare.
func (b *Backend) Limits(ctx context.Context) (ops, bytes int, err error) {
	if ops := int(b.maxOps.Load()); ops > 0 {
		return ops, maxBytes, nil
	}
	for ops = leastOps; ops < mostOps; ops *= 2 {
		compares := make([]clientv3.Cmp, 2*ops)
		for i := range compares {
			compares[i] = clientv3.Compare(clientv3.CreateRevision(b.root+spaceWhole+string(about)), ">", 0)
		}
		_, err := once(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
			return c.Txn(ctx).If(compares...).Commit()
		})
		if errors.Is(err, rpctypes.ErrTooManyOps) {
			break
		}
		if err != nil {
			return 0, 0, b.explain(err)
		}
	}
	b.maxOps.Store(int64(ops - spareOps))
	return ops - spareOps, maxBytes, nil
}
