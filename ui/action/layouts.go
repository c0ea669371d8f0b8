package action

import "sync"

// Keyboards whose letters are not Latin, row by row, beside the Latin keys at the same
// places: for terminals that do not report the place of a key. Where two layouts disagree
// about a letter, the first here wins.
var layouts = []struct{ name, lower, upper, latin string }{
	{"Russian", "йцукенгшщзхъфывапролджэячсмитьбюё", "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁ", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"},
	{"Ukrainian", "іїєґ", "ІЇЄҐ", "s]'\\"},
	{"Greek", "ςερτυθιοπασδφγηξκλζχψωβνμ", "ΣΕΡΤΥΘΙΟΠΑΣΔΦΓΗΞΚΛΖΧΨΩΒΝΜ", "wertyuiopasdfghjklzxcvbnm"},
	{"Hebrew", "קראטוןםפשדגכעיחלךףזסבהנמצתץ", "", "ertyuiopasdfghjkl;zxcvbnm,."},
	{"Arabic", "ضصثقفغعهخحشسيبلاتنمكطئءرىةوزظ", "", "qwertyuiopasdfghjkl;'zxcvnm,./"},
	{"Korean", "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "ㅃㅉㄸㄲㅆ", "qwertyuiopasdfghjklzxcvbnm"},
}

// places are the Latin keys of the layouts' letters.
var places = sync.OnceValue(func() map[string]string {
	shifted := map[rune]string{'[': "{", ']': "}", ';': ":", '\'': "\"", ',': "<", '.': ">", '`': "~", '\\': "|"}
	out := map[string]string{}
	put := func(letter rune, key string) {
		if _, known := out[string(letter)]; !known {
			out[string(letter)] = key
		}
	}
	for _, l := range layouts {
		latin := []rune(l.latin)
		for i, r := range []rune(l.lower) {
			if i < len(latin) {
				put(r, string(latin[i]))
			}
		}
		for i, r := range []rune(l.upper) {
			key := shifted[latin[i]]
			if key == "" {
				key = string(latin[i] - 'a' + 'A')
			}
			put(r, key)
		}
	}
	return out
})
