//go:build darwin || freebsd

package store

import "golang.org/x/sys/unix"

// networkFS names the file system at path if it is not a local one; otherwise it is
// empty.
func networkFS(path string) string {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(asBytes(st.Fstypename[:]))
}

func asBytes[T ~int8 | ~uint8](name []T) []byte {
	b := make([]byte, len(name))
	for i, c := range name {
		b[i] = byte(c)
	}
	return b
}
