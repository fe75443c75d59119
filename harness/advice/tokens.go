package advice

import (
	"unicode"

	"toolproof/schema"
)

// TokensOf returns about how many tokens the declaration of a tool has.
func TokensOf(tool schema.Tool) int { return Tokens(string(tool.Node().JSON())) }

// Tokens returns about how many tokens of OpenAI's o200k_base a text has. It parts the text
// where that vocabulary does, and tells the tokens of a part by its length. Other providers
// do not publish theirs.
func Tokens(text string) int {
	tokens := 0
	for text != "" {
		size, count := partOf(text)
		tokens += count
		text = text[size:]
	}
	return tokens
}

// wordOf counts the letters of the word that a text begins with, how many of them are
// capitals at its beginning, and how many are of other scripts than Latin. A capital behind
// a small letter begins another word.
func wordOf(text string) (capitals, letters, others, size int) {
	const firstOther = 0x250
	for at, letter := range text {
		isCapital := unicode.IsUpper(letter)
		if !unicode.IsLetter(letter) || isCapital && capitals < letters {
			return capitals, letters, others, at
		}
		letters++
		if isCapital {
			capitals++
		}
		if letter >= firstOther {
			others++
		}
	}
	return capitals, letters, others, len(text)
}
