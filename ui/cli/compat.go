package cli

import (
	"context"

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
func (e *Env) open() (*home.Home, error)                              { return open(e) }
func (e *Env) settings(p0 string, p1 string) (config.Settings, error) { return settings(e, p0, p1) }
func (e *Env) repair(p0 context.Context, p1 *home.Home, p2 *checkup)  { repair(e, p1, p2) }
func (e *Env) execute(p0 context.Context) int                         { return execute(e, p0) }
