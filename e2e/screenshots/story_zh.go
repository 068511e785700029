package main

var chinese = story{
	language: "zh", owner: "安娜", bo: "李波", chen: "陈晨",

	pauseTask:   "给定时任务加上暂停",
	lookAround:  "我先看看任务是怎么保存的，又是什么时候到期的。",
	quote:       "下一次运行时间从当前时间算起",
	onQuote:     "恢复时不要重新计算，请沿用原来的时间表。",
	onMigration: "不需要迁移：没有这个标志就读作 false。",
	tests:       "请也测试重启之后的情况。",
	rewritten: "## 步骤 3：暂停和恢复的命令\n\n在 `bot/commands.go` 中加入 `pause` 和 `resume`。" +
		"两者都要求确认，都可以重复执行，并且都回答下一次运行的时间。\n\n",
	whatIfRunning: "如果暂停的时候任务正在运行，会怎么样？",
	letItFinish:   "我觉得应该让它运行完。",
	mind:          "夏令时值得单独测试一下。",

	billingTask:    "把计费客户端迁移到 v3",
	keepProduction: "生产环境在发布之后手动切换。",
	alsoTheGuide:   "好的，生产环境保持不变。使用说明里写的还是 v2，新的键也需要在那里说明。",
	oldGuide:       "# 计费\n\n我们通过 v2 扣款。\n",
	guide:          "# 计费\n\n我们通过 v3 扣款。每次扣款都带有一个键，\n键相同的请求只扣一次款。\n",

	cookieTask: "用签名令牌取代会话 Cookie",
	cookieDone: "五个步骤都已完成：会话现在使用签名令牌，旧 Cookie 继续接受一周。",
	sortTask:   "整理工具并补全文档",
	sorting:    "工具已经排好序，现在补写缺少的文档注释。",

	nightlyTask: "为什么夜间构建会超时？",
	nightly:     "我先找时间限制。",
}
