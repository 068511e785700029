package lang

// chineseServers is what is said of the programs that offer tools.
var chineseServers = map[Key]string{
	"MCP servers":   "MCP 服务器",
	"not connected": "未连接",
	"What a server says of its tools is not believed: a tool counts as writing unless the settings list it as read-only.": "服务器对自己工具的说法不作数：除非设置把工具列为只读，否则它算作写入。",
	"It can't be reached: %s":                                                  "无法连接：%s",
	"It answered with status %d.":                                              "它返回状态 %d。",
	"It ended by itself, with exit code %d.":                                   "它自行结束，退出码 %d。",
	"It ended by itself, with exit code %d. It printed: %s":                    "它自行结束，退出码 %d，输出：%s",
	"It did not answer within %s.":                                             "它在 %s 内没有应答。",
	"It does not keep to the protocol: %s":                                     "它不遵守协议：%s",
	"It sent more than %d MiB for one call.":                                   "它为一次调用发送了超过 %d MiB 的内容。",
	"It has more tools than fit: a session gets %d from all servers together.": "它的工具太多：一个会话从所有服务器总共只取 %d 个。",
	"The settings list a tool as read-only that it does not have: %s.":         "设置把它没有的工具列为只读：%s。",
	"%d tools":                      "%d 个工具",
	"The model got this shortened.": "模型得到的是缩短后的内容。",
	"The whole result":              "完整结果",
	"There is no such result.":      "没有这个结果。",
	"listed as read-only":           "已列为只读",
	"counts as writing":             "算作写入",
	"says that it only reads":       "自称只读",
	"No plan can say what a tool of another program changes, so each call of it is asked about.": "没有计划能说明其他程序的工具会改什么，因此每次调用都会询问。",
}
