// What the two files of llama.cpp call that lies in the rest of it, so that they can be
// built alone.

#include <cstdlib>
#include <string>
#include <vector>

#include "llama-impl.h"
#include "llama-vocab.h"

std::string string_join(const std::vector<std::string> & values, const std::string & separator) {
    std::string joined;
    for (size_t i = 0; i < values.size(); i++) {
        joined += (i == 0 ? "" : separator) + values[i];
    }
    return joined;
}

std::vector<std::string> string_split(const std::string & text, const std::string & delimiter) {
    std::vector<std::string> parts;
    size_t from = 0;
    for (size_t to; (to = text.find(delimiter, from)) != std::string::npos; from = to + delimiter.size()) {
        parts.push_back(text.substr(from, to - from));
    }
    parts.push_back(text.substr(from));
    return parts;
}

std::string string_repeat(const std::string & text, size_t count) {
    std::string repeated;
    while (count-- > 0) {
        repeated += text;
    }
    return repeated;
}

extern "C" void ggml_abort(const char *, int, const char *, ...) { abort(); }

void llama_log_internal(ggml_log_level, const char *, ...) {}

// A grammar of a schema names no tokens.
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const { abort(); }
