package lang

// chineseGrants is what people allow for the rest of a session.
var chineseGrants = map[Key]string{
	"Allowed for this session":                      "本次会话内已允许",
	"allowed by the settings, in every session":     "由设置允许，适用于所有会话",
	"While planning none of it counts.":             "规划期间这些都不生效。",
	"Withdraw what is allowed: %s":                  "撤回允许：%s",
	"%s withdrew what was allowed for this session": "%s 撤回了本次会话内的允许",
	"Allow for this session…":                       "本次会话内允许…",
	"Until the session ends, the agent may change":  "会话结束前，智能体可以改动",
	"only this file":                                "仅这个文件",
	"only these files":                              "仅这些文件",
	"everything below <code>%s</code>":              "<code>%s</code> 下的所有文件",
	"all that matches this pattern:":                "匹配这个模式的所有文件：",
	"Pattern of files":                              "文件模式",

	"Patterns go with files that are allowed for the session.":              "只有在本次会话内允许文件时，才能指定模式。",
	"%s is asked about, and the pattern does not match it.":                 "模式与所询问的 %s 不匹配。",
	"This is not allowed for the session, so there is nothing to withdraw.": "本次会话内没有允许这一项，无可撤回。",
}
