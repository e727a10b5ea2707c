//! System calls that no program inside gets: those by which it could read or change another process, watch or extend
//! the kernel that all of them share, or take memory that is counted nowhere. Decides which these are and which error a
//! caller gets; that a program has no rights of root, and none outside its namespaces, is the sandbox's own doing.
//!
//! The filter is one program of the kernel's packet filter, in the bytes that `bwrap` reads from a descriptor. It is
//! written for one architecture: calls through another interface of the same kernel (32-bit programs, x32) have other
//! numbers, so such a call ends the process.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use super::tree;

/// Refused: what reaches into another process of the same user or compares the two, what holds up a page of memory for
/// a program to fill, what watches or extends the kernel, and keys that outlive the process that made them.
const REFUSED: [c_long; 12] = [
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_madvise,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Refused where its second argument is this: the holder of a lease on a file keeps all others waiting who open it, for
/// up to three quarters of a minute, on the whole machine, even where the holder may only read the file.
const LEASE: (c_long, u64) = (libc::SYS_fcntl, libc::F_SETLEASE as u64);

/// Unknown, as to an older kernel, so that libraries fall back on older calls. The arguments of the first are in
/// memory, where no filter can read them; the next three make calls that no filter sees; contexts of the fifth are
/// limited for the whole machine, and one program could use them all up; the last makes files in memory that belong to
/// no process and, unlike those in `/dev/shm`, have no size limit.
const UNKNOWN: [c_long; 6] = [
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_setup,
    libc::SYS_memfd_create,
];

/// Refused where their second argument is larger: memory of System V that no process has mapped is counted nowhere, and
/// semaphores never are. The kernel has 4,096 pieces of the one and 32,000 sets of the others, so that is 1 GiB and 512
/// MiB. Databases ask for some bytes of the one, to see whether they run already, and some twenty of the others.
const TOO_LARGE: [(c_long, u64); 2] = [(libc::SYS_shmget, 256 << 10), (libc::SYS_semget, 250)];

/// From here on numbers of calls belong to x32, which has the same architecture as far as a filter is told.
const X32: u32 = 0x4000_0000;
/// The answer of a filter that lets a call through.
const LET_THROUGH: u32 = libc::SECCOMP_RET_ALLOW;
/// Stands for no call at all.
const NO_CALL: u32 = u32::MAX;

/// Builds the filter as the kernel reads it; none on a machine for which there is none, or whose kernel knows no
/// filters.
pub fn program() -> Option<Vec<u8>> {
    let architecture = match ARCH {
        "x86_64" => TargetArch::x86_64,
        "aarch64" => TargetArch::aarch64,
        _ => return None,
    };
    tree::has_filters().then(|| bytes(&instructions(architecture)))
}

fn instructions(architecture: TargetArch) -> BpfProgram {
    let mut program = Vec::new();
    if architecture == TargetArch::x86_64 {
        program.extend(without_x32());
    }
    let always = |calls: &[c_long]| calls.iter().map(|call| (*call, Vec::new())).collect();
    let mut refused: CallRules = always(&REFUSED);
    // The kernel reads 32 bits of it.
    let lease = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, LEASE.1);
    refused.extend([where_it(LEASE.0, lease)]);
    let parts: [(CallRules, i32); 3] = [
        (always(&UNKNOWN), libc::ENOSYS),
        (TOO_LARGE.map(too_large).into(), libc::EINVAL),
        (refused, libc::EPERM),
    ];
    for (rules, error) in parts {
        // Separate programs would all run for each call; instead, a call that one part lets through falls into the next
        // part.
        if program
            .last()
            .is_some_and(|instruction| instruction.k == LET_THROUGH)
        {
            program.pop();
        }
        program.extend(answer(rules, error, architecture));
    }
    program
}

/// Conditions by call; a call without conditions always matches.
type CallRules = BTreeMap<c_long, Vec<SeccompRule>>;

/// Makes the rule for a call whose second argument is larger than `most`.
fn too_large((call, most): (c_long, u64)) -> (c_long, Vec<SeccompRule>) {
    let condition = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Gt, most);
    where_it(call, condition)
}

/// Makes the rule for a call where a condition holds.
fn where_it(
    call: c_long,
    condition: Result<SeccompCondition, BackendError>,
) -> (c_long, Vec<SeccompRule>) {
    let rule = condition.and_then(|seccomp_condition| SeccompRule::new(vec![seccomp_condition]));
    (
        call,
        vec![rule.expect("a call has a second argument, and one condition is a rule")],
    )
}

/// Builds a filter that answers some calls with an error and lets all others through, with its last instruction.
fn answer(rules: CallRules, error: i32, architecture: TargetArch) -> BpfProgram {
    let answer = SeccompAction::Errno(error.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture);
    filter
        .and_then(TryInto::try_into)
        .expect("a few calls and two different answers make a filter")
}

fn without_x32() -> [sock_filter; 4] {
    let make = |code: u32, (jt, jf), k| sock_filter {
        code: u16::try_from(code).expect("codes of instructions are small"),
        jt,
        jf,
        k,
    };
    let jump = libc::BPF_JMP | libc::BPF_K;
    [
        // The first field that a filter is given is the number of the call.
        make(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (0, 0), 0),
        make(jump | libc::BPF_JEQ, (2, 0), NO_CALL),
        make(jump | libc::BPF_JGE, (0, 1), X32),
        make(
            libc::BPF_RET | libc::BPF_K,
            (0, 0),
            u32::from(SeccompAction::KillProcess),
        ),
    ]
}

fn bytes(program: &[sock_filter]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(program.len() * 8);
    for instruction in program {
        bytes.extend(instruction.code.to_ne_bytes());
        bytes.extend([instruction.jt, instruction.jf]);
        bytes.extend(instruction.k.to_ne_bytes());
    }
    bytes
}
