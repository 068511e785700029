package lang

// chinesePlan is the plan, its review, and the comparison of versions.
var chinesePlan = map[Key]string{}
