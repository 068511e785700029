package lang

// chinese is the whole catalogue, from its parts. A message that is in two of
// them is a mistake, as one of the two would be lost.
func chinese() map[Key]string {
	all := map[Key]string{}
	for _, part := range []map[Key]string{
		chineseFrame, chineseBoard, chineseActivity, chineseHistory, chinesePages, chinesePlan, chineseUnkept, chineseGuidance, chineseDrafts, chineseThreads, chineseVersions, chineseChanges, chinesePrint,
		chineseHere, chinesePeople, chineseWebhooks, chineseDeeds, chineseServers, chineseQuestions, chineseGoals, chineseGrants,
		chineseLog, chineseWebFaults, chinesePlanFaults, chineseServerFaults,
	} {
		for key, text := range part {
			if _, twice := all[key]; twice {
				panic("lang: twice in the catalogue: " + string(key))
			}
			all[key] = text
		}
	}
	return all
}
