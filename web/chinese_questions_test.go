package web

import "countersign/internal/planning"

// questions are what the agent asks, as it is asked, answered and ended.
func (z *chinese) questions() {
	z.begin("问")
	ask := func(id string) {
		z.does(chineseAgent, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c" + id, Name: "ask_user"}}},
			planning.QuestionAsked{ID: id, Call: "c" + id, Questions: []planning.Question{
				{ID: "一", Question: "哪个？", Options: []string{"甲", "乙"}}, {ID: "二", Question: "哪些？", Options: []string{"丙"}, Multiple: true}, {ID: "三", Question: "为何？"},
			}}, planning.RunParked{Wait: planning.WaitQuestion})
	}
	ask("q1")
	z.pages()
	z.look("/").look("/sessions/"+z.id+"/questions").posts("#ask-q1 form", "c1", "0", "t2", "因")
	z.look("/sessions/"+z.id+"/questions").posts("#ask-q1 form", "c0", "0", "c1", "0", "t2", "因")
	z.look("/sessions/" + z.id + "/questions")
	z.pages()
	ask("q2")
	z.look("/sessions/"+z.id+"/activity").posts("#ask-q2 form", "dismiss", "yes")
	z.look("/sessions/" + z.id + "/questions")
	z.pages()
	z.does(chineseAgent, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "w", Name: "write_file"}}},
		planning.PermissionAsked{ID: "g1", Call: "w", Tool: "write_file", Paths: []string{"甲/乙"}}, planning.RunParked{Wait: planning.WaitPermission})
	z.look("/sessions/"+z.id+"/activity").posts("#allow-g1 form", "files", "own", "pattern", "丙", "answer", "session")
	z.look("/sessions/"+z.id+"/activity").posts("#allow-g1 form", "files", "甲/", "answer", "session")
	z.does(z.person.Actor(), planning.ModeChanged{To: planning.ModePlan})
	z.look("/sessions/" + z.id + "/activity").posts("#grant-g1 form")
	z.pages()
}
