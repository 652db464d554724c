package model

// EstimateTokens is how many tokens a text is taken for.
func EstimateTokens(text string) int { return weightOf(text).tokens() }
