package lang

// chinesePages are the changes, the history's frame, and how to connect a model.
var chinesePages = map[Key]string{
	"%s, changes":         "%s，变更",
	"%s, history":         "%s，历史",
	"Nothing has changed": "没有任何变更",
	"The files are as they were when the session began.": "文件与会话开始时一样。",
	"All in the plan": "均在计划内",
	"in the plan":     "在计划内",
	"new":             "新增",
	"deleted":         "已删除",
	"changed":         "已修改",
	"Changes to %s":   "%s 的变更",
	"no line end":     "文件末尾没有换行符",

	"New sessions use <code>%s</code>. In the commands on this page <code>countersign</code> is the installed program; from its source write <code>go run ./cmd/web</code> instead.":                                                      "新会话使用 <code>%s</code>。本页命令中的 <code>countersign</code> 指已安装的程序；从源码运行时，请改用 <code>go run ./cmd/web</code>。",
	"The built-in planner needs no key. It can rename and replace: <code>%s</code>, <code>%s</code>. For everything else, give the server a model and start it again. Keys stay in its environment; the agent’s commands never see them.": "内置规划器不需要密钥，可以重命名和替换：<code>%s</code>、<code>%s</code>。要做其他事情，请为服务器配置模型并重新启动。密钥只保存在服务器的环境变量中，智能体运行的命令看不到。",
	"Any server that speaks the OpenAI protocol":                                            "兼容 OpenAI 协议的任意服务",
	"Another address, such as one on this machine, goes into <code>OPENAI_BASE_URL</code>:": "其他地址（例如本机上的服务）请写入 <code>OPENAI_BASE_URL</code>：",
	"Claude": "Claude",
	"Some servers are known by name: <code>%s</code>. Each has its key in a variable of its own, such as <code>DEEPSEEK_API_KEY</code>; those on one’s own machine need none.": "以下服务可以直接用名称：<code>%s</code>。每个服务的密钥放在各自的环境变量中，例如 <code>DEEPSEEK_API_KEY</code>；本机上的服务不需要密钥。",
	"One session only": "只用于一个会话",
	"Write the name into the Model field of <a href=\"/new\">a new session</a>, for example <code>openai:NAME</code>.": "在<a href=\"/new\">新建会话</a>时，把名称填入“模型”一栏，例如 <code>openai:NAME</code>。",
	"Is it there?":                           "检查模型是否可用",
	"Which models answer is what this says:": "用这条命令查看哪些模型可用：",
}
