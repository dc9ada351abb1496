//! What the kernel does with filters, for tests: it runs the compiled ones as they are.

use nix::libc;
use seccompiler::{BpfProgram, sock_filter};

/// `AUDIT_ARCH_*` of linux/audit.h.
const X86_64: u32 = 0xc000_003e;
pub(super) const I386: u32 = 0x4000_0003;
const AARCH64: u32 = 0xc000_00b7;
/// The one that this was built for.
pub(super) const HERE: u32 = if cfg!(target_arch = "aarch64") { AARCH64 } else { X86_64 };

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verdict {
    /// It is done.
    Allow,
    /// It fails with this number.
    Errno(u32),
    /// The process ends.
    Kill,
}

/// Refused.
pub(super) const DENIED: Verdict = Verdict::Errno(libc::EPERM.unsigned_abs());
/// As if the kernel had it not.
pub(super) const ABSENT: Verdict = Verdict::Errno(libc::ENOSYS.unsigned_abs());

/// What the kernel does: it asks the newest filter first, and heeds the first of the strictest answers.
pub(super) fn verdict(
    programs: &[BpfProgram],
    architecture: u32,
    call: i64,
    arguments: [u64; 6],
) -> Verdict {
    let mut data = Vec::new();
    data.extend(u32::try_from(call).unwrap().to_le_bytes());
    data.extend(architecture.to_le_bytes());
    data.extend(0_u64.to_le_bytes());
    data.extend(arguments.iter().flat_map(|argument| argument.to_le_bytes()));
    let answers = programs.iter().rev().map(|program| answer(program, &data));
    // The lower the action, the stricter; as a signed number, killing the process is the lowest.
    let strictest = answers.min_by_key(|answer| (answer & 0xffff_0000).cast_signed()).unwrap();
    match strictest & 0xffff_0000 {
        0x7fff_0000 => Verdict::Allow,
        0x0005_0000 => Verdict::Errno(strictest & 0xffff),
        0x8000_0000 => Verdict::Kill,
        action => panic!("action {action:#x}"),
    }
}

/// One filter, by `linux/bpf_common.h`: the accumulator, jumps relative to the next instruction, a result.
fn answer(program: &[sock_filter], data: &[u8]) -> u32 {
    let (mut accumulator, mut next) = (0_u32, 0_usize);
    loop {
        let step = &program[next];
        next += 1;
        let chosen = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
        match step.code {
            0x20 => {
                let at = usize::try_from(step.k).unwrap();
                accumulator = u32::from_le_bytes(data[at..at + 4].try_into().unwrap());
            }
            0x54 => accumulator &= step.k,
            0x05 => next += usize::try_from(step.k).unwrap(),
            0x15 => next += chosen(accumulator == step.k),
            0x25 => next += chosen(accumulator > step.k),
            0x35 => next += chosen(accumulator >= step.k),
            0x06 => return step.k,
            code => panic!("instruction {code:#x}"),
        }
    }
}
