package cli

import (
	"errors"

	"vise/model"
	file "vise/model/todo"
	"vise/ui/config"
)

// todoLimits are the thresholds from which a file todo is stale: those of the
// configuration file, todos: {stale: {in_progress: 24h, blocked: 72h, interrupted: 24h}},
// else the default. What is not given keeps its default.
func (a *app) todoLimits() (file.Thresholds, error) {
	limits := file.DefaultThresholds()
	path, err := a.configFile()
	if err != nil {
		return limits, nil // without a place for it there is no configuration
	}
	todos := struct {
		Stale *file.Thresholds `yaml:"stale"`
	}{&limits}
	if err := config.ReadPart(path, "todos", &todos); err != nil {
		return limits, badLimits(path, err)
	}
	if limits.InProgress <= 0 || limits.Blocked <= 0 || limits.Interrupted <= 0 {
		return limits, badLimits(path, errors.New("a threshold is longer than nothing"))
	}
	return limits, nil
}

func badLimits(path string, err error) error {
	return model.Refuse(model.CodeInvalid, "the configuration %s does not read", model.Text(path)).Because(err).
		At("todos").WithHint("todos: {stale: {in_progress: 24h, blocked: 72h, interrupted: 24h}}")
}
