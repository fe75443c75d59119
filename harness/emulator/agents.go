package emulator

import (
	"path"
	"slices"
	"strings"
)

// Reply is what the emulator answers with.
type Reply string

// The replies.
const (
	ReplyCall Reply = ""     // a call of a tool that may be called; a text where there is none
	ReplyText Reply = "text" // a text, also where a call is demanded
)

// runners are names of tools with which agents run commands. A request that declares one of
// them is an agent's, which does on its machine what the answer says.
var runners = []string{
	"run_shell_command",                                                       // gemini-cli, qwen-code
	"shell", "shell_command", "local_shell", "exec_command", "container.exec", // codex
	"Bash",                            // claude-code, Continue
	"bash",                            // opencode
	"execute_command", "run_commands", // cline
	"run_terminal_cmd", "run_in_terminal", "run_terminal_command", "terminal", // of editors
}

// agentTools are names of the other tools that agents have built in.
var agentTools = []string{
	// gemini-cli and qwen-code
	"write_file", "replace", "edit", "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "web_fetch",
	"google_web_search", "save_memory", "write_todos", "todo_write", "task", "skill", "activate_skill", "exit_plan_mode", "enter_plan_mode", "ask_user",
	"agent", "complete_task", "get_internal_docs", "delegate_to_agent", "codebase_investigator",
	// codex
	"apply_patch", "write_stdin", "update_plan", "view_image", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource",
	"request_user_input", "spawn_agent", "send_input", "send_message", "wait", "wait_agent", "close_agent", "resume_agent", "list_agents",
	"web_search", "tool_search", "js_repl", "get_context_remaining",
	// claude-code
	"Edit", "Write", "Read", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "Task", "Agent", "TodoWrite", "BashOutput",
	"KillShell", "KillBash", "ExitPlanMode", "EnterPlanMode", "SlashCommand", "Skill", "AskUserQuestion", "TaskOutput", "TaskStop", "ToolSearch",
	"ListMcpResourcesTool", "ReadMcpResourceTool",
	// opencode
	"write", "read", "patch", "multiedit", "grep", "list", "webfetch", "websearch", "codesearch", "todowrite", "todoread", "question", "lsp", "batch", "invalid",
	// Continue
	"List", "Search", "Fetch", "Status", "Checklist", "AskQuestion", "Exit", "Subagent", "ReportFailure", "UploadArtifact",
	// cline
	"write_to_file", "replace_in_file", "read_files", "search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool",
	"access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task", "plan_mode_respond", "editor", "search_codebase", "fetch_web_content",
}

// callable returns the functions that may be called.
func (o *Options) callable(functions []function) []function {
	mayCall := o.calls(functions)
	return slices.DeleteFunc(slices.Clone(functions), func(f function) bool { return !mayCall(f) })
}

// calls returns what reports whether one of the functions may be called: by the patterns of
// Call, else by the user's own list, else unless it is an agent's.
func (o *Options) calls(all []function) func(function) bool {
	switch {
	case len(o.Call) > 0:
		return func(f function) bool { return slices.ContainsFunc(o.Call, f.isLike) }
	case len(o.Own) > 0:
		return func(f function) bool { return slices.ContainsFunc(o.Own, f.comesFrom) }
	case !slices.ContainsFunc(all, func(f function) bool { return slices.Contains(runners, f.name) }):
		return func(function) bool { return true }
	case slices.ContainsFunc(all, function.isOfServer):
		return function.isOfServer
	default:
		return func(f function) bool {
			return !slices.Contains(runners, f.name) && !slices.Contains(agentTools, f.name) && !f.isCustom
		}
	}
}

// isLike reports whether a pattern, as path.Match has it, matches the name of a function,
// alone or behind its namespace.
func (f function) isLike(pattern string) bool {
	return slices.ContainsFunc([]string{f.name, f.namespace + f.name, f.namespace + "." + f.name, f.namespace + "__" + f.name}, func(name string) bool {
		isLike, err := path.Match(pattern, name)
		return err == nil && isLike
	})
}

// isOfServer reports whether the name of a function says that it comes from a server of the
// Model Context Protocol.
func (f function) isOfServer() bool {
	return f.namespace != "" && f.namespace != "functions" || strings.HasPrefix(f.name, "mcp_") || strings.HasPrefix(f.name, "mcp-")
}

// comesFrom reports whether a function is a tool of the user, by its name there. Clients put
// the name of the server before it, write other letters as _ or -, and cut it.
func (f function) comesFrom(own string) bool {
	plain, name := plainName(own), plainName(f.name)
	if f.name == own || name == plain || strings.HasSuffix(name, "_"+plain) {
		return true
	}
	const cut, most = 24, 40 // letters that are kept at least; how long a name is that no client cuts
	return len(plain) > most && strings.Contains(name, plain[:cut])
}

// plainName writes a name with letters, digits and _ alone.
func plainName(name string) string {
	return strings.Map(func(letter rune) rune {
		if letter < 128 && (letter >= '0' && letter <= '9' || letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z') {
			return letter
		}
		return '_'
	}, name)
}
