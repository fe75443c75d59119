module toolproof/lab/referees/engines/llamacpp/json

go 1.26.0

// The last release whose module has the header nlohmann/json.hpp: it lies in a folder
// vendor since, which modules leave out.
require github.com/ollama/ollama v0.6.0
