package catalog

import "strings"

// Windows are how many tokens a request to a model may have, by the models'
// names with the provider before.
type Windows map[string]int64

// windows are those of models of which the providers' pages say it
// (https://platform.claude.com/docs/en/build-with-claude/context-windows,
// https://developers.openai.com/api/docs/models). Where a window holds the
// answer as well, as OpenAI's 400,000 do, it is what is left for the request;
// where more has to be asked for, or costs more for each token, it is what
// comes without.
var windows = Windows{
	"openai:gpt-5.4":      272_000,
	"openai:gpt-5.4-mini": 272_000,
	"openai:gpt-5.2":      272_000,
	"openai:gpt-5.1":      272_000,
	"openai:gpt-5":        272_000,
	"openai:gpt-5-mini":   272_000,
	"openai:gpt-5-nano":   272_000,
	"openai:gpt-4.1":      1_047_576,
	"openai:gpt-4.1-mini": 1_047_576,
}

// claudeWindow is what every Claude takes since version 3.
const claudeWindow = 200_000

// Of is the window of a model; one of a dated version has that of the model.
func (w Windows) Of(model string) (int64, bool) {
	if n, ok := w[model]; ok {
		return n, true
	}
	n, ok := w[dated.ReplaceAllString(model, "")]
	return n, ok
}

// Window is what is known of a model that is asked at its provider's own
// server; ok is false where nothing is.
func Window(model string) (tokens int64, ok bool) {
	if strings.HasPrefix(model, "anthropic:claude-") {
		return claudeWindow, true
	}
	return windows.Of(model)
}
