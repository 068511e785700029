package lang

// chineseChanges is about what became of the files.
var chineseChanges = map[Key]string{
	"By file":                                               "按文件",
	"By step":                                               "按步骤",
	"While no step was in progress":                         "没有步骤在进行时",
	"No file changed.":                                      "没有文件改动。",
	"not begun":                                             "未开始",
	"Show what changed in it":                               "显示其中的改动",
	"The file is as it was before.":                         "文件与之前相同。",
	"Comment on line %d":                                    "评论第 %d 行",
	"Comment on removed line %d":                            "评论已删除的第 %d 行",
	"What the agent should do about this line…":             "希望智能体如何处理这一行…",
	"Send to the agent":                                     "发送给智能体",
	"Your comment has been sent to the agent.":              "你的评论已发送给智能体。",
	"Comments on lines that are not shown here any more":    "对此处已不再显示的行的评论",
	"on line %d":                                            "第 %d 行",
	"on the removed line %d":                                "已删除的第 %d 行",
	"✓ the agent has answered":                              "✓ 智能体已答复",
	"the agent has it":                                      "智能体已收到",
	"never delivered: the session was stopped":              "未送达：会话已终止",
	"The agent, after reading it":                           "智能体读后的回应",
	"Show the answer":                                       "显示回应",
	"%d comments":                                           "%d 条评论",
	"There is no such line in the changes of this session.": "本会话的改动中没有这一行。",
}
