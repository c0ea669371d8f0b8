package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/config"
)

// These methods are for callers that do not call the functions yet.

func (e *Env) openHome() (*home.Home, error) { return openHome(e) }
func (e *Env) doing(p0 string) (done func()) { return doing(e, p0) }
func (e *Env) homeDir() (string, error)      { return homeDir(e) }
func (e *Env) offCluster(p0 string) error    { return offCluster(e, p0) }
func (e *Env) doctorProgram(p0 context.Context, p1 string, p2 bool) (answer, error) {
	return doctorProgram(e, p1, p2)
}
func (e *Env) open() (*home.Home, error)                                   { return open(e) }
func (e *Env) settings(p0 string, p1 string) (config.Settings, error)      { return settings(e, p0, p1) }
func (e *Env) repair(p0 context.Context, p1 *home.Home, p2 *checkup)       { repair(e, p1, p2) }
func (e *Env) group(p0 *cobra.Command) *cobra.Command                      { return group(e, p0) }
func (e *Env) read(p0 context.Context, p1 func(model.Reader) error) error  { return read(e, p1) }
func (e *Env) fileOrStdin(p0 string, p1 string) (string, error)            { return fileOrStdin(e, p0, p1) }
func (e *Env) execute(p0 context.Context) int                              { return execute(e, p0) }
func (e *Env) resolve(p0 context.Context, p1 string) (model.ItemID, error) { return resolve(e, p1) }
func (e *Env) openOrCreate() (h *home.Home, created bool, err error)       { return openOrCreate(e) }

func (e *Env) agentOf(r model.Reader) (model.AgentID, error) { return agentOf(e, r) }
