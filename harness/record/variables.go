package record

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// variable is a variable of the environment from which clients take a base URL.
type variable struct {
	name string
	// service is the service whose requests go there, and usual its base URL. Clients use
	// another one where the environment names it; without a usual one they do only then.
	service string
	usual   func(lookup func(string) string) string
}

func always(text string) func(func(string) string) string {
	return func(func(string) string) string { return text }
}

// variables are those of the official clients of the providers. Clients of other services
// read those of OpenAI, or one that follows its pattern.
//
// https://github.com/openai/openai-python, https://github.com/anthropics/anthropic-sdk-python,
// https://github.com/googleapis/python-genai, https://github.com/groq/groq-python,
// https://github.com/Cerebras/cerebras-cloud-sdk-python, https://github.com/togethercomputer/together-python
var variables = []variable{
	{"OPENAI_BASE_URL", "openai", always("https://api.openai.com/v1")},
	{"OPENAI_API_BASE", "openai", always("https://api.openai.com/v1")}, // older clients, LiteLLM
	{"AZURE_OPENAI_ENDPOINT", "azure", always("")},
	{"ANTHROPIC_BASE_URL", "anthropic", always("https://api.anthropic.com")},
	{"GOOGLE_GEMINI_BASE_URL", "gemini", always("https://generativelanguage.googleapis.com")},
	{"GOOGLE_VERTEX_BASE_URL", "vertex", vertexAddress},
	{"GROQ_BASE_URL", "groq", always("https://api.groq.com")},
	{"CEREBRAS_BASE_URL", "cerebras", always("https://api.cerebras.ai")},
	{"TOGETHER_BASE_URL", "together", always("https://api.together.xyz/v1")},
}

// vertexAddress returns the address of Vertex AI in the location that the environment names.
func vertexAddress(lookup func(string) string) string {
	location := lookup("GOOGLE_CLOUD_LOCATION")
	if location == "" || location == "global" || strings.Trim(location, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return "https://aiplatform.googleapis.com"
	}
	return "https://" + location + "-aiplatform.googleapis.com"
}

// Base is a base URL that clients take from the environment.
type Base struct {
	Variable string
	Service  string   // whose API it has, such as openai
	URL      *url.URL // where requests really go
}

// Bases returns the base URLs of an environment in the form of os.Environ.
func Bases(environment []string) ([]Base, error) {
	lookup := func(name string) string {
		value := ""
		for _, entry := range environment {
			if text, ok := strings.CutPrefix(entry, name+"="); ok {
				value = text // the last one counts
			}
		}
		return value
	}
	var bases []Base
	for _, known := range variables {
		text := lookup(known.name)
		if text == "" {
			text = known.usual(lookup)
		}
		if text == "" {
			continue
		}
		parsed, err := url.Parse(text)
		if err != nil || parsed.Host == "" || !slices.Contains([]string{"http", "https"}, parsed.Scheme) {
			return nil, fmt.Errorf("%s is no base URL", known.name) // the value may hold a key
		}
		bases = append(bases, Base{known.name, known.service, parsed})
	}
	return bases, nil
}

// Environment returns an environment in which clients send to other base URLs, by the names of
// their variables, and to the loopback without a proxy.
func Environment(environment []string, addresses map[string]string) []string {
	changed := slices.Clone(environment)
	for name, address := range addresses {
		changed = append(changed, name+"="+address)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		value := "127.0.0.1,localhost"
		for _, entry := range environment {
			if text, ok := strings.CutPrefix(entry, name+"="); ok && text != "" {
				value = text + ",127.0.0.1,localhost"
			}
		}
		changed = append(changed, name+"="+value)
	}
	return changed
}
