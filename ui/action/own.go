package action

// The actions of what the operator made: commands, filters, and the output of a command.
const (
	OwnCommands, SaveFilter           ID = "own", "save-filter"
	OutputDown, OutputUp, OutputClose ID = "output-down", "output-up", "output-close"
	OutputPageDown, OutputPageUp      ID = "output-page-down", "output-page-up"
)
