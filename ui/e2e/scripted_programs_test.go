package e2e

// headlessRun describes how to start a program with a prompt, without a terminal, on a model of vise's own.
type headlessRun struct {
	Args []string
	// Env is added to its environment.
	Env []string
	// Files are the files that it needs below the user's home directory.
	Files map[string]string
}

// headlessOn returns the run of a program on the model at a URL, or the zero value if the program accepts no such model. With codeMode
// Codex's model writes scripts that call tools, as Codex's own models do.
func headlessOn(program, url, prompt string, codeMode bool) headlessRun {
	switch program {
	case "claude":
		return headlessRun{Args: []string{"-p", prompt}, Env: []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=scripted",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}}
	case "codex":
		args := []string{"exec", "--skip-git-repo-check", "-c", `model_provider="scripted"`,
			"-c", `model_providers.scripted={name="scripted",` +
				`base_url="` + url + `/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`, prompt}
		if !codeMode {
			args = append(args, "--model", "scripted")
		}
		return headlessRun{Args: args, Env: []string{"OPENAI_API_KEY=scripted"}}
	case "opencode":
		return headlessRun{Args: []string{"run", "--model", "scripted/scripted", prompt},
			Env: []string{`OPENCODE_CONFIG_CONTENT={"provider":{"scripted":{` +
				`"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"` + url + `/v1","apiKey":"scripted"},` +
				`"models":{"scripted":{"name":"scripted"}}}}}`, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1"}}
	case "gemini":
		return headlessRun{Args: []string{"-m", "gemini-2.5-flash", "-p", prompt},
			Env:   []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=scripted", "GEMINI_CLI_TRUST_WORKSPACE=true"},
			Files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`}}
	case "copilot":
		return headlessRun{Args: []string{"-p", prompt}, Env: []string{"COPILOT_OFFLINE=true", "COPILOT_MODEL=scripted",
			"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=scripted", "COPILOT_AUTO_UPDATE=false"}}
	}
	return headlessRun{}
}
