//go:build !unix

package machine

func syncDir(string) error { return nil }
