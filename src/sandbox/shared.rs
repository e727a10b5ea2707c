//! Making a network that several programs share: a program of the system that does nothing is in it and holds it.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};

use rustix::fs::{Mode, OFlags};

use crate::task::Monitor;

use super::launch::ProcessRole;
use super::network::SharedNetwork;
use super::plan::{Network, ProgramPlan};
use super::tool::SandboxKind;
use super::{Sandbox, SandboxError, guard};

impl Sandbox {
    /// Makes a network for several programs; see [`Network::Shared`].
    ///
    /// # Errors
    /// Without `bwrap` or `nsenter`, and where it could not be started.
    pub fn network(&self) -> Result<SharedNetwork, SandboxError> {
        if self.tool().kind == SandboxKind::None {
            let what = "without a sandbox there is only the network of the machine".to_owned();
            return Err(SandboxError::Plan { what });
        }
        if self.tool().nsenter.is_none() {
            return Err(SandboxError::Missing { program: "nsenter" });
        }
        let (mut holder, folder) = self.start(&ProgramPlan::new("cat"), ProcessRole::Holder)?;
        let failed = |source| SandboxError::Io {
            path: folder.clone(),
            source,
        };
        let ends = holder.input.take().zip(holder.output.take());
        let (mut input, output) = ends.ok_or(SandboxError::Lost)?;
        let mut output = BufReader::new(output);
        echo(&mut input, &mut output).map_err(failed)?;
        let first = guard::reported_number(&folder, "child-pid").ok_or(SandboxError::Lost)?;
        let open = |name: &str| {
            let path = format!("/proc/{first}/ns/{name}");
            rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        };
        let (user, network) = (open("user"), open("net"));
        // The holder still answers, so the number was its own when the files were opened.
        echo(&mut input, &mut output).map_err(failed)?;
        holder.input = Some(input);
        let user = user.map_err(|error| failed(error.into()))?;
        let network = network.map_err(|error| failed(error.into()))?;
        Ok(SharedNetwork::new(user, network, holder))
    }

    /// Tells why no network can be shared here; nothing where that works.
    pub fn no_network(&self) -> Option<String> {
        let works = || {
            let plan = ProgramPlan {
                network: Network::Shared(self.network()?),
                ..ProgramPlan::new("true")
            };
            self.run(&plan, b"", &Monitor::default())
        };
        works().err().map(|error| error.to_string())
    }
}

/// Has the holder repeat a line, which shows that it runs.
fn echo(input: &mut ChildStdin, output: &mut BufReader<ChildStdout>) -> io::Result<()> {
    input.write_all(b"\n")?;
    let mut line = String::new();
    match output.read_line(&mut line)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}
