//! System calls by which a program could reach into others: each is made and must be refused.

use std::env::consts::ARCH;

use super::*;

/// A program that makes system calls by their numbers, and prints the results.
const CALLS: &str = "import ctypes, errno, sys
call = ctypes.CDLL(None, use_errno=True).syscall
for it in sys.argv[1:]:
    name, number = it.split('=')
    ctypes.set_errno(0)
    said = call(ctypes.c_long(int(number)), *[ctypes.c_long(0)] * 6)
    print(name, errno.errorcode.get(ctypes.get_errno(), said), flush=True)
";

/// A program that enters the kernel through the 32-bit entry: `mov eax, 20; int 0x80; ret`.
const FOREIGN: &str = "import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')
at = ctypes.addressof(ctypes.c_char.from_buffer(code))
print(ctypes.CFUNCTYPE(ctypes.c_int)(at)())
";

/// A program that reads another process's input and answers in its place: the first process inside had both files open,
/// too.
const THIEF: &str = "import os, threading
def steal(path, how):
    try: os.close(os.open(path, how | os.O_NONBLOCK))
    except OSError: return
    print('reached', path, flush=True)
for task in ['', '/task/1']:
    for number in range(8):
        steal('/proc/1%s/fd/%d' % (task, number), os.O_WRONLY)
        steal('/proc/1%s/fd/%d' % (task, number), os.O_RDONLY)
for path in ['/proc/1/mem', '/proc/1/fd/x', '/proc/1/task/x']:
    steal(path, os.O_RDWR | os.O_CREAT)
thread = threading.Thread(target=print, args=['a thread'])
thread.start()
thread.join()
";

fn python(script: &str) -> ProgramPlan {
    ProgramPlan::new("python3").args(["-c", script])
}

fn calls(house: &House, calls: &[(&str, libc::c_long)]) -> FinishedProgram {
    let words = calls
        .iter()
        .map(|(name, number)| format!("{name}={number}"));
    house.run(&python(CALLS).args(words))
}

#[test]
fn calls_that_reach_into_other_processes_or_the_kernel_are_refused() {
    let Some(house) = house() else { return };
    let refused = [
        ("process_vm_readv", libc::SYS_process_vm_readv),
        ("process_vm_writev", libc::SYS_process_vm_writev),
        ("ptrace", libc::SYS_ptrace),
        ("pidfd_getfd", libc::SYS_pidfd_getfd),
        ("kcmp", libc::SYS_kcmp),
        ("process_madvise", libc::SYS_process_madvise),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("bpf", libc::SYS_bpf),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("add_key", libc::SYS_add_key),
        ("request_key", libc::SYS_request_key),
        ("keyctl", libc::SYS_keyctl),
    ];
    let unknown = [
        ("clone3", libc::SYS_clone3),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("io_uring_enter", libc::SYS_io_uring_enter),
        ("io_uring_register", libc::SYS_io_uring_register),
        ("io_setup", libc::SYS_io_setup),
        ("memfd_create", libc::SYS_memfd_create),
    ];
    let expected = |calls: &[(&str, libc::c_long)], word: &str| -> Vec<String> {
        calls
            .iter()
            .map(|call| format!("{} {word}", call.0))
            .collect()
    };
    let finished = calls(&house, &[&refused[..], &unknown].concat());
    let expected = [expected(&refused, "EPERM"), expected(&unknown, "ENOSYS")].concat();
    let said = finished.output.text();
    assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{finished:?}");
    // Other calls work as usual, and a number that is not a call gets `ENOSYS`.
    let others = [("getppid", libc::SYS_getppid), ("none", -1)];
    let said = calls(&house, &others).output.text();
    assert!(said.ends_with("\nnone ENOSYS\n"), "{said}");
}

/// A program that allocates System V shared memory and semaphore sets of given sizes.
const PIECES: &str = "import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
def said(number): return 'has' if number >= 0 else errno.errorcode[ctypes.get_errno()]
for it in sys.argv[1:]:
    print(it, said(libc.shmget(0, ctypes.c_size_t(int(it)), 0o1600)), said(libc.semget(0, int(it), 0o1600)))
";

#[test]
fn memory_that_is_no_process_s_comes_in_small_pieces() {
    let Some(house) = house() else { return };
    let sizes = ["19", "250", "251", "262144", "262145", "4294967297"];
    let finished = house.run(&python(PIECES).args(sizes));
    let expected = "19 has has\n250 has has\n251 has EINVAL\n262144 has EINVAL\n262145 EINVAL EINVAL\n4294967297 EINVAL";
    assert!(finished.output.text().starts_with(expected), "{finished:?}");
}

/// A program that takes a lease on a file, also with a command number that is the same to the kernel.
const LEASES: &str = "import ctypes, errno, os, sys
call = ctypes.CDLL(None, use_errno=True).syscall
file = os.open(sys.argv[1], os.O_RDONLY)
for how in (1024, 1024 | 1 << 32):
    said = call(ctypes.c_long(int(sys.argv[2])), file, ctypes.c_long(how), ctypes.c_long(1))
    print(errno.errorcode.get(ctypes.get_errno(), said))
";

#[test]
fn nobody_is_kept_waiting_for_a_file_that_a_program_reads() {
    let Some(house) = house() else { return };
    let file = house.folder.path().join("read");
    fs::write(&file, "text").expect("it can be written");
    let plan = python(LEASES).args([&file]);
    let plan = plan.args([libc::SYS_fcntl.to_string()]);
    let finished = house.run(&plan.bind(Bind::read(&file)));
    assert_eq!(finished.output.text(), "EPERM\nEPERM\n", "{finished:?}");
}

#[test]
fn other_doors_to_the_kernel_end_a_program() {
    let Some(house) = house() else { return };
    if ARCH != "x86_64" {
        return;
    }
    let killed = ProgramEnd::Signalled(libc::SIGSYS as u8);
    let x32 = libc::SYS_getpid | 0x4000_0000;
    let finished = calls(&house, &[("x32", x32)]);
    assert_eq!(finished.ending.end, killed, "{finished:?}");
    let finished = house.run(&python(FOREIGN));
    assert_eq!(finished.ending.end, killed, "{finished:?}");
}

#[test]
fn what_a_program_is_asked_and_answers_is_its_own() {
    let Some(house) = house() else { return };
    let finished = house.run(&python(THIEF));
    assert_eq!(finished.output.text(), "a thread\n", "{finished:?}");
}
