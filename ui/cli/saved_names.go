package cli

import (
	"errors"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/ui/config"
)

// savedFilters are the operator's filters by name: the part filters of the configuration
// file. The rest of the file is other packages', and judged by vise config check.
func (a *app) savedFilters() (map[string]string, error) {
	at, err := config.PlaceOf(a.getenv)
	if err != nil {
		return nil, nil // without a place for it there is no configuration
	}
	raw, err := config.ReadFile(at.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file struct {
		Filters map[string]string `yaml:"filters"`
	}
	if err == nil {
		err = yaml.Unmarshal(raw, &file)
	}
	if err != nil {
		return nil, misuse("filter", "the configuration %s does not read", model.Text(at.File)).Because(err).WithHint("vise config check")
	}
	return file.Filters, nil
}
