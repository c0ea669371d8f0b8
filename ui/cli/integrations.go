package cli

import (
	"os/exec"
	"strings"

	"vise/model"
	"vise/ui/install"
)

// installedPrograms are the agents' programs of this machine that vise can be put into.
func installedPrograms() (found []string) {
	for _, p := range install.Programs {
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
			var r install.Result
			if r, err = install.Run(o); err == nil {
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
		_, err = install.Run(o)
	}
	return err
}

func integrationLines(r install.Result) (out []string) {
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
