package planning

// A plan of forty steps over five versions. Version 2 moves, splits and merges
// single steps; version 3 has sections, other numbers and another order;
// version 4 has the last steps in Chinese and takes a merged step apart again;
// version 5 brings a step back.
var attachmentThreads = []placed{
	// Rewritten, reworded, renumbered.
	{1, 1, "whether the move has paid off", "1 1 1 1", 0, "The text around the quote was rewritten; the quote was kept."},
	{1, 1, "Write the numbers into", "1 1 1 1", 3, "The same step, but this sentence is another one now."},
	{1, 2, "lists eleven packages", "2 2 2 2", 4, "One figure was corrected, just the one that was quoted."},
	{1, 3, "50 MB", "3 3 3 4", 2, "The limit was raised in answer to the comment."},
	{1, 6, "blob.ErrNotFound", "5 5 5 5", 0, "Another step was added to this one in version 5; it is still this one."},
	{1, 7, "a crash leaves no half blob behind", "6 6 6 6", 0, "The title was reworded, the text stayed."},
	{1, 8, "", "7 7 7 7", 0, "Nothing but its number was changed."},
	{1, 12, "only from the environment", "11 11 11 9", 0, "Nothing but its number was changed, and its level in version 3."},
	{1, 28, "", "30 31 32 32", 0, "The title was reworded in version 3."},
	{1, 20, "one row in a hundred", "21 19 21 18", 0, "More rows are compared now, and a copy of the step stands before it in version 4: this one is the old one by its place among the others."},
	{1, 34, "older than a day", "35 22 24 22", 3, "Moved to another section, and seven days instead of one."},
	{1, 35, "", "36 23 25 23", 0, "All of the text is new in version 4, but there is one step of this title before and after: it does the same otherwise."},
	{1, 35, "quarantine/", "36 23 25 23", 4, "The same, and what was quoted is gone with the text."},

	// Moved.
	{1, 4, "", "12 12 12 10", 0, "Moved behind the settings of the bucket."},
	{1, 32, "The form keeps what was typed", "27 28 29 29", 0, "Moved up behind the upload."},
	{1, 26, "", "28 29 31 31", 0, "Exchanged with the signed links in version 4."},
	{1, 27, "signed for five minutes", "29 30 30 30", 2, "Sixty seconds since version 2; exchanged with the ranges; the title is longer in version 5."},
	{1, 33, "", "34 36 36 36", 0, "Others were moved around it."},
	{2, 15, "", "14 15 13", 0, "New in version 2, and others before it came and went."},

	// The same words several times.
	{1, 5, "", "4 4 4 3", 0, "The first of three steps that say the same."},
	{1, 15, "", "14 - - -", 0, "The second of the three is left out in version 3: not on one of the others, which stand elsewhere."},
	{1, 24, "make lint", "25 21 23 21", 0, "The third of the three."},
	{1, 11, "", "10 10 10 8", 0, "Version 3 says the same again further down: the old one is where it was."},
	{3, 24, "", "- -", 0, "Made on that copy, which goes again: not on the first, though it says the same."},
	{4, 18, "", "-", 0, "Made on the copy of the check, which goes again."},
	{4, 21, "compares the hashes", "18", 0, "Made on the check itself; the number 18, where the copy was, is chance."},

	// Split.
	{1, 18, "in batches of 500", "18 17 19 16", 0, "Split in version 2: what is quoted stayed in the first half."},
	{1, 18, "replication lag", "19 18 20 17", 0, "What is quoted went into the second half."},
	{1, 18, "", "18 17 19 16", 0, "On the step as a whole: the half with its title and its first sentences."},
	{1, 18, "with ids, bytes and duration. To spare the database", "18 17 19 16", 2, "Quoted over the cut: neither half has it, so with the one that continues the step."},
	{2, 19, "SIGHUP", "18 20 17", 0, "Made on the second half, which is a step like any other."},
	{1, 25, "part by part", "26 26 27 27", 0, "Split in version 3, both halves under new titles: in the half that reads the form."},
	{1, 25, "partial blob is deleted", "26 27 28 28", 0, "In the half that stores the bytes."},
	{1, 25, "", "26 26 27 27", 0, "On the step as a whole: the half that has more of it."},
	{1, 36, "tried once", "37 25 26 25", 0, "Split in version 5: went with the crashes."},
	{1, 36, "libvips", "37 25 26 24", 0, "Both halves have the word: with the one that continues the step."},
	{3, 27, "counted", "28 28", 0, "Made on a half."},

	// Merged.
	{1, 13, "", "13 13 13 11", 0, "Merged with the writer's metrics in version 2; two steps again in version 4: back to the reader's."},
	{1, 13, "Reads that the client breaks off", "13 13 13 11", 0, "The same, with a quote."},
	{1, 14, "", "13 13 14 12", 0, "Merged with the reader's metrics; back to the writer's, although both came of the same step."},
	{1, 14, "Label duplicates", "13 13 14 12", 0, "The same, with a quote."},
	{2, 13, "blob_write_seconds", "13 14 12", 0, "Made on the merged step: to the half that has the quote."},
	{1, 19, "", "20 17 19 16", 0, "Became the last sentence of the copy in version 3."},
	{1, 19, "advisory lock", "20 17 19 16", 0, "The same; the words are still there."},
	{1, 10, "", "9 9 9 5", 0, "Became a sentence of the interface in version 5."},
	{1, 10, "SHA-256", "9 9 9 5", 4, "Another hash in version 4, so the quote was gone before it was merged."},
	{4, 9, "BLAKE3", "5", 5, "Merged, and the merged text does not name the hash."},

	// Gone, with something like it elsewhere.
	{1, 22, "", "23 - - -", 0, "Left out in version 3; “Drop the old index” drops something else."},
	{3, 33, "", "35 35", 0, "Made on “Drop the old index”."},
	{1, 9, "two writers of one key", "8 8 8 -", 0, "Left out in version 5; “One test suite for all pictures” tests something else."},
	{1, 30, "", "32 34 - -", 0, "One step for all transfers stands for two steps in version 4 and has the words of neither: nobody can tell whose it is."},
	{1, 31, "Retry-After", "33 35 - -", 0, "The same; that its last sentence is there too would be true of both."},
	{1, 23, "", "24 - - 20", 0, "Left out in version 3, and back word for word in version 5: the same step again."},

	// Translated.
	{1, 37, "", "38 37 37 38", 0, "In Chinese since version 4: the file, the command and both metrics are the same."},
	{1, 38, "thirty minutes without a batch", "39 38 38 39", 4, "In Chinese: the file and both alerts are the same, the quoted words are not there any more."},
	{4, 38, "三十分钟没有新批次", "39", 5, "Quoted in Chinese; an hour since version 5."},
	{1, 39, "", "40 39 39 40", 0, "Title reworded in version 3, in Chinese in version 4: setting, command and file are the same."},
	{2, 40, "try it once on staging", "39 39 40", 3, "Another sentence already before it was translated."},
	{1, 40, "", "41 40 - -", 0, "In Chinese, without any file, command or name: only its place would speak for it, and that is no evidence."},
	{4, 40, "防火墙", "37", 0, "Made on the Chinese step, which moved."},
}

var schedulerThreads = []placed{
	{1, 1, "", "2 1", 0, "Renumbered; in version 3 a heading instead of an item of a list."},
	{1, 2, "active 和 paused", "3 2", 2, "There are three states now."},
	{1, 3, "界面上要能看到", "7 5", 2, "Moved, its title longer, this part of the sentence changed."},
	{1, 3, "", "7 5", 0, "The same, on the step as a whole."},
	{1, 4, "再检查一次", "4 3", 0, "Unchanged."},
	{1, 5, "只从下一个时间点继续", "5 4", 0, "Split in version 2: the first half has the quote."},
	{1, 5, "不触发告警", "6 -", 0, "The second half has the quote; it is left out in version 3."},
	{1, 5, "", "6 -", 0, "On the step as a whole: the half that has more of it, which is left out in version 3."},
	{1, 6, "", "9 6", 0, "Exchanged with the buttons, and back."},
	{1, 7, "立即变灰", "8 7", 0, "Exchanged with the commands, and back."},
	{1, 8, "每天早上九点", "10 9", 0, "Merged with the other notice, then two steps again in the other order."},
	{1, 9, "", "10 8", 0, "Merged with the other notice, then back to its own, which has more to say."},
	{1, 11, "", "12 11", 0, "The same step stands at the beginning as well in version 2: this one is where it was."},
	{2, 1, "", "-", 0, "Made on that one, which goes again."},
	{1, 12, "", "13 -", 0, "Left out in version 3; the material for training is another file."},
}

// A plan that is translated as a whole in version 2.
var loginThreads = []placed{
	{1, 1, "", "1 1", 0, "Two files."},
	{1, 2, "", "- -", 0, "A product's name in prose is the only thing in common: too little."},
	{1, 3, "sign_count", "3 2", 0, "The file and three columns; the quoted name is code and stays."},
	{1, 4, "good for five minutes", "4 3", 2, "A path and a file."},
	{1, 5, "", "5 4", 0, "A path and a column."},
	{1, 6, "starts a session", "7 6", 2, "A file and a function; a step was inserted before it."},
	{1, 7, "", "9 8", 0, "A column and an entry of the log; moved behind the page."},
	{1, 8, "", "8 7", 0, "A file; moved before the copied keys."},
	{1, 9, "", "- -", 0, "No code at all: only the meaning is the same."},
	{1, 10, "", "11 10", 0, "A file."},
	{1, 11, "make e2e", "12 11", 0, "Two commands."},
	{1, 12, "", "- -", 0, "Left out; not on the last step, where it stood."},
	{2, 6, "最多十次", "5", 3, "New in version 2, made and changed in Chinese."},
	{2, 2, "", "-", 0, "Left out in version 3."},
}

// A plan in which version 2 puts every step in other words, and version 3
// changes the approach.
var limiterThreads = []placed{
	{1, 1, "", "1 1", 0, "Other words, the same two files."},
	{1, 2, "", "2 -", 0, "The token bucket; Redis counts instead of it in version 3, in another file."},
	{1, 3, "", "4 4", 0, "In other words twice, and behind another step."},
	{1, 4, "sane defaults", "5 5", 2, "Another title; the same two variables."},
	{1, 5, "", "3 -", 0, "“Evict” instead of “clean up”; there are no buckets in version 3."},
	{1, 6, "", "6 -", 0, "The tests of the bucket; those of the script are others."},
	{1, 7, "", "7 7", 0, "The same requests to the same server, with another title in version 3."},
	{1, 8, "", "8 8", 0, "“Document the settings”, then “Explain the settings to operators”: the same variables."},
	{1, 9, "", "9 10", 0, "“Roll out”, then “Release in two stages”: the same staging, limit and dashboards."},
	{2, 3, "drops buckets", "-", 0, "Left out in version 3."},
}

var invoiceThreads = []placed{
	{1, 1, "", "1", 0, "The same file and the same stretch of work in other words."},
	{1, 2, "", "3", 0, "In other words, and exchanged with the next."},
	{1, 3, "", "2", 0, "Exchanged with the one before."},
	{1, 4, "最多重试一天", "4", 2, "In other words; after a day a person takes over now."},
	{1, 5, "", "5", 0, "Another title and order of words."},
	{1, 6, "", "6", 0, "The title says “daily”, the text says who is told."},
	{1, 7, "", "8", 0, "The same four cases; another step came before it."},
	{1, 8, "", "9", 0, "The same order of accounts."},
}

// A list of single lines.
var reportThreads = []placed{
	{1, 2, "", "2", 0, "Something was added."},
	{1, 5, "", "8", 0, "Moved down."},
	{1, 6, "exit code 2", "6", 2, "Another exit code in answer to the comment; “Keep the exit codes in one place” is a new step."},
	{1, 8, "", "12", 0, "Moved down."},
	{1, 10, "", "10", 0, "Something was added."},
	{1, 11, "", "-", 0, "The million rows are another test than the time zone, though both are of a report."},
	{1, 13, "", "-", 0, "Left out."},
}

// Half of the steps are replaced by others on the same subject.
var searchThreads = []placed{
	{1, 2, "title and body", "-", 0, "A job that sends title and body; the column over both is something else."},
	{1, 3, "", "-", 0, "Left out."},
	{1, 4, "", "2", 0, "Something was added."},
	{1, 5, "next to the results", "4", 2, "The filters moved on the page."},
	{1, 7, "for ten minutes", "-", 0, "An alarm about the queue; the one about slow searches is another one, for ten minutes as well."},
	{1, 8, "", "-", 0, "Backups; vacuum is about the index too, and is something else."},
	{1, 9, "", "9", 0, "Something was added."},
	{1, 10, "", "-", 0, "Help for users; the languages are something else."},
}
