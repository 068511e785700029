package lang

// logs are the sentences of ours that the log holds, as pages show them: what
// stopped a run, what is asked and why, what came of a call.
var logs = []Key{
	"%d lines",
}
