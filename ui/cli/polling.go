package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"vise/model"
	"vise/store/home"
	"vise/ui/runner"
)

// A process that watches files by polling says so in the home, in a file of its own, so that
// others can tell that what they change is noticed late.

// pollingProcess is a process that polls.
type pollingProcess struct {
	model.Process
	// Mode is how it watches, as its screen says it.
	Mode string `json:"mode"`
}

func pollingDir(home string) string { return statePath(home, "polling") }

// publishPolling says in the home how this process watches, or, with an empty mode, that the
// system tells it of changes again. What cannot be written is not said.
func publishPolling(home, mode string) {
	path := filepath.Join(pollingDir(home), strconv.Itoa(os.Getpid()))
	if mode == "" {
		_ = os.Remove(path)
		return
	}
	_ = writeState(path, pollingProcess{runner.Self(), mode})
}

// maxPolling bounds how many files of others are read.
const maxPolling = 100

// polling is the condition that processes which still run watch by polling; none is the usual
// answer. What a process left that has died is removed.
func polling(home string) []model.Condition {
	dir, err := os.Open(pollingDir(home))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxPolling)
	var running []pollingProcess
	for _, name := range names {
		path := filepath.Join(pollingDir(home), name)
		var p pollingProcess
		switch {
		case readState(path, &p) != nil:
		case !runner.Alive(p.Process):
			_ = os.Remove(path)
		default:
			running = append(running, p)
		}
	}
	if len(running) == 0 {
		return nil
	}
	said := fmt.Sprintf("the console with pid %d is %s", running[0].PID, model.Text(running[0].Mode))
	if more := len(running) - 1; more > 0 {
		said += fmt.Sprintf(", and %d more poll", more)
	}
	return []model.Condition{{Code: model.CodePolling, Message: said, Hint: "changes of plans show late; raise fs.inotify.max_user_instances and max_user_watches, or end programs that watch much"}}
}

// conditions are the ways in which an open home works less well than it should.
func conditions(d *home.Home, found []model.Condition) []model.Condition {
	return append(found, polling(d.Dir())...)
}
