package files

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// ProcessStat returns the fields of /proc/<pid>/stat from the state on, behind the command in brackets. Without /proc there are none.
func ProcessStat(pid int) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
}
