package config

import (
	"encoding/base64"
	"strings"

	"vise/ui/text"
)

// TerminalVia returns how the terminal of an environment takes notifications. Inside tmux and screen only the bell works without
// configuration.
func TerminalVia(getenv func(string) string) Via {
	switch name := getenv("TERM"); {
	case getenv("TMUX") != "" || getenv("STY") != "" || strings.HasPrefix(name, "screen"):
	case getenv("KITTY_WINDOW_ID") != "", strings.Contains(name, "kitty"), strings.HasPrefix(name, "foot"):
		return ViaOSC99
	case getenv("TERM_PROGRAM") == "WezTerm", getenv("TERM_PROGRAM") == "ghostty", strings.HasPrefix(name, "rxvt"):
		return ViaOSC777
	}
	return ViaBell
}

// Sequence returns what to send to a terminal for a notification. It is the bell if the terminal takes no text.
func (v Via) Sequence(title, body string) string {
	plain := func(s string) string { return text.Whole(text.Safe(strings.ReplaceAll(s, ";", ","), false)) }
	switch v {
	case ViaOSC99:
		part := func(attributes, s string) string {
			return "\x1b]99;i=vise:e=1:" + attributes + ";" + base64.StdEncoding.EncodeToString([]byte(s)) + "\x1b\\"
		}
		return part("d=0:p=title", plain(title)) + part("d=1:p=body", plain(body))
	case ViaOSC777:
		return "\x1b]777;notify;" + plain(title) + ";" + plain(body) + "\x1b\\"
	}
	return "\a"
}
