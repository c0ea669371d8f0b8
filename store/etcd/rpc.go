package etcd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vise/model"
	"vise/store"
)

// rpcLimit is how long a member has for an answer. Then another one is asked.
const rpcLimit = time.Second

// once asks the member that answered last. If it does not answer, the next call asks another one.
func once[R any](b *Backend, ctx context.Context, do func(context.Context, *clientv3.Client) (R, error)) (R, error) {
	member := b.member.Load()
	limited, cancel := context.WithTimeout(ctx, rpcLimit)
	defer cancel()
	r, err := do(limited, b.clients[member%uint64(len(b.clients))])
	if unanswered(err) && ctx.Err() == nil {
		b.member.CompareAndSwap(member, member+1)
	}
	return r, err
}

// answered asks one member after the other until one answers, within maxTime. What it asks can be asked twice.
func answered[R any](b *Backend, ctx context.Context, do func(context.Context, *clientv3.Client) (R, error)) (R, error) {
	begun := time.Now()
	for n := 1; ; n++ {
		r, err := once(b, ctx, do)
		if unanswered(err) && n == len(b.clients) && ctx.Err() == nil { // no other member answers
			if err := b.denied(ctx); err != nil {
				return r, err
			}
		}
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			return r, ctx.Err()
		case !unanswered(err):
			return r, b.explain(err)
		case time.Since(begun) > maxTime:
			return r, b.noAnswer(err)
		}
		if err := store.Pause(ctx, pauseAfter(b)); err != nil {
			return r, err
		}
	}
}

// read reads from a member that answers.
func (b *Backend) read(ctx context.Context, ops []clientv3.Op) (*clientv3.TxnResponse, error) {
	r, err := answered(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
		return c.Txn(ctx).Then(ops...).Commit()
	})
	if err != nil {
		return nil, err
	}
	return r, b.sameCluster(r.Header.ClusterId)
}

// pauseAfter is how long to wait before another member is asked: not at all until each was asked once.
func pauseAfter(b *Backend) time.Duration {
	if b.member.Load()%uint64(len(b.clients)) != 0 {
		return 0
	}
	return 50 * time.Millisecond
}

// unanswered reports whether an error leaves open what happened, and another member may answer.
func unanswered(err error) bool {
	if err == nil {
		return false
	}
	var e rpctypes.EtcdError
	code := status.Code(err)
	if errors.As(err, &e) {
		code = e.Code()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, rpctypes.ErrFutureRev):
		return true // a member that is behind does not have the revision yet
	}
	return code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled
}

// noAnswer is the error if no member answers.
func (b *Backend) noAnswer(err error) error {
	e := model.Busy("the cluster does not answer: no member can be reached, or too few of them run").Because(plain(err))
	if b.config.ID == "" { // no home has joined it
		return e.WithHint("try again; nothing was changed")
	}
	return e.WithHint("try again; vise admin fleet status shows the members, and nothing was changed")
}

// sameCluster refuses another cluster than the one that is known.
func (b *Backend) sameCluster(id uint64) error {
	if known := b.config.ID; known != "" && known != idOfCluster(id) {
		return refuse("if it was replaced on purpose, move fleet.json in the home away and run vise admin fleet join again",
			"another cluster answers at %s (%s, not %s)", strings.Join(b.config.Endpoints, ", "), idOfCluster(id), known)
	}
	return nil
}

// explainChange is explain for a change. Whoever makes one could read.
func (b *Backend) explainChange(err error) error {
	if !errors.Is(err, rpctypes.ErrPermissionDenied) {
		return b.explain(err)
	}
	user := model.Text(b.config.User)
	return model.Refused("the cluster does not permit %s to change this", user).At("home",
		"its administrator grants it: vise admin fleet grant %s ADDRESS", user)
}

// explain turns an answer that refuses into an error with a stable code.
func (b *Backend) explain(err error) error {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
	user := model.Text(cmp.Or(b.config.User, "a user without a certificate"))
	switch {
	case is(rpctypes.ErrNoSpace):
		return model.Refuse(model.CodeFull, "the cluster has no space left").Because(plain(err)).
			WithHint("the change was not saved, all before it was; compact and defragment the cluster, then disarm its alarm")
	case is(rpctypes.ErrCompacted):
		return model.Busy("reading took longer than the cluster keeps its past").Because(plain(err)).WithHint("try again")
	case is(rpctypes.ErrPermissionDenied, rpctypes.ErrUserEmpty, rpctypes.ErrUserNotFound, rpctypes.ErrAuthFailed):
		return model.Refused("the cluster does not permit %s to use %s", user, b.root).At("home").Because(plain(err)).
			WithHint("the administrator of the cluster grants it: vise admin fleet grant %s ADDRESS", user)
	}
	return plain(err)
}

// plainError is an error of the client in plain words.
type plainError struct {
	words string
	error
}

// saidBy begins the errors of the server.
const saidBy = "etcdserver: "

func (e plainError) Error() string { return e.words }
func (e plainError) Unwrap() error { return e.error }

// plain says an error of the client without the words of its protocol.
func plain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded {
		return plainError{"no answer in time", err}
	}
	words := status.Convert(err).Message()
	if _, quoted, nested := strings.Cut(words, "desc = "); nested {
		if inner, err := strconv.Unquote(quoted); err == nil {
			words = inner
		}
	}
	for _, about := range []string{"transport: ", "Error while dialing: ", "authentication handshake failed: ", saidBy} {
		words = strings.TrimPrefix(words, about)
	}
	return plainError{words, err}
}

// names are parts of ids. The part of an id never changes.
type names struct {
	mu   sync.Mutex // protects part
	part map[string]model.AgentID
}

// maxNames bounds the memory of names: some 10 MB.
const maxNames = 100_000

func (n *names) get(id string) (model.AgentID, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	part, known := n.part[id]
	return part, known
}

func (n *names) put(id string, part model.AgentID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.part == nil || len(n.part) >= maxNames {
		n.part = map[string]model.AgentID{}
	}
	n.part[id] = part
}
