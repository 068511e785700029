package lang

// chineseServers is what is said of the programs that offer tools.
var chineseServers = map[Key]string{
	"MCP servers":   "MCP 服务器",
	"not connected": "未连接",
	"What a server says of its tools is not believed: a tool counts as writing unless the settings list it as read-only.": "服务器对自己工具的说法不作数：除非设置把工具列为只读，否则它算作写入。",
	"%d tools":                      "%d 个工具",
	"The model got this shortened.": "模型得到的是缩短后的内容。",
	"The whole result":              "完整结果",
	"There is no such result.":      "没有这个结果。",
	"listed as read-only":           "已列为只读",
	"counts as writing":             "算作写入",
	"says that it only reads":       "自称只读",
	"No plan can say what a tool of another program changes, so each call of it is asked about.": "没有计划能说明其他程序的工具会改什么，因此每次调用都会询问。",
}
