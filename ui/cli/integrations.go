package cli

import (
	"os/exec"
	"strings"

	"vise/model"
	"vise/ui/agents"
)

// installedPrograms are the agents' programs of this machine that vise can be put into.
func installedPrograms() (found []string) {
	for _, p := range agents.Programs {
		if _, err := exec.LookPath(p); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// integrationPreview is what vise install would change for some programs, as it prints it. Nothing
// is written. What is wrong with one program's settings stands in its place.
func (a *app) integrationPreview(programs []string) model.Text {
	var out []string
	for _, name := range programs {
		out = append(out, "vise install "+name)
		o, err := a.installOptions(name)
		if err == nil {
			o.DryRun = true
			var r agents.Installed
			if r, err = agents.Install(o); err == nil {
				out = append(out, integrationLines(r)...)
			}
		}
		if err != nil {
			out = append(out, "! "+fault(err).Message)
		}
		out = append(out, "")
	}
	return model.Text(strings.Join(out, "\n"))
}

// integrate writes what integrationPreview tells of one program.
func (a *app) integrate(program string) error {
	o, err := a.installOptions(program)
	if err == nil {
		_, err = agents.Install(o)
	}
	return err
}

func integrationLines(r agents.Installed) (out []string) {
	for _, f := range r.Files {
		if f.Changed {
			out = append(out, strings.TrimRight(f.Diff, "\n"))
		} else {
			out = append(out, f.Path+" is as it should be")
		}
	}
	for _, n := range r.Notes {
		out = append(out, "note: "+n)
	}
	return out
}
