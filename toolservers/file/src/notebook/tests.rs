//! Goal: a notebook is read as its cells. [FILE-03]

use serde_json::json;

use super::*;
use crate::window::Wanted;

fn read(notebook: &Value) -> String {
    let made = made(notebook.to_string().as_bytes()).unwrap();
    made.view(Wanted { offset: 1, limit: None }, 0, None).shown.text
}

#[test]
fn cells_are_shown_with_number_type_source_and_outputs() {
    let notebook = json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": { "language_info": { "name": "python" } },
        "cells": [
            { "cell_type": "markdown", "id": "a1", "metadata": {}, "source": ["# Title\n", "\n", "text"] },
            { "cell_type": "code", "execution_count": 3, "metadata": {}, "source": "x = 1\nprint(x)\n", "outputs": [
                { "output_type": "stream", "name": "stdout", "text": ["1\n", "\u{1b}[31mred\u{1b}[0m\n"] },
                { "output_type": "display_data", "data": { "image/png": "AAAA", "text/plain": ["<Figure>"] }, "metadata": {} },
                { "output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\u{1b}[0;31mValueError\u{1b}[0m: no"] },
            ] },
            { "cell_type": "code", "execution_count": null, "metadata": {}, "source": [], "outputs": [] },
        ],
    });
    let expected = "[cell 1 of 3: markdown, id a1]\n# Title\n\ntext\n\n\
        [cell 2 of 3: code, run 3]\nx = 1\nprint(x)\n\
        [output: stdout]\n1\nred\n\
        [output: display_data, not shown: image/png (4 characters)]\n<Figure>\n\
        [output: error ValueError: no]\nValueError: no\n\n\
        [cell 3 of 3: code]\n";
    assert_eq!(read(&notebook), expected);
}

#[test]
fn the_older_format_is_read() {
    let notebook = json!({ "nbformat": 3, "worksheets": [{ "cells": [
        { "cell_type": "code", "prompt_number": 1, "input": ["1+1"], "outputs": [
            { "output_type": "pyout", "png": "AAAA", "text": ["2"] },
            { "output_type": "stream", "stream": "stderr", "text": "warn" },
        ] },
    ] }] });
    let expected = "[cell 1 of 1: code, run 1]\n1+1\n[output: pyout, not shown: png]\n2\n[output: stderr]\nwarn\n";
    assert_eq!(read(&notebook), expected);
}

#[test]
fn a_long_output_is_shortened_and_a_picture_is_not_dumped() {
    let notebook = json!({ "cells": [{ "cell_type": "code", "source": "f()", "outputs": [
        { "output_type": "stream", "name": "stdout", "text": "123456789012345678901234567890123456789\n".repeat(5_000) },
        { "output_type": "execute_result", "data": { "image/jpeg": "A".repeat(900_000) } },
    ] }] });
    let text = read(&notebook);
    assert!(text.contains("of 200000 bytes of this output are shown"), "{}", text.len());
    assert!(text.contains("image/jpeg (900000 characters)") && text.len() < 20_000);
}

#[test]
fn what_is_no_notebook_says_why() {
    for (bytes, part) in [
        (&b"{\"cells\": ["[..], "broken"),
        (b"[1]", "broken"),
        (b"{\"cells\": 1}", "no list of cells"),
        (b"{}", "no list of cells"),
    ] {
        let why = made(bytes).unwrap_err();
        assert!(why.contains(part), "{why}");
    }
    // Cells of any shape are shown as far as they are known.
    let text =
        read(&json!({ "cells": [1, { "source": 5 }, { "cell_type": "raw", "source": "r" }] }));
    assert!(
        text.contains("[cell 1 of 3: cell of no type]")
            && text.ends_with("[cell 3 of 3: raw]\nr\n")
    );
}
