package store

import "golang.org/x/sys/unix"

// networkFS names the network (or FUSE) file system at path; for another one it is empty.
func networkFS(path string) string {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return ""
	}
	return map[uint32]string{
		unix.NFS_SUPER_MAGIC:  "NFS",
		unix.SMB_SUPER_MAGIC:  "SMB",
		unix.SMB2_SUPER_MAGIC: "SMB",
		unix.CIFS_SUPER_MAGIC: "SMB",
		unix.V9FS_MAGIC:       "9p",
		unix.FUSE_SUPER_MAGIC: "FUSE",
		unix.AFS_SUPER_MAGIC:  "AFS",
		unix.CEPH_SUPER_MAGIC: "Ceph",
		unix.CODA_SUPER_MAGIC: "Coda",
		unix.NCP_SUPER_MAGIC:  "NCP",
	}[uint32(st.Type)]
}
