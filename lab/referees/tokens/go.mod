module toolproof/lab/referees/tokens

go 1.26.0

require (
	github.com/tiktoken-go/tokenizer v0.10.0
	toolproof v0.0.0
)

require (
	github.com/dlclark/regexp2/v2 v2.12.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

// The estimate is measured as it stands here.
replace toolproof => ../../..
