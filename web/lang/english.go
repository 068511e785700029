package lang

// singular is how English says a message that counts one thing. The number is
// the first argument; the key is what it says of more, or of none.
var singular = map[Key]string{
	"%d changes by reviewers":                               "1 change by reviewers",
	"%d approvals":                                          "1 approval",
	"May write · %d files":                                  "May write · 1 file",
	"May write %d files that no step names any more":        "May write 1 file that no step names any more",
	"The model did not keep %d things that reviewers wrote": "The model did not keep 1 thing that reviewers wrote",
	"%d agree":             "1 agrees",
	"To-do list: %d items": "To-do list: 1 item",
	"The agent says it is done; %d items are unfinished": "The agent says it is done; 1 item is unfinished",
	"%d sub-agents": "1 sub-agent",
	"The conversation was made shorter: %d messages, about %d → %d tokens": "The conversation was made shorter: 1 message, about %[2]d → %[3]d tokens",
	"%d calls":                           "1 call",
	"%d lines":                           "1 line",
	"%d steps":                           "1 step",
	"%d files":                           "1 file",
	"%d sign-ins of %s were ended by %s": "1 sign-in of %[2]s was ended by %[3]s",
	"%d attempts":                        "1 attempt",
	"%d messages wait":                   "1 message waits",
	"%d comments":                        "1 comment",
	"%d open comments":                   "1 open comment",
	"%d more lines":                      "1 more line",
	"Unfinished: %d items":               "Unfinished: 1 item",
	"%d files changed":                   "1 file changed",
	"%d files outside the plan":          "1 file outside the plan",
	"Done, %d files outside the plan":    "Done, 1 file outside the plan",
	"%d files, all in the plan":          "1 file, in the plan",

	"%d steps changed":               "1 step changed",
	"%d steps moved":                 "1 step moved",
	"%d steps added":                 "1 step added",
	"%d steps deleted":               "1 step deleted",
	"%d texts between steps changed": "1 text between steps changed",
	"%d steps are the same":          "1 step is the same",
	"%d are the same":                "1 is the same",

	"ends in %d minutes": "ends in 1 minute",
	"ends in %d hours":   "ends in 1 hour",
	"ends in %d days":    "ends in 1 day",
}
