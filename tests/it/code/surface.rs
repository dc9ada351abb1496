//! What a program reaches: its tools and nothing else of the host; and what it is told of a wrong guess.

use super::*;

/// [CODE-19] B119, CP-23: unknown names, tools and fields are answered with those that there are.
#[test]
fn a_wrong_guess_is_answered_with_what_there_is() {
    let world = world();
    for (code, parts) in [
        ("return nothing", vec!["nothing is not defined", "tools", "console"]),
        ("return require('fs')", vec!["require"]),
        ("return await fetch('http://x.invalid')", vec!["fetch"]),
        ("return process.env", vec!["process"]),
        ("return (await tools.call('Raed', {})).content", vec!["'Raed'", "read"]),
        ("return (await tools.mcp_fs_reed({})).content", vec!["mcp_fs_reed"]),
        ("return await tools.call('read')", vec!["path"]),
        ("return await tools.read('a.txt')", vec!["one object"]),
        (
            "return (await tools.bash({ command: 'echo x' })).stdout",
            vec!["\"stdout\"", "content", "metadata", "truncated"],
        ),
        ("return (await tools.read({ path: 'a.txt' })).text.length", vec!["\"text\"", "content"]),
    ] {
        let ended = run(&world, code);
        assert_eq!(ended.status(), "failed", "{code}: {}", ended.text);
        for part in parts {
            assert!(ended.text.contains(part), "{code}: no {part:?} in {}", ended.text);
        }
        assert!(ended.text.contains("1 | "), "no place: {}", ended.text);
    }
    // The same spelling as the catalog's own is taken, as for a direct call.
    let ended = run(&world, "return (await tools.call('Read', { path: 'a.txt' })).content");
    let direct = world.call("Read", &json!({ "path": "a.txt" })).run();
    assert_eq!(ended.status() == "ok", direct.code == 0, "{}\n{direct}", ended.text);
}

/// [CODE-02] CM-07, Q9: nothing of the host is there, and the bridge is not fooled by what a program redefines.
#[test]
fn a_program_reaches_the_host_by_its_tools_alone() {
    let world = world();
    let code = "
        const odd = ['require', 'process', 'fetch', 'Deno', 'Bun', 'std', 'os', 'setTimeout', 'WebAssembly',
          'SharedArrayBuffer', 'host', 'XMLHttpRequest'].filter((name) => name in globalThis);
        JSON.stringify = () => '{\"path\":\"/etc/passwd\"}'; JSON.parse = () => ({});
        Promise.prototype.then = function () { return this }; Array.prototype.push = () => 0;
        try { globalThis.tools = { call: async () => ({ content: 'forged' }) } } catch {}
        try { tools.call = async () => ({ content: 'forged' }) } catch {}
        const r = await tools.call('read', { path: 'a.txt' });
        return [odd, r.content]";
    let ended = run(&world, code);
    assert_eq!(ended.calls(), ["read auto ok"], "{}", ended.text);
    assert_eq!(ended.value(), &json!([[], "hello\n"]));
}

/// CM-04: arguments are read once: the gate, the tool and the record have the same bytes.
#[test]
fn arguments_are_read_once() {
    let world = world();
    world.write("secret.txt", "secret\n");
    for code in [
        "let n = 0; const r = await tools.read({ get path() { return n++ ? 'secret.txt' : 'a.txt' } });",
        "let n = 0; const args = new Proxy({ path: 'a.txt' }, { get: (t, k) => n++ ? 'secret.txt' : t[k] }); \
         const r = await tools.read(args);",
        "const args = { path: 'a.txt' }; const p = tools.read(args); args.path = 'secret.txt'; const r = await p;",
        "Object.prototype.toJSON = () => ({ path: 'secret.txt' }); const r = await tools.read({ path: 'a.txt' });",
        "let n = 0; const r = await tools.read({ path: { toJSON: () => n++ ? 'secret.txt' : 'a.txt' } });",
    ] {
        let ended =
            run_with(&world, &format!("{code} return r.content"), &["--deny", "read(secret.txt)"]);
        let receipts = world.receipts(ended.receipt["session"].as_str()).0;
        let read = receipts.iter().find(|it| it["tool"] == "read");
        if let Some(read) = read.filter(|it| it["end"]["status"] == "ok") {
            assert_eq!(read["arguments"]["path"], "a.txt", "{code}");
            assert_eq!(ended.value(), &json!("hello\n"), "{code}");
        }
        assert!(!ended.text.contains("secret\n"), "{code}: {}", ended.text);
    }
}

/// [CODE-15] CM-05: a name of any length is refused at its `await`, and breaks no stream.
#[test]
fn a_name_of_any_length_is_refused_at_its_await() {
    let world = world();
    let code = "
        const out = [];
        for (const length of [300, 70_000, 400_000, 10_000_000])
          await tools.call('x'.repeat(length), {}).catch((e) => out.push(e.code));
        out.push((await tools.read({ path: 'a.txt' })).content);
        return out";
    let ended = run(&world, code);
    let refused = "refused";
    assert_eq!(ended.value(), &json!([refused, refused, refused, refused, "hello\n"]));
}
