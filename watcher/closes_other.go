//go:build !linux

package watcher

func openCloses() closes { return nil }
