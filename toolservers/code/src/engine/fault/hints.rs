//! What helps after an error that models often meet (`[CODE-19]`).

/// What follows the message; empty when nothing is known to help.
pub(super) fn after(name: &str, message: &str) -> String {
    if message.starts_with("could not load module") {
        return "; imports are not available: the globals are tools, console and the language's own"
            .to_owned();
    }
    let Some(unknown) =
        message.strip_suffix(" is not defined").filter(|_| name == "ReferenceError")
    else {
        return String::new();
    };
    let unknown = unknown.trim_matches('\'');
    let advice = match unknown {
        "require" | "module" | "exports" | "__dirname" | "__filename" => {
            "modules are not available; what they would do is a tool's"
        }
        "process" | "Deno" | "Bun" | "os" | "child_process" | "exec" | "spawn" => {
            "a program has no process and no environment; a shell tool has"
        }
        "fs" | "path" | "readFile" | "readFileSync" => {
            "files are read and written by tools, as in tools.call(\"read\", {path: \"a.txt\"})"
        }
        "fetch" | "XMLHttpRequest" | "WebSocket" | "axios" | "http" | "https" => {
            "there is no network; a tool fetches: await tools.search(\"fetch a page\") finds it"
        }
        "setTimeout" | "setInterval" | "setImmediate" | "clearTimeout" | "clearInterval" => {
            "there are no timers; await the calls instead"
        }
        "Buffer" | "TextEncoder" | "TextDecoder" => "bytes are Uint8Array, base64 is atob and btoa",
        "structuredClone" => "JSON.parse(JSON.stringify(value)) copies a value",
        "URL" | "URLSearchParams" => "addresses are texts; encodeURIComponent writes a part of one",
        "Intl" => "dates and numbers are written by toISOString and toFixed",
        "window" | "document" | "navigator" | "localStorage" => "this is no browser",
        "tool" | "mcp" | "call" | "callTool" | "call_tool" => {
            "tools are called as tools.call(\"read\", {path: \"a.txt\"})"
        }
        _ => return format!("{GLOBALS}, and a tool is called as tools.NAME({{…}})"),
    };
    format!("{GLOBALS}: {advice}")
}

const GLOBALS: &str = "; the globals are tools, console and the language's own";
