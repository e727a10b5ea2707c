//! A network that only several given programs share: a loopback without any connection beyond it.
//!
//! A network lasts as long as a process in it, so one process holds it. A program that joins enters that process's user
//! namespace, which owns the network, and makes from there the namespaces that every program has; only that user
//! namespace may have others inside.

use std::any::Any;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::{Command, id};
use std::sync::Arc;

/// A network that lasts until the last of these is dropped.
#[derive(Clone)]
pub struct SharedNetwork(Arc<NetworkNamespace>);

struct NetworkNamespace {
    user: OwnedFd,
    network: OwnedFd,
    /// The process inside, which ends when this is dropped.
    _holder: Box<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for SharedNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SharedNetwork({})", self.0.network.as_raw_fd())
    }
}

impl PartialEq for SharedNetwork {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedNetwork {}

impl SharedNetwork {
    /// Takes a network by its user namespace and its network namespace, with the process that holds it.
    pub(crate) fn new(user: OwnedFd, network: OwnedFd, holder: impl Any + Send + Sync) -> Self {
        let holder = Box::new(holder);
        Self(Arc::new(NetworkNamespace {
            user,
            network,
            _holder: holder,
        }))
    }

    /// Makes the command that starts a program in this network. The namespaces are named by our own descriptors in
    /// `/proc`: an inherited descriptor would stay open in the program.
    pub(crate) fn joined_by(&self, program: &Path, nsenter: &Path) -> Command {
        let place = |file: &OwnedFd| format!("/proc/{}/fd/{}", id(), file.as_raw_fd());
        let mut command = Command::new(nsenter);
        command
            .arg("--preserve-credentials")
            .arg(format!("--user={}", place(&self.0.user)))
            .arg(format!("--net={}", place(&self.0.network)))
            .arg("--")
            .arg(program);
        command
    }
}
