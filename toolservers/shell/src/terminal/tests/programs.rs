//! Goal: what programs find at a terminal, and what of them is shown.

use super::*;

#[tokio::test]
async fn a_shell_keeps_its_state_between_calls() {
    let desk = Desk::new();
    let said = desk.said(json!({"action": "open"})).await;
    assert!(said.contains("t1 runs since") && said.contains("24 rows, 80 columns"), "{said}");
    let shell = desk.terminal("t1");
    shows(&shell, "bash-").await;
    desk.send(&shell, "x=4; mkdir -p deep; cd deep\n", &[]).await;
    desk.send(&shell, "echo $((x+38)) ${PWD##*/}", &["enter"]).await;
    shows(&shell, "42 deep").await;
    desk.send(&shell, "echo $HISTFILE $TERM\n", &[]).await;
    shows(&shell, "/dev/null xterm-256color").await;
    desk.said(json!({"action": "close", "id": "t1"})).await;
    assert!(matches!(shell.life(), Life::Ended { by: By::Call, survivors: 0, .. }));
}

/// The three streams are the terminal, which controls the session: `/dev/tty` is it.
#[tokio::test]
async fn the_program_leads_a_session_at_its_terminal() {
    let desk = Desk::new();
    let line = "tty; test -t 0 -a -t 1 -a -t 2 && echo all three; echo controlled > /dev/tty; \
        ls -x /proc/$$/fd";
    let terminal = desk.open(line);
    ended(&terminal).await;
    for text in ["/dev/pts/", "all three", "controlled"] {
        shows(&terminal, text).await;
    }
    // Nothing of this process is inherited.
    let picture = terminal.state().kept.picture(None);
    let last: Vec<&str> = picture.rows.last().unwrap().split_whitespace().collect();
    assert!(last == ["0", "1", "2"] || last == ["0", "1", "2", "255"], "{picture:?}");
}

#[tokio::test]
async fn a_program_is_told_its_size_and_of_another_one() {
    let desk = Desk::new();
    desk.act(json!({"action": "open", "rows": 30, "cols": 100})).await.unwrap();
    let shell = desk.terminal("t1");
    desk.send(&shell, "stty size\n", &[]).await;
    shows(&shell, "30 100").await;
    desk.send(&shell, "trap 'echo to''ld' WINCH\n", &[]).await;
    let said = desk.said(json!({"action": "resize", "id": "t1", "cols": 120})).await;
    assert!(said.contains("30 rows, 120 columns"), "{said}");
    desk.send(&shell, "stty size\n", &[]).await;
    shows(&shell, "30 120").await;
    shows(&shell, "told").await;
}

#[tokio::test]
async fn ctrl_c_interrupts_what_runs_and_not_the_shell() {
    let desk = Desk::new();
    desk.act(json!({"action": "open"})).await.unwrap();
    let shell = desk.terminal("t1");
    desk.send(&shell, "sleep 7101\n", &[]).await;
    running("7101", 1).await;
    desk.send(&shell, "", &["ctrl-c"]).await;
    running("7101", 0).await;
    desk.send(&shell, "echo code $?\n", &[]).await;
    shows(&shell, "code 130").await;
    desk.send(&shell, "cat\n", &[]).await;
    desk.send(&shell, "", &["ctrl-d"]).await;
    desk.send(&shell, "echo went $((1+1))\n", &[]).await;
    shows(&shell, "went 2").await;
    desk.send(&shell, "", &["ctrl-d"]).await;
    ended(&shell).await;
    let said = desk.said(json!({"action": "read", "id": "t1"})).await;
    assert!(said.contains("ended with exit code 0"), "{said}");
}

/// A program that fills the screen, drawn and left again; what was there before is there again.
#[tokio::test]
async fn a_pager_fills_the_screen_and_leaves_it() {
    let desk = Desk::new();
    let lines: Vec<String> = (1..=200).map(|number| format!("row {number}")).collect();
    std::fs::write(desk.world.path("rows.txt"), lines.join("\n")).unwrap();
    desk.act(json!({"action": "open"})).await.unwrap();
    let shell = desk.terminal("t1");
    desk.send(&shell, "less rows.txt\n", &[]).await;
    shows(&shell, "row 23").await;
    desk.send(&shell, "", &["page-down"]).await;
    shows(&shell, "row 46").await;
    let said = desk.send(&shell, "/row 150\n", &[]).await;
    assert!(said.contains("has the screen for itself"), "{said}");
    shows(&shell, "row 150").await;
    desk.send(&shell, "q", &[]).await;
    until(&shell, "the shell's screen", |screen| {
        let picture = screen.picture(None);
        !picture.is_alternate && picture.rows.iter().any(|row| row.contains("less rows.txt"))
    })
    .await;
}

/// Shows nothing where the host has no vi.
#[tokio::test]
async fn an_editor_edits() {
    let desk = Desk::new();
    let terminal = desk.open("exec vi -u NONE -n new.txt || echo no vi");
    until(&terminal, "vi", |screen| !screen.picture(None).rows.is_empty()).await;
    if terminal.state().kept.picture(None).rows.iter().any(|row| row.contains("no vi")) {
        return;
    }
    shows(&terminal, "new.txt").await;
    desk.send(&terminal, "ihello é 中", &["escape"]).await;
    shows(&terminal, "hello é 中").await;
    desk.send(&terminal, ":wq\n", &[]).await;
    ended(&terminal).await;
    assert_eq!(std::fs::read_to_string(desk.world.path("new.txt")).unwrap(), "hello é 中\n");
}

/// Several lines are one paste: the shell runs them as one, and a tab completes nothing.
#[tokio::test]
async fn several_lines_are_pasted() {
    let desk = Desk::new();
    desk.act(json!({"action": "open"})).await.unwrap();
    let shell = desk.terminal("t1");
    until(&shell, "bracketed paste", |screen| screen.bracketed_paste()).await;
    desk.send(&shell, "for n in 1 2; do\n\techo pasted $n\ndone\n", &[]).await;
    shows(&shell, "pasted 1\npasted 2").await;
}

/// [SHELL-02] [TOOL-04] What a program writes never reaches the model raw.
#[tokio::test]
async fn escape_sequences_and_odd_bytes_are_shown_as_text() {
    let desk = Desk::new();
    let line = r"printf '\033[31mred\033[0m \033]0;title\007\033]52;c;aGk=\007\377 \344\275\240 x'; sleep 7102";
    let terminal = desk.open(line);
    shows(&terminal, r"red \xFF 你 x").await;
    let said = desk.said(json!({"action": "read", "id": "t1"})).await;
    // `Debug` writes an escape character so.
    assert!(!said.contains("\\u{1b}") && !said.contains("title"), "{said}");
    desk.act(json!({"action": "close", "id": "t1"})).await.unwrap();
    assert_eq!(alive("7102"), 0);
}

/// A program that asks where the cursor is waits for the answer.
#[tokio::test]
async fn a_program_that_asks_the_terminal_is_answered() {
    let desk = Desk::new();
    let line = r#"stty -echo raw; printf 'ab\033[6n'; IFS='[;' read -t 10 -d R -r _ row col; stty sane; echo " at $row $col""#;
    let terminal = desk.open(line);
    shows(&terminal, "at 1 3").await;
    ended(&terminal).await;
}

/// [SHELL-02] What scrolled off is told in order, once, and what no call shows at once waits.
#[tokio::test]
async fn what_scrolled_off_is_read_on() {
    let desk = Desk::new();
    let terminal = desk.open("seq 10001 14000");
    ended(&terminal).await;
    let (mut seen, mut reads) = (Vec::new(), 0);
    loop {
        let picture = terminal.state().kept.picture(Some(0));
        seen.extend(picture.scrolled.text.lines().map(str::to_owned));
        reads += 1;
        if picture.scrolled.newer == 0 {
            seen.extend(picture.rows);
            break;
        }
    }
    let all: Vec<String> = (10_001..=14_000).map(|number| number.to_string()).collect();
    assert!(reads > 2 && seen == all, "{reads}: {} of {}", seen.len(), all.len());
}

/// [SHELL-02] One that writes without end stays bounded, is shown, and takes Ctrl-C.
#[tokio::test]
async fn a_flood_is_bounded_and_can_be_interrupted() {
    let desk = Desk::new();
    desk.act(json!({"action": "open"})).await.unwrap();
    let shell = desk.terminal("t1");
    let said = desk.send(&shell, "yes 7103-flood\n", &[]).await;
    assert!(said.contains("7103-flood") && said.contains("it goes on writing"), "{said}");
    assert!(said.len() < 40_000, "{}", said.len());
    desk.send(&shell, "", &["ctrl-c"]).await;
    running("7103-flood", 0).await;
    let said = desk.send(&shell, "echo still $((40+2))\n", &[]).await;
    shows(&shell, "still 42").await;
    assert!(said.contains("are kept no more") || said.contains("more lines"), "{said}");
}

/// A line that the terminal would cut is refused, and nothing of it is typed.
#[tokio::test]
async fn a_line_that_the_terminal_would_cut_is_refused() {
    let desk = Desk::new();
    let terminal = desk.open("cat");
    let long = "x".repeat(5000);
    let said = desk.send(&terminal, &format!("{long}\n"), &[]).await;
    assert!(said.contains("too_long") && said.contains("4095"), "{said}");
    assert_eq!(terminal.state().bytes, 0);
    let said = desk.send(&terminal, "short\n", &[]).await;
    assert!(said.contains("short"), "{said}");
    desk.act(json!({"action": "close", "id": "t1"})).await.unwrap();
}

#[tokio::test]
async fn a_read_waits_for_something_new_and_for_no_longer() {
    let desk = Desk::new();
    let line = "mkfifo fifo; echo ready; read x < fifo; echo came $x; sleep 7104";
    let terminal = desk.open(line);
    shows(&terminal, "ready").await;
    desk.act(json!({"action": "read", "id": "t1"})).await.unwrap();
    let said = desk.said(json!({"action": "read", "id": "t1", "wait_seconds": 1})).await;
    assert!(said.contains("nothing new within 1 s"), "{said}");
    let reads = desk.said(json!({"action": "read", "id": "t1", "wait_seconds": 30}));
    let writes = async { std::fs::write(desk.world.path("fifo"), "late\n").unwrap() };
    let (said, ()) = tokio::join!(reads, writes);
    assert!(said.contains("came late"), "{said}");
    desk.act(json!({"action": "close", "id": "t1"})).await.unwrap();
    assert_eq!(alive("7104"), 0);
}
