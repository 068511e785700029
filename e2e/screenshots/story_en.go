package main

var english = story{
	language: "en", owner: "Ana", bo: "Bo", chen: "Chen",

	pauseTask:   "Add a pause to scheduled jobs",
	lookAround:  "I look at how jobs are stored and when they are due.",
	quote:       "the next run is computed from now",
	onQuote:     "Don't recompute on resume, keep the original timetable.",
	onMigration: "No migration needed: a missing flag reads as false.",
	tests:       "Also across a restart, please.",
	rewritten: "## Step 3: Commands to pause and resume\n\nAdd `pause` and `resume` to `bot/commands.go`. " +
		"Both ask for confirmation, both are idempotent, and both answer with the next run time.\n\n",
	whatIfRunning: "What if it was paused while already running?",
	letItFinish:   "Let it finish, I'd say.",
	mind:          "Daylight saving time would be worth a case.",

	billingTask:    "Move the billing client to v3",
	keepProduction: "Production is switched by hand, after the release.",
	alsoTheGuide:   "Production stays as it is, then. The guide still describes v2, and the new key has to be explained there.",
	oldGuide:       "# Billing\n\nWe charge through v2.\n",
	guide:          "# Billing\n\nWe charge through v3. Each charge carries a key; a request\nwith the same key charges once.\n",

	cookieTask: "Replace the session cookie with signed tokens",
	cookieDone: "All five steps are done: sessions are signed tokens now, and old cookies are taken for a week.",
	sortTask:   "Sort the tools and fill in missing docs",
	sorting:    "The tools are sorted. Now I write the doc comments that are missing.",

	nightlyTask: "Why do nightly builds time out?",
	nightly:     "I look for time limits first.",
}
