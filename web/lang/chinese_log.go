package lang

// chineseLog are the sentences of the log.
var chineseLog = map[Key]string{
	"%d lines": "%d 行",
}
