package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vise/store/storetest"
)

// Doctor names what a killed driver left running, and its repair ends that.
func TestDoctorNamesAndEndsWhatAKilledDriverLeft(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, _, _ := newHome(t)
	file := filepath.Join(t.TempDir(), "pid")
	d := program(t, home, "drive", "--agent", "default", "--adapter", "text", "--", "/bin/sh", "-c",
		`echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 1000`, file)
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	var pid string
	for end := time.Now().Add(30 * time.Second); pid == ""; <-time.After(20 * time.Millisecond) {
		raw, _ := os.ReadFile(file)
		if pid = strings.TrimSpace(string(raw)); time.Now().After(end) {
			t.Fatal("its program does not start")
		}
	}
	lives := func() bool {
		raw, err := os.ReadFile("/proc/" + pid + "/stat")
		return err == nil && !strings.Contains(string(raw), ") Z ")
	}
	_ = d.Process.Kill()
	_ = d.Wait()
	said := fmt.Sprintf(`{"name":"processes","ok":false,"message":"left running by a driver that died: %s"`, pid)
	if x := ask(t, home, "doctor"); x.code != 1 || !strings.Contains(x.stdout, said) || !lives() {
		t.Errorf("doctor: exit %d, it lives: %v, %s", x.code, lives(), x.stdout)
	}
	if x := ask(t, home, "doctor", "--repair"); !strings.Contains(x.stdout, "ended: "+pid) || lives() {
		t.Errorf("repair: it lives: %v, %s", lives(), x.stdout)
		if n, err := strconv.Atoi(pid); err == nil {
			_ = exec.Command("kill", "-9", strconv.Itoa(n)).Run()
		}
	}
	if x := ask(t, home, "doctor"); strings.Contains(x.stdout, `"processes"`) {
		t.Errorf("after the repair: %s", x.stdout)
	}
}
