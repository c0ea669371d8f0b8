package store

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkFS names the network drive of path; for a local drive it is empty.
func networkFS(path string) string {
	drive, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil || windows.GetDriveType(drive) != windows.DRIVE_REMOTE {
		return ""
	}
	return "a network drive"
}
