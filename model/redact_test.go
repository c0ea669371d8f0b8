package model

import "testing"

// The first rows are what AICTX 7.0.1 (portability.py, _sanitize_string) makes of the same texts.
func TestSecretsAreRedactedAsAICTXDoes(t *testing.T) {
	gh, aws := "ghp_"+"abcdefghijklmnopqrstuvwxyz0123", "AKIA"+"ABCDEFGHIJKLMNOP"
	for in, want := range map[Text]Text{
		"GH_TOKEN=abc make test":                "GH_TOKEN=[redacted:token]",
		"a\n  DB_PASSWORD=x y\nb":               "a\nDB_PASSWORD=[redacted:password]\nb",
		"https://ann:pw@example.com:8443/x?y=1": "https://[redacted:credential]@example.com:8443/x?y=1",
		"send Bearer abcdefgh12":                "send Bearer [redacted:token]",
		"authorization: Bearer abcdefgh12":      "authorization: [redacted:credential] [redacted:token]",
		Text("use " + gh + " now"):              "use [redacted:token] now",
		Text("id " + aws):                       "id [redacted:access_key]",
		"got eyJhbGciOi.eyJzdWIi.c2ln":          "got [redacted:token]",
		"api_key = 12 and client-secret: 34":    "api_key = [redacted:api_key] and client-secret: [redacted:secret]",
		"x -----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----": "[redacted:private_key]",
		"the parser drops the last token":                                      "the parser drops the last token",
		"go test ./... -run Session":                                           "go test ./... -run Session",
		"MODE=fast make":                                                       "MODE=fast make",

		// Beyond AICTX's list.
		"-----BEGIN OPENSSH PRIVATE KEY-----\nab":        "[redacted:private_key]",
		"Command succeeded: GH_TOKEN=abc make test":      "Command succeeded: GH_TOKEN=[redacted:token] make test",
		"mysql --password hunter2 -e x":                  "mysql --password [redacted:password] -e x",
		"git clone https://ann:pw@example.com/r.git now": "git clone https://[redacted:credential]@example.com/r.git now",
		"curl --api-key 12 --max-time 3":                 "curl --api-key [redacted:api_key] --max-time 3",
	} {
		got := Redact(in)
		if got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		if again := Redact(got); again != got {
			t.Errorf("%q becomes %q when it is saved again", got, again)
		}
	}
}
