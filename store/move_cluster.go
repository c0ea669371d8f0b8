package store

import (
	"context"

	"vise/model"
	"vise/store/kv"
)

// ClusterLedger opens a ledger that is on a cluster, without a home. If a home has noted it in c, another ledger is refused.
func ClusterLedger(ctx context.Context, c Cluster, b Backend) (*Ledger, error) {
	l := onCluster(home{}, c, b, Options{})
	now := c
	if err := b.View(ctx, func(t Txn) error { return l.learnCluster(t, &now) }); err != nil {
		return nil, explain(err)
	}
	if c.Home != "" && (c.Home != now.Home || c.Epoch != now.Epoch) {
		return nil, explain(kv.Refuse("join it again", "%s has another ledger than this home has seen, or it was moved or restored since",
			model.Text(c.Address())))
	}
	l.home.ID, l.cluster = now.Home, nil
	return l, nil
}

// JoinMoved writes the fleet.json of a home whose ledger has moved to a cluster.
func JoinMoved(ctx context.Context, dir string, c Cluster, b Backend) error {
	h := home{Dir: dir}
	l := onCluster(h, c, b, Options{})
	s, err := l.ClusterStatus(ctx)
	if err != nil {
		return err
	}
	c.ID = s.ID
	if err := b.View(ctx, func(t Txn) error { return l.learnCluster(t, &c) }); err != nil {
		return explain(err)
	}
	return c.save(h)
}

// CanHave refuses a home that cannot get the files of a backup whose ledger comes to c, because it has another ledger.
func CanHave(ctx context.Context, dir, path string, c Cluster, b Backend) error {
	id, err := backupOf(path)
	if err != nil {
		return err
	}
	if !OnCluster(dir) {
		return home{Dir: dir}.hasOwn()
	}
	has, err := ReadCluster(dir)
	if err != nil {
		return explain(err)
	}
	s, err := onCluster(home{}, c, b, Options{}).ClusterStatus(ctx)
	if err == nil && (has.ID != s.ID || has.Ledger != c.Ledger || has.Home != id) {
		err = model.Conflict("%s has joined another ledger, %s", model.Text(dir), model.Text(has.Address())).
			WithHint("name another home: --home DIR; or, if that ledger is lost, move its %s away", clusterFile)
	}
	return explain(err)
}

// FilesOfBackup brings the plan files, saves and reports of a backup to a home that has its ledger elsewhere.
func FilesOfBackup(ctx context.Context, path, dir string, plans planReader) (*PlansBack, error) {
	h := home{Dir: dir}
	r := &restore{RestoreOptions: RestoreOptions{From: path, Plans: plans}, Recovery: &Recovery{Home: dir}, home: h}
	if r.planPlans(ctx); r.Recovery.Plans == nil {
		return &PlansBack{}, nil
	}
	return r.Recovery.Plans, explain(r.bringPlans(ctx, h, plans))
}
