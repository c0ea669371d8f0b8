package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/runner"
)

// A process that watches files by polling says so in the home, in a file of its own, so that
// others can tell that what they change is noticed late.

// pollster is a process that polls.
type pollster struct {
	model.Process
	// Mode is how it watches, as its screen says it.
	Mode string `json:"mode"`
}

func pollingDir(home string) string { return filepath.Join(home, "state", "polling") }

// publishPolling says in the home how this process watches, or, with an empty mode, that the
// system tells it of changes again. What cannot be written is not said.
func publishPolling(home, mode string) {
	path := filepath.Join(pollingDir(home), strconv.Itoa(os.Getpid()))
	if mode == "" {
		_ = os.Remove(path)
		return
	}
	raw, err := json.Marshal(pollster{runner.Self(), mode})
	if err == nil && os.MkdirAll(pollingDir(home), 0o700) == nil {
		_ = files.WriteAtomic(path, raw)
	}
}

// mostPollsters bounds how many files of others are read, largestPollster the bytes of one.
const (
	mostPollsters   = 100
	largestPollster = 4 << 10
)

// polling is the condition that processes which still run watch by polling; none is the usual
// answer. What a process left that has died is removed.
func polling(home string) []model.Condition {
	dir, err := os.Open(pollingDir(home))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(mostPollsters)
	var first pollster
	n := 0
	for _, name := range names {
		path := filepath.Join(pollingDir(home), name)
		raw, err := files.ReadSmall(path, largestPollster)
		var p pollster
		switch {
		case err != nil || json.Unmarshal(raw, &p) != nil:
		case !runner.Alive(p.Process):
			_ = os.Remove(path)
		default:
			if n++; n == 1 {
				first = p
			}
		}
	}
	if n == 0 {
		return nil
	}
	said := fmt.Sprintf("the console with pid %d is %s", first.PID, model.Text(first.Mode))
	if n > 1 {
		said += fmt.Sprintf(", and %d more poll", n-1)
	}
	return []model.Condition{{Code: model.CodePolling, Message: said, Hint: "changes of plans show late; raise fs.inotify.max_user_instances and max_user_watches, or end programs that watch much"}}
}

// conditions are the ways in which an open home works less well than it should.
func conditions(d *home.Home, found []model.Condition) []model.Condition {
	return append(found, polling(d.Dir())...)
}
