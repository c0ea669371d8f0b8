// Command vise-fleet is vise with the client of an etcd cluster. vise starts it, in its own place, for a home whose ledger lies on a
// cluster.
package main

import (
	"os"

	"vise/store/etcd"
	"vise/ui/cli"
	"vise/ui/markdown"
)

func main() { os.Exit(cli.Main(markdown.NewSubprocess(), etcd.Connect)) }
