package lang

// chineseDrafts is about what somebody was writing when its step changed or
// went.
var chineseDrafts = map[Key]string{
	"This step has changed since you began to write.": "你开始写之后，这个步骤有改动。",
	"Compare the two texts":                           "对比两份文字",
	"As it was when you began":                        "你开始写时的内容",
	"Copy it":                                         "复制",
	"The step to put it on":                           "放到哪个步骤",
	"Comment on this step":                            "评论这个步骤",
	"Rewrite this step with it":                       "用它改写这个步骤",
	"Insert it behind this step":                      "插入到这个步骤之后",
}
