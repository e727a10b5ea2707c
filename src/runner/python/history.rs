//! The question to `git` about a project's history, asked so that it starts no program that the repository names.
//!
//! Its configuration is the project's: programs in it look at files, verify signatures, or fetch missing parts. They
//! would run in the sandbox like everything else; but without a sandbox, no other code of the project has run yet.

/// Asks for the day of the checked-out commit.
pub(super) const ARGUMENTS: &[&str] = &[
    "-c",
    "safe.directory=*",
    "-c",
    "core.fsmonitor=false",
    // A missing commit would be fetched by the program that the repository names as its transport.
    "-c",
    "protocol.allow=never",
    "--no-pager",
    "log",
    "-1",
    "--no-show-signature",
    "--format=%cs",
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::{Command, Output, Stdio};

    use super::*;

    fn git(folder: &Path, arguments: &[&str], input: &str) -> Output {
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git is there");
        let mut stdin = child.stdin.take().expect("it was asked for");
        stdin.write_all(input.as_bytes()).expect("git reads it");
        drop(stdin);
        child.wait_with_output().expect("git ends")
    }

    fn said(output: &Output) -> String {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    #[test]
    fn no_program_of_the_repository_is_started() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let folder = place.path().join("repo");
        fs::create_dir(&folder).expect("a folder can be made");
        let (script, mark) = (place.path().join("evil"), place.path().join("mark"));
        let text = format!("#!/bin/sh\ntouch {}\n", mark.display());
        fs::write(&script, text).expect("it is written");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&script, executable).expect("it can be made a program");
        git(&folder, &["init", "-q", "."], "");
        let tree = said(&git(&folder, &["mktree"], ""));
        // The commit is signed, so that git would start a program that verifies it.
        let who = "a <a@b> 1700000000 +0000";
        let signed = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
        let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n{signed}\n\na\n");
        let hash = ["hash-object", "-t", "commit", "-w", "--stdin"];
        let commit = said(&git(&folder, &hash, &commit));
        git(&folder, &["update-ref", "HEAD", &commit], "");
        let config = folder.join(".git/config");
        let before = fs::read_to_string(&config).expect("git made it");
        let evil = script.display();
        let text = format!(
            "{before}\tfsmonitor = {evil}\n\tpager = {evil}\n\tsshCommand = {evil}\n[gpg]\n\tprogram = {evil}\n\
             [log]\n\tshowSignature = true\n[extensions]\n\tpartialClone = origin\n\
             [remote \"origin\"]\n\turl = ssh://host/x\n\tpromisor = true\n"
        );
        fs::write(&config, text.replace("version = 0", "version = 1")).expect("it is written");
        git(&folder, &["log", "-1"], "");
        assert!(mark.exists(), "git starts it unless it is told not to");
        fs::remove_file(&mark).expect("it is there");
        assert_eq!(said(&git(&folder, ARGUMENTS, "")), "2023-11-14");
        assert!(!mark.exists(), "its signature is not verified");
        // The commit is removed; the repository says that it can be fetched.
        let object = folder.join(".git/objects").join(&commit[..2]);
        fs::remove_file(object.join(&commit[2..])).expect("it is there");
        git(&folder, &["log", "-1"], "");
        assert!(mark.exists(), "git fetches it unless it is told not to");
        fs::remove_file(&mark).expect("it is there");
        git(&folder, ARGUMENTS, "");
        assert!(!mark.exists(), "nothing is fetched");
    }
}
