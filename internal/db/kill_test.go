package db

const childEnv = "COUNTERSIGN_TEST_CHILD"

func appendForever(path string) error { return nil }
