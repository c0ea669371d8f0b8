package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// Connect opens the backend of a ledger on a cluster. Only vise-fleet has it: the client of a cluster would make vise large and slow to
// start.
type Connect = func(store.Cluster) (store.Backend, error)

// connects returns connect as this command uses it; nil without connect.
func connects(e *Env) Connect {
	if e.connect == nil {
		return nil
	}
	return func(c store.Cluster) (store.Backend, error) {
		// A command that reads again and again keeps what is shown of the ledger in memory.
		c.Mirror = slices.Contains([]string{"", "drive", "mcp", "serve"}, firstWord(e.args))
		return e.connect(c)
	}
}

// toFleet replaces this process with vise-fleet, with the same arguments. It returns only if that fails. It should be called before the
// command, which may read its standard input.
func toFleet(e *Env) error {
	path, err := files.OwnProgram("vise-fleet")
	if err != nil {
		return refuse("the ledger of this home lies on a cluster, and vise-fleet, which reaches it, is not found").At("home",
			"install vise-fleet of the same version beside vise, or on the PATH")
	}
	err = syscall.Exec(path, append([]string{path}, e.args...), os.Environ())
	return model.Refuse(model.CodeInternal, "vise-fleet did not start").Because(err).WithHint("install vise-fleet again")
}

// meansCluster reports whether the command line may be about a home on a cluster. It may be wrong only by saying so of another home:
// vise-fleet has all commands of vise.
func meansCluster(e *Env) bool {
	if firstWord(e.args) == "fleet" {
		return true
	}
	homes := []string{}
	for i, arg := range e.args {
		if dir, ok := strings.CutPrefix(arg, "--home="); ok {
			homes = append(homes, dir)
		} else if arg == "--home" && i+1 < len(e.args) {
			homes = append(homes, e.args[i+1])
		}
	}
	if dir, err := store.DefaultHome(e.getenv); err == nil {
		homes = append(homes, dir)
	}
	for _, dir := range homes {
		if store.OnCluster(absolute(e.dir, dir)) {
			return true
		}
	}
	return false
}

// offCluster refuses a command that is for a ledger in a file, if the ledger lies on a cluster. use says what to use instead; if it is
// empty, the command is for every ledger.
func offCluster(e *Env, use string) error {
	dir, err := homeDir(e)
	if use == "" || err != nil || !store.OnCluster(dir) {
		return nil
	}
	return refuse("this is for a ledger in a file, and the ledger of this home lies on a cluster").
		WithHint("%s", use)
}

// insteadOnCluster says what to use instead of a command that is for a ledger in a file.
var insteadOnCluster = map[string]string{
	"restore": "vise admin move FILE etcd://HOST:PORT/LEDGER brings a backup to a cluster; etcdutl snapshot restore brings a cluster back",
	"compact": "the cluster does so itself: etcd's --auto-compaction-retention, and etcdctl defrag member by member",
}

// insteadOfDoctor is the same for the flags of doctor that are about the ledger.
const insteadOfDoctor = "vise admin fleet check checks the ledger, vise admin fleet status shows its size; " +
	"doctor without flags checks this machine"

// attendPlans keeps the plans of a home whose ledger lies on a cluster while an agent's server runs.
func (e *Env) attendPlans(ctx context.Context) (leave func()) {
	dir, err := homeDir(e)
	if err != nil || !store.OnCluster(dir) {
		return func() {}
	}
	h, err := open(e)
	if err != nil {
		return func() {} // each call says so
	}
	return beside(ctx, h.KeepPlans)
}
