package cli

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// desktop are the programs of the desktop that the console runs on. Over SSH there is none:
// it would be the wrong machine's.
type desktop struct{ getenv func(string) string }

// desktopTimeout is how long a program of the desktop may take.
const desktopTimeout = 2 * time.Second

func (d desktop) remote() bool { return d.getenv("SSH_CONNECTION") != "" || d.getenv("SSH_TTY") != "" }

// Copy is part of console.Native.
func (d desktop) Copy(ctx context.Context, text string) (string, error) {
	words := d.copier()
	if len(words) == 0 || d.remote() {
		return "", nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return "", nil
	}
	ctx, stop := context.WithTimeout(ctx, desktopTimeout)
	defer stop()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Stdin = strings.NewReader(text)
	return words[0], c.Run()
}

// copier is the program that fills this desktop's clipboard.
func (d desktop) copier() []string {
	switch {
	case runtime.GOOS == "darwin":
		return []string{"pbcopy"}
	case runtime.GOOS == "windows" || d.getenv("WSL_DISTRO_NAME") != "":
		return []string{"clip.exe"}
	case d.getenv("WAYLAND_DISPLAY") != "":
		return []string{"wl-copy"}
	case d.getenv("DISPLAY") != "":
		return []string{"xclip", "-selection", "clipboard"}
	}
	return nil
}

// Notify is part of console.Native. The words are arguments, never a script.
func (d desktop) Notify(ctx context.Context, title, body string) error {
	ctx, stop := context.WithTimeout(ctx, desktopTimeout)
	defer stop()
	if runtime.GOOS == "darwin" {
		return exec.CommandContext(ctx, "osascript", "-e", "on run a", "-e", "display notification (item 2 of a) with title (item 1 of a)", "-e", "end run", title, body).Run()
	}
	return exec.CommandContext(ctx, "notify-send", "--app-name=vise", "--", title, body).Run()
}
