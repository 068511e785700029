package lang

// chinesePeople is who can sign in, and how.
var chinesePeople = map[Key]string{}
