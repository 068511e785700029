package lang

// chineseHere is what is said of people: who is here, and what waits for them.
var chineseHere = map[Key]string{
	"Also here":                  "也在这里",
	"{name}, at step {n}":        "{name}，在第 {n} 步",
	"{name}, typing at step {n}": "{name}，正在第 {n} 步输入",
	"+{n}":                       "+{n}",
	"{name}, typing":             "{name}，正在输入",
	"Nothing waits for you. What waits for others is below.": "没有等待你处理的事项。等待其他人的在下面。",
	"Read":                             "查看",
	"Plan v%d waits for your decision": "计划 v%d 等待你的决定",
	"The agent asks for permission":    "智能体请求许可",
	"The agent waits for a message":    "智能体等待消息",
	"It was stopped by an error":       "因出错而停止",
	"It is paused":                     "已暂停",
	"Plan v%d answers your comment":    "计划 v%d 回应了你的评论",
	"%s replied to you":                "%s 回复了你",
	"This browser can’t show notifications from a page.": "此浏览器无法显示来自网页的通知。",
	"Notify me in this browser":                          "在此浏览器中通知我",
	"Stop notifying me in this browser":                  "停止在此浏览器中通知我",
	"This browser blocks notifications from this site. Allow them in its settings for the site, and try again.": "此浏览器阻止了本站的通知。请在浏览器的网站设置中允许通知，然后重试。",
	"This browser shows no notifications for this address: they need HTTPS.":                                    "此浏览器不为该地址显示通知：通知需要 HTTPS。",
}
