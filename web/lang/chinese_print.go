package lang

// chinesePrint is about the plan on paper.
var chinesePrint = map[Key]string{
	"Print":                               "打印",
	"For printing":                        "打印版",
	"what changed":                        "改动内容",
	"Back to the history":                 "回到历史",
	"This version has not been approved.": "此版本尚未批准。",
	"Version":                             "版本",
	"v%d, submitted by %s, %s":            "v%d，由 %s 提交，%s",
	"Approvals":                           "批准",
	"stale: given to another text":        "已失效：针对的是另一文本",
	"Changes by reviewers, which are in the text above": "审阅者的修改（已含在上文中）",
	"Appendix: comments":          "附录：评论",
	"On the plan as a whole, v%d": "针对整个计划，v%d",
	"On step %d, %s, v%d":         "针对第 %d 步“%s”，v%d",
	"On %s, v%d":                  "针对“%s”，v%d",
	"There is no such version of this plan to print.": "没有这个计划版本可供打印。",
}
