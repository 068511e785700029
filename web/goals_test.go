package web

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

// idle starts a session without a plan whose agent has come to rest.
func (r *rig) idle() string {
	r.t.Helper()
	id := read[sessionView](r.api("POST", "/sessions", createBody{Task: "hello", Mode: "normal"}).is(201)).ID
	r.agent(id, planning.ModelMessage{Text: "hello"}, planning.RunFinished{})
	return id
}

func TestGoal_G2_ByTheAPI(t *testing.T) {
	r := newRig(t)
	r.person("Vi", review.RoleViewer, "vi")
	id := r.idle()
	path := "/sessions/" + id + "/goal"
	r.api("GET", "/sessions/"+id, nil).is(200).says(`"goal":null`)
	r.api("POST", path, goalBody{Op: planning.GoalCreate, Objective: "x"}, as("vi")).fails(403, fault.Forbidden, "")
	r.api("POST", path, goalBody{Op: planning.GoalPause, Ref: &planning.GoalRef{ID: "g1", Revision: 1}}).fails(404, fault.NotFound, "")
	r.api("POST", path, goalBody{Op: planning.GoalCreate}).fails(422, fault.Invalid, "objective")
	made := read[sessionView](r.api("POST", path, goalBody{Op: planning.GoalCreate, Objective: "green tests", MaxRounds: 3}).is(200))
	if g := made.Goal; g == nil || *g != (goalView{ID: "g1", Revision: 1, Phase: planning.GoalActive, Objective: "green tests", Rounds: 1, MaxRounds: 3}) {
		t.Fatalf("made %+v", g)
	}
	r.api("POST", path, goalBody{Op: planning.GoalPause}).fails(422, fault.Invalid, "ref")
	seen := &planning.GoalRef{ID: "g1", Revision: 1}
	edited := read[sessionView](r.api("POST", path, goalBody{Op: planning.GoalEdit, Ref: seen, Objective: "green tests, fast"}).is(200))
	if edited.Goal.Revision != 2 || edited.Goal.Rounds != 1 {
		t.Errorf("edited: %+v", edited.Goal)
	}
	stale := r.api("POST", path, goalBody{Op: planning.GoalPause, Ref: seen})
	stale.fails(409, fault.Conflict, "")
	if now, _ := read[errorBody](stale).Error.Current.(map[string]any); now["objective"] != "green tests, fast" || now["revision"] != 2.0 {
		t.Errorf("the conflict carries %v", now)
	}
	listed := read[sessionsView](r.api("GET", "/sessions", nil).is(200))
	if g := listed.Sessions[0].Goal; g == nil || g.Objective != "green tests, fast" {
		t.Errorf("in the list: %+v", g)
	}
	r.api("POST", path, goalBody{Op: planning.GoalClear, Ref: &planning.GoalRef{ID: "g1", Revision: 2}}).is(200).says(`"goal":null`)
}

func TestGoal_G3_ByForms(t *testing.T) {
	r := newRig(t)
	id := r.idle()
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	b.sees("#goal", "None.").submit("#goal-create-form", "objective", "green tests", "max_rounds", "3")
	b.sees("#goal .objective", "green tests").sees("#goal .nums", "round 1 of 3").sees("#goal .chip", "active").lacks("#goal-create")
	b.submit("#goal-block-form", "reason", "no key").sees("#goal .chip", "blocked").sees("#goal .reason", "no key").lacks("#goal-do-pause")
	b.submit("#goal-do-resume").sees("#goal .chip", "active").lacks("#goal .reason")
	b.submit("#goal-do-pause").sees("#goal .chip", "paused")
	b.submit("#goal-edit-form", "objective", "green tests, fast", "max_rounds", "5").sees("#goal .objective", "fast").sees("#goal .nums", "round 1 of 5")
	r.browse(r.owner).open("/sessions/"+id+"/history").sees("main", "changed the goal", "paused the goal")
	r.api("GET", "/sessions/"+id, nil).is(200).says(`"objective":"green tests, fast"`)
	r.browse(r.owner).open("/").sees("#s-"+id+" .goal", "Goal: green tests, fast", "paused", "round 1 of 5")
	b.open("/sessions/"+id+"/plan").sees(".goal-line a[href$='activity#goal']", "green tests, fast")
	b.open("/sessions/"+id+"/activity").submit("#goal-do-complete").sees("#goal .chip", "complete").sees("#goal-create").lacks("#goal-do-complete")
	b.submit("#goal-do-clear").sees("#goal", "None.").lacks("#goal .objective")
	b.open("/sessions/" + id + "/plan").lacks(".goal-line")
}

// A change of a goal that has changed since comes back with the goal as it is,
// and with what was typed; sent once more it holds.
func TestGoal_G2_AStaleFormComesBack(t *testing.T) {
	r := newRig(t)
	bo := r.person("Bo", review.RoleApprover, "bo")
	id := r.idle()
	mine, his := r.browse(r.owner), r.browse(bo)
	mine.open("/sessions/"+id+"/activity").submit("#goal-create-form", "objective", "green tests", "max_rounds", "3")
	his.open("/sessions/"+id+"/activity").submit("#goal-edit-form", "objective", "his", "max_rounds", "7")
	mine.submit("#goal-edit-form", "objective", "my <b>words</b>", "max_rounds", "9")
	if mine.status != http.StatusConflict {
		t.Fatalf("status %d", mine.status)
	}
	mine.sees("#goal .objective", "his").sees("#goal .nums", "of 7", "revision 2").sees("#goal-edit[open] .problem", "changed since")
	mine.sees("#goal-edit-form textarea", "my <b>words</b>").sees(`#goal-edit-form input[name=max_rounds][value="9"]`)
	mine.submit("#goal-edit-form").sees("#goal .objective", "my <b>words</b>").sees("#goal .nums", "of 9", "revision 3")
	// A button has no field that the sentence could stand beside.
	mine.submit("#goal-do-pause")
	his.submit("#goal-do-pause").sees("#goal-problem", "changed since")
	if his.status != http.StatusConflict {
		t.Errorf("status %d", his.status)
	}
	his.submit("#goal-edit-form", "max_rounds", "many").sees("#goal-edit[open] .problem").sees(`#goal-edit-form input[value="many"]`)
	if his.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", his.status)
	}
}

func TestGoal_R7_WhoMaySeesFormsOthersSeeTheGoal(t *testing.T) {
	r := newRig(t)
	id := r.idle()
	r.api("POST", "/sessions/"+id+"/goal", goalBody{Op: planning.GoalCreate, Objective: "green tests"}).is(200)
	for _, role := range review.Roles() {
		b := r.browse(r.person("The "+string(role), role, string(role))).open("/sessions/"+id+"/activity").sees("#goal .objective", "green tests")
		if role == review.RoleViewer {
			b.lacks("#goal form")
		} else {
			b.sees("#goal-do-pause")
		}
	}
}

// What becomes of an active goal when the session rests, and that the panel
// says so: nothing, until a person lets the session go on.
func TestGoal_P10_G5_ThePanelSaysWhyNoRoundBegins(t *testing.T) {
	r := newRig(t)
	goal := goalBody{Op: planning.GoalCreate, Objective: "green tests", MaxRounds: 3}
	b := r.browse(r.owner)
	says := func(id, words string, rounds int) {
		t.Helper()
		b.open("/sessions/"+id+"/activity").sees("#goal .rests", words)
		if s := r.state(id); s.Goal.Rounds != rounds || s.Goal.Phase != planning.GoalActive || s.Runnable() && words != planningRests {
			t.Errorf("%s: %+v, runs %v", words, s.Goal, s.Runnable())
		}
	}
	planned := r.begin()
	r.api("POST", "/sessions/"+planned+"/goal", goal).is(200)
	says(planned, planningRests, 0)
	r.agent(planned, planning.ModelMessage{Text: "Which one?"}, planning.RunParked{Wait: planning.WaitMessage})
	says(planned, planningRests, 0)

	running := r.idle()
	r.api("POST", "/sessions/"+running+"/goal", goal).is(200)
	b.open("/sessions/" + running + "/activity").lacks("#goal .rests")
	r.api("POST", "/sessions/"+running+"/pause", nil).is(200)
	says(running, "The session is paused.", 1)
	r.api("POST", "/sessions/"+running+"/resume", nil).is(200)
	r.agent(running, planning.RunFailed{Message: "The model's server is down."})
	says(running, "The agent has stopped.", 1)
	// A change of the goal does not set a failed session going.
	r.api("POST", "/sessions/"+running+"/goal", goalBody{Op: planning.GoalEdit, Ref: &planning.GoalRef{ID: "g1", Revision: 1}, Objective: "red tests"}).is(200)
	says(running, "The agent has stopped.", 1)

	left := r.begin()
	r.api("POST", "/sessions/"+left+"/goal", goal).is(200)
	p := r.submit(left, samplePlan)
	r.api("POST", "/sessions/"+left+"/plans/1/decision", decisionBody{Verdict: planning.VerdictAbandon, SHA256: p.SHA256}).is(200)
	says(left, "stopped for good", 0)
	b.lacks("#goal form")
	r.api("POST", "/sessions/"+left+"/goal", goalBody{Op: planning.GoalPause, Ref: &planning.GoalRef{ID: "g1", Revision: 1}}).fails(409, fault.Conflict, "")
}

const planningRests = "No round begins while the agent plans."

// Leaving plan mode lets the rounds begin.
func TestGoal_P10_RoundsBeginWhenPlanningIsLeft(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.api("POST", "/sessions/"+id+"/goal", goalBody{Op: planning.GoalCreate, Objective: "green tests"}).is(200)
	r.agent(id, planning.ModelMessage{Text: "Which one?"}, planning.RunParked{Wait: planning.WaitMessage})
	r.api("POST", "/sessions/"+id+"/messages", messageBody{Text: "/plan off"}).is(200)
	if s := r.state(id); s.Goal.Rounds != 1 || !s.Runnable() || s.Mode != planning.ModeNormal {
		t.Errorf("after /plan off: %+v, runs %v, %s", s.Goal, s.Runnable(), s.Mode)
	}
}

func TestTodo_T10_TheReminderShowsQuietly(t *testing.T) {
	r := newRig(t)
	id := r.idle()
	r.agent(id, planning.TodoReminded{Unfinished: 1, Text: "One is open."}, planning.ModelMessage{Text: "I can't."}, planning.RunFinished{Unfinished: 1})
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	b.sees("#feed .muted", "reminded: 1 item is unfinished").sees("#feed details", "One is open.")
	r.browse(r.owner).open("/").sees("#s-"+id, "Unfinished: 1 item")
	if who := b.text("#feed .person"); strings.Contains(who, "reminded") {
		t.Errorf("a reminder looks like a person's message: %s", who)
	}
}
