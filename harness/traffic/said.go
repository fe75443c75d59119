package traffic

import (
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Said is what the answers of a file have said so far: the signatures of thinking, which later requests
// have to repeat.
type Said struct {
	signatures map[string]int // by the number of the exchange that gave them
	talks      map[string]bool
}

// NewSaid returns a Said of no answers.
func NewSaid() *Said { return &Said{signatures: map[string]int{}, talks: map[string]bool{}} }

// signature matches a signature in an answer, which may be a stream.
var signature = lazy.Compile(`"signature" ?: ?"([^"\\]+)"`)

// IsForged returns what tells whether a signature in the request of an exchange was given by no answer before.
// It returns nil if the file does not have all answers of the conversation. The exchanges of a file are passed
// in their order.
func (s *Said) IsForged(exchange *Exchange, body *schema.Node) func(signature string) bool {
	messages := body.Get("messages")
	if messages == nil || len(messages.Elements) == 0 {
		return nil
	}
	talk := messages.Elements[0].String()
	isWhole, isKnown := s.talks[talk]
	if !isKnown {
		isWhole = true
		for _, message := range messages.Elements {
			isWhole = isWhole && !message.Get("role").Is("assistant")
		}
	}
	const failed = 300 // statuses from here on have no answer of the model
	s.talks[talk] = isWhole && len(exchange.Answer) > 0 && exchange.Status < failed
	for _, found := range signature.FindAllStringSubmatch(string(exchange.Answer), -1) {
		if _, isEarlier := s.signatures[found[1]]; !isEarlier {
			s.signatures[found[1]] = exchange.Number
		}
	}
	if !isWhole {
		return nil
	}
	return func(signature string) bool {
		number, isGiven := s.signatures[signature]
		return !isGiven || number >= exchange.Number
	}
}
