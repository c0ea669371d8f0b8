package runner

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"

	"vise/store/files"
)

func groupOfItsOwn() *syscall.SysProcAttr { return files.OwnGroup() }

func sessionOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// ask kills the program, since no signal can be sent here.
func ask(p *os.Process) { _ = p.Kill() }

func giveWay(*os.Process) {}

func bootID() string { return "" }

func startOf(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

func isRunning(pid int) bool { return files.Running(pid) }

func begin(int) (end func()) { return func() {} }

func adopting() bool { return false }

// endSurvivors finds nothing on Windows.
func endSurvivors(string, int) (escaped, survivors int) { return 0, 0 }
