package advice

import (
	"unicode"

	"toolproof/schema"
)

// TokensOf estimates the tokens of a tool's declaration.
func TokensOf(tool schema.Tool) int { return Tokens(string(tool.Node().JSON())) }

// Tokens estimates the tokens of a text in OpenAI's o200k_base. It splits the text as
// that vocabulary does, and estimates the tokens of a part by its length. Other providers
// do not publish their vocabularies.
func Tokens(text string) int {
	tokens := 0
	for text != "" {
		size, count := partOf(text)
		tokens += count
		text = text[size:]
	}
	return tokens
}

// wordOf returns the number of letters in the word at the beginning of a text, how many
// of them are capitals at its beginning, and how many are of other scripts than Latin. A
// capital after a small letter begins another word.
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
