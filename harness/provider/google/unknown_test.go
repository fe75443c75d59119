package google

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
)

// TestUnknown sends members that services have beyond the published descriptors, and
// members that no source names. Outside tools and schemas neither is refused; those that
// no source names are listed.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dialect       *provider.Dialect
		body          string
		want, unknown string
	}{
		"thinking level":    {GeminiParameters, `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}}`, "", ""},
		"by its other name": {GeminiParameters, `{"generationConfig":{"thinkingConfig":{"thinking_level":"low"}}}`, "", ""},
		"invocations":       {GeminiParameters, `{"toolConfig":{"includeServerSideToolInvocations":true}}`, "", ""},
		"service tier":      {GeminiParameters, `{"serviceTier":"FLEX","store":true}`, "", ""},
		"tools":             {GeminiParameters, `{"tools":[{"fileSearch":{"fileSearchStoreNames":["a"]}},{"mcpServers":[{"name":"a"}]},{"computerUse":{"environment":"ENVIRONMENT_BROWSER","disabledSafetyPolicies":["a"]}}]}`, "", ""},
		"resolution":        {GeminiParameters, `{"contents":[{"parts":[{"text":"a","mediaResolution":{"level":"MEDIA_RESOLUTION_HIGH"}}]}],"generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_LOW"}}`, "", ""},
		"vertex":            {VertexParameters, `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}},"tools":[{"mcpServers":[]}],"labels":{"a":"b"}}`, "", ""},
		"unknown":           {GeminiParameters, `{"extra":1,"generationConfig":{"more":{}}}`, "", `no source names the member "/extra"; no source names the member "/generationConfig/more"`},
		"unknown value":     {GeminiParameters, `{"safetySettings":[{"category":"HARM_CATEGORY_NEW","threshold":"OFF"}]}`, "", `no source names the value of "/safetySettings/0/category"`},
		"in a tool":         {GeminiParameters, `{"tools":[{"extra":{}}]}`, `…U "extra" at 'tools[0]': Cannot find field.`, ""},
		"in a search":       {GeminiParameters, `{"tools":{"googleSearch":{"extra":{}}}}`, `…U "extra" at 'tools.google_search': Cannot find field.`, ""},
		"in a schema":       {GeminiParameters, `{"generationConfig":{"responseSchema":{"const":1}}}`, `…U "const" at 'generation_config.response_schema': Cannot find field.`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wire(t, test.body)
			answer := answer(t, test.dialect, today, provider.Request{Dialect: test.dialect.Name, Body: body})
			if want := long.Replace(test.want); answer.Message != want {
				t.Errorf("got %q, want %q", answer.Message, want)
			}
			if unknown := strings.Join(Unknown(test.dialect, body), "; "); unknown != test.unknown {
				t.Errorf("unknown are %q, want %q", unknown, test.unknown)
			}
		})
	}
}
