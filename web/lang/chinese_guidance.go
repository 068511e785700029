package lang

// chineseGuidance is for servers on which only the prompt holds plan mode up.
var chineseGuidance = map[Key]string{
	"Plan mode · guidance only":   "计划模式 · 仅靠提示约束",
	"Exploring, by guidance only": "查看中，仅靠提示约束",
	"Describe a task above. The agent looks around, asks before it writes, and comes back with a plan.":                 "在上方描述一个任务。智能体会先查看工作区，写入前会询问，然后给出一份计划。",
	"<b>Plan first.</b> It is told to change nothing before you approve the plan; what it tries all the same asks you.": "<b>先做计划。</b>智能体被要求在你批准计划之前不做改动；仍要改动时会先询问你。",
	"The agent looks around and asks before it writes. Its plan shows here as soon as it is ready.":                     "智能体正在查看工作区，写入前会询问。计划完成后会显示在这里。",
}
