// Command vise-workbench is the whole program, for installation beside its front. It is the
// same as the module's main package.
package main

import (
	"os"

	"vise/ui/workbench"
)

func main() { os.Exit(workbench.Main()) }
