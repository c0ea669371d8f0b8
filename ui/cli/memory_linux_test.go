package cli

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A process that reads a damaged file ends if it asks for more memory than its limit.
func TestWhoReadsDamagedFilesHasALimitOfMemory(t *testing.T) {
	c := program(t, t.TempDir())
	c.Env = append(c.Env, takeMemory+"=1")
	if x := run(t, c); x.code == 0 || !strings.Contains(x.stderr, "out of memory") {
		t.Errorf("exit %d, %.200s", x.code, x.stderr)
	}
}

// What a child said before it ended is told: that its memory was used up is no sign of damage.
func TestTheCauseOfAChildsEndIsTold(t *testing.T) {
	t.Setenv(takeMemory, "1")
	err := inChild(t.Context(), "", time.Minute, &struct{}{}, "doctor")
	if !errors.Is(err, errBrokeDown) || !strings.Contains(err.Error(), "out of memory") {
		t.Error(err)
	}
}
