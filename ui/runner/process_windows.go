package runner

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"

	"vise/store/files"
)

func sessionOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// askGroup kills a program, since no signal can be sent here.
func askGroup(group int) {
	if p, err := os.FindProcess(group); err == nil {
		_ = p.Kill()
	}
}

func giveWay(*os.Process) {}

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

// table returns the running processes. The session of a vise is its own.
func table() processes {
	all := processes{}
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return all
	}
	defer windows.CloseHandle(snapshot)
	own, _ := os.Executable()
	e := windows.ProcessEntry32{Size: uint32(reflect.TypeFor[windows.ProcessEntry32]().Size())}
	for err = windows.Process32First(snapshot, &e); err == nil; err = windows.Process32Next(snapshot, &e) {
		pid := int(e.ProcessID)
		p := process{parent: int(e.ParentProcessID), start: startOf(pid)}
		if windows.UTF16ToString(e.ExeFile[:]) == filepath.Base(own) {
			p.session = pid
		}
		all[pid] = p
	}
	for pid, p := range all {
		if all[p.parent].start > p.start { // its parent has ended, and another process got the number
			p.parent = 0
			all[pid] = p
		}
	}
	return all
}

func standsAlone(pid int, p process) bool { return p.session == pid }

func adopting() bool { return false }

// startedBeforeRuns is for orphans, which this process does not adopt here.
func startedBeforeRuns(process) bool { return false }
