//go:build !unix

package files

func fsyncDir(string) error { return nil }

// NoFollow opens no symbolic link, where the system can refuse that.
const NoFollow = 0
