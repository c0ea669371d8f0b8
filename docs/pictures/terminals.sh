#!/bin/bash
# Draws the session and the Fleet of `vise admin demo` as a real terminal shows it, into docs/pictures/*.png: xterm with all colours on a dark
# and on a light ground and at 80 columns, with 256, with 16 on both grounds, and tmux inside xterm. All but the light
# ground and the 80 columns also show the Desk.
#
# It needs Go, and: apt-get install xvfb xterm xdotool imagemagick pngquant tmux fonts-dejavu-core fonts-vlgothic
# An X server of its own (Xvfb) is started: nothing appears on a screen.
set -euo pipefail
out=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
server=
trap 'tmux -S "$tmp/tmux" kill-server 2>/dev/null || true; kill $server 2>/dev/null || true; rm -rf "$tmp"' EXIT
(cd "$out/../.." && go build -o "$tmp/vise" .)

exec 3>"$tmp/display"
Xvfb -displayfd 3 -screen 0 960x540x24 -nolisten tcp >"$tmp/log" 2>&1 3>&3 &
server=$!
exec 3>&-
until [ -s "$tmp/display" ]; do sleep 0.1; kill -0 $server; done
export DISPLAY=:$(tr -d '\n' <"$tmp/display")

# shot NAME SIZE GROUND INK TERM COLORTERM COMMAND…: the Fleet, for most names the Desk, and once the session.
shot() {
	local name=$1 size=$2 ground=$3 ink=$4 term=$5 colours=$6
	shift 6
	xterm -geometry "$size+0+0" -b 0 -bw 0 +sb -fa 'DejaVu Sans Mono' -fs 9 -bg "$ground" -fg "$ink" -tn "$term" \
		-xrm 'xterm*allowColorOps: true' -xrm 'xterm*pointerMode: 2' \
		-e env -i PATH="$PATH" HOME="$tmp" LANG=C.UTF-8 TERM="$term" COLORTERM="$colours" "$@" &
	local terminal=$!
	xdotool search --sync --onlyvisible --class xterm windowfocus %1 >/dev/null
	if [ "$name" = truecolour ]; then
		sleep 24 # the session asks
		picture "$name-session"
	else
		sleep 6 # the demo's first edit
	fi
	xdotool key 2
	sleep 2
	picture "$name-fleet"
	case $name in
	truecolour-*) ;;
	*)
		xdotool key 1
		sleep 2
		picture "$name-desk"
		;;
	esac
	kill $terminal
	wait $terminal 2>/dev/null || true
}

picture() {
	import -window root -trim +repage "$tmp/$1.png"
	pngquant --force --strip --speed 1 --output "$out/$1.png" 32 "$tmp/$1.png"
}

dark='#1c1d21' light='#dfe3ea' light_ground='#fbfbfa' dark_ink='#24292f'
shot truecolour 120x36 $dark $light xterm-256color truecolor "$tmp/vise" admin demo
shot truecolour-light 120x36 $light_ground $dark_ink xterm-256color truecolor "$tmp/vise" admin demo
shot truecolour-80x24 80x24 $dark $light xterm-256color truecolor "$tmp/vise" admin demo
shot 256 120x36 $dark $light xterm-256color '' "$tmp/vise" admin demo
shot 16-dark 120x36 black gray90 xterm '' "$tmp/vise" admin demo
shot 16-white 120x36 white black xterm '' "$tmp/vise" admin demo
shot tmux 120x36 $dark $light xterm-256color truecolor tmux -S "$tmp/tmux" -f /dev/null new-session "$tmp/vise" admin demo
ls -l "$out"/*.png
