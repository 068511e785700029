package lang

// chineseHistory says who did what.
var chineseHistory = map[Key]string{
	"%s started the session":                               "%s 发起了会话",
	"%s wrote":                                             "%s 发送了消息",
	"%s submitted plan v%d":                                "%s 提交了计划 v%d",
	"%s asked for permission":                              "%s 请求许可",
	"%s commented on v%d":                                  "%s 评论了 v%d",
	"Plan v%d is approved and runs":                        "计划 v%d 已获批准，开始执行",
	"%s asked for changes to v%d":                          "%s 要求修改 v%d",
	"%s changed a comment":                                 "%s 修改了一条评论",
	"%s deleted a comment":                                 "%s 删除了一条评论",
	"%s agreed with a comment":                             "%s 赞同一条评论",
	"%s no longer agrees with a comment":                   "%s 取消了对一条评论的赞同",
	"%s set what the plan may write and run":               "%s 修改了计划的写入与运行范围",
	"%s withdrew the approval of v%d":                      "%s 撤回了对 v%d 的批准",
	"Something happened":                                   "有新的记录",
	"%s undid the insertion of a step":                     "%s 撤销了新增的步骤",
	"%s undid the move of a step":                          "%s 撤销了步骤的移动",
	"%s undid the deletion of a step":                      "%s 撤销了步骤的删除",
	"%s undid a change of what the plan may write and run": "%s 撤销了对写入与运行范围的修改",
	"%s undid the rewrite of a step":                       "%s 撤销了步骤的改写",
	"%s added this step":                                   "%s 新增了这个步骤",
	"%s moved this step":                                   "%s 移动了这个步骤",
	"%s deleted this step":                                 "%s 删除了这个步骤",
	"%s rewrote this step":                                 "%s 改写了这个步骤",
}
