// Asks llama.cpp's own code about tools: it makes a grammar of each schema as llama-server
// does, and reads it. It reads JSON Lines of {id, name, schema} and writes one of {id,
// verdict, message} for each. The verdict is accepted, rejected or crashes. Each schema has
// a process of its own, ten seconds of the processor and a gigabyte of memory: what takes
// more would end a server.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "json-schema-to-grammar.h"
#include "llama-grammar.h"

using json = nlohmann::ordered_json;

// What the server puts before the words of the reader of grammars.
static const char * const unreadable = "Failed to initialize samplers: failed to parse grammar";

// The id of a line, which may have numbers that cannot be parsed.
static json id_of(const std::string & line) {
    std::istringstream from(line.substr(line.find("\"id\":") + 5));
    json id;
    from >> id;
    return id;
}

// The words of a refusal; empty where the grammar can be read.
static std::string ask(const std::string & line) {
    std::string grammar;
    try {
        const json tool = json::parse(line);
        grammar = build_grammar([&](const common_grammar_builder & builder) {
            json parameters = tool.contains("schema") ? tool.at("schema") : json::object();
            builder.resolve_refs(parameters);
            builder.add_rule("root", builder.add_schema(tool.value("name", "") + "-args", parameters));
        });
    } catch (const std::exception & error) {
        return error.what();
    }
    if (llama_grammar_init_impl(nullptr, nullptr, grammar.c_str(), "root", false, nullptr, 0, nullptr, 0) == nullptr) {
        return unreadable;
    }
    return "";
}

static void limit() {
    const rlim_t memory = 1u << 30;
    const rlimit bound = {memory, memory};
    setrlimit(RLIMIT_AS, &bound);
    std::set_new_handler(abort); // the reader of grammars catches bad_alloc
    const rlimit seconds = {10, 10};
    setrlimit(RLIMIT_CPU, &seconds);
}

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const json id = id_of(line);
        int ends[2];
        if (pipe(ends) != 0) {
            perror("llamacpp");
            return 1;
        }
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            limit();
            if (freopen("/dev/null", "w", stderr) == nullptr) {
                _exit(1);
            }
            const std::string words = ask(line);
            size_t written = 0;
            while (written < words.size()) {
                const ssize_t count = write(ends[1], words.data() + written, words.size() - written);
                if (count <= 0) {
                    _exit(1);
                }
                written += count;
            }
            _exit(0);
        }
        close(ends[1]);
        std::string words;
        char buffer[1 << 16];
        ssize_t count;
        while ((count = read(ends[0], buffer, sizeof buffer)) > 0) {
            words.append(buffer, count);
        }
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        json answer = {{"id", id}, {"verdict", "accepted"}};
        if (WIFSIGNALED(status)) {
            answer["verdict"] = "crashes";
        } else if (status != 0) {
            std::cerr << "llamacpp: the process for " << id << " failed\n";
            return 1;
        } else if (!words.empty()) {
            answer["verdict"] = "rejected";
            answer["message"] = words;
        }
        std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    }
    return 0;
}
