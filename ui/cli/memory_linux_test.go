package cli

import (
	"strings"
	"testing"
)

// A process that reads a damaged file ends if it asks for more memory than its limit.
func TestWhoReadsDamagedFilesHasALimitOfMemory(t *testing.T) {
	c := program(t, t.TempDir())
	c.Env = append(c.Env, takeMemory+"=1")
	if x := run(t, c); x.code == 0 || !strings.Contains(x.stderr, "out of memory") {
		t.Errorf("exit %d, %.200s", x.code, x.stderr)
	}
}
