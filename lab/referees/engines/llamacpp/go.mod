module toolproof/lab/referees/engines/llamacpp

go 1.26.0

require github.com/ollama/ollama v0.17.4
