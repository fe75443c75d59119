use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

enum Failure {
    Unsupported(String),
    #[allow(dead_code)]
    Error(String),
}

/// Returns the tool as you would send it, or why you do not take it.
fn normalize(_surface: &str, tool: Value) -> Result<Value, Failure> {
    if !tool.is_object() {
        return Err(Failure::Unsupported("the tool is no object".into()));
    }
    Ok(tool)
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let id = &question["id"];
        let surface = question["surface"].as_str().unwrap_or_default();
        let answer = match normalize(surface, question["tool"].clone()) {
            Ok(tool) => json!({"id": id, "tool": tool}),
            Err(Failure::Unsupported(why)) => json!({"id": id, "unsupported": why}),
            Err(Failure::Error(why)) => json!({"id": id, "error": why}),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
