package files

import (
	"os"
	"path/filepath"
	"strings"

	"vise/model"
)

// ProcessesIn names the processes whose working directory is dir or below it, with name and number. On Linux it finds the processes that
// the system shows this user; elsewhere it finds none.
func ProcessesIn(dir string) (named []model.Text) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	list, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range list {
		at, err := os.Readlink(link)
		if err != nil || at != real && !strings.HasPrefix(at, real+string(filepath.Separator)) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "comm")) // the process may have ended
		number := filepath.Base(filepath.Dir(link))
		named = append(named, model.Textf("in use: %s (%s)", strings.TrimSpace(string(name)), number))
	}
	return named
}
