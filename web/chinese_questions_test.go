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
}
