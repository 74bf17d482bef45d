//! Takes from an import worker what it does not need: a file that makes the importer run code of its own finds no network,
//! no other program, and no file but those of the model's folder and of the folders beside it in which it names textures, or in
//! which collections keep them.
//!
//! Linux alone: Landlock for files, ports and signals, and a seccomp filter for the rest. Each is used as far as the kernel
//! has it (Landlock since 5.13; ports since 6.7, signals since 6.12). Elsewhere a worker has the rights of its user, and
//! only its memory, time and crashes are kept apart.

use std::path::{Path, PathBuf};

/// What holds a worker back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// It can open nothing outside the model's folder and those named beside it, and write nothing.
    pub files: bool,
    /// It can make no sockets and start no programs.
    pub calls: bool,
}

/// The side files of `model` and the folders `beside` stay readable, for this thread and those that it starts; everything
/// else of the system is gone for them, for good.
pub fn enter(model: &Path, beside: &[PathBuf]) -> Confinement {
    system::enter(model, beside)
}

/// Whether the system confines workers; asks it without changing anything.
pub fn supported() -> Confinement {
    system::supported()
}

#[cfg(target_os = "linux")]
mod system {
    use super::Confinement;
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
        path_beneath_rules,
    };
    use libc::c_long;
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    use std::path::{Path, PathBuf};

    /// The rights that are known here: those up to devices and scopes (Linux 6.12).
    const RIGHTS: ABI = ABI::V6;
    /// Tells how much memory is free, for the budget of pictures.
    const MEMORY_TABLE: &str = "/proc/meminfo";
    /// Flag of `landlock_create_ruleset` that asks for the version alone (Linux `uapi/linux/landlock.h`).
    const ASK_VERSION: u32 = 1;

    /// System calls that an importer has no use for: sockets, other programs, other processes, and the ways around the
    /// filter.
    const REFUSED: [c_long; 21] = [
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_getfd,
        libc::SYS_io_uring_setup,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_add_key,
        libc::SYS_keyctl,
        libc::SYS_mount,
        libc::SYS_setns,
        libc::SYS_unshare,
        libc::SYS_kill,
    ];

    pub fn enter(model: &Path, beside: &[PathBuf]) -> Confinement {
        // Files first: making the rules opens the folders.
        Confinement { files: restrict_files(model, beside).unwrap_or(false), calls: filter_calls().is_some() }
    }

    pub fn supported() -> Confinement {
        let none = std::ptr::null::<libc::c_void>();
        // SAFETY: with this flag the kernel reads no memory and makes nothing; an unknown call is an error.
        let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, ASK_VERSION) };
        // SAFETY: asks for the mode of this thread.
        let mode = unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) };
        Confinement { files: version >= 1, calls: mode >= 0 && program().is_some() }
    }

    fn restrict_files(model: &Path, beside: &[PathBuf]) -> Result<bool, RulesetError> {
        let folder = model.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The model by itself too: it may be a link to a file elsewhere.
        let places = [folder, model, Path::new(MEMORY_TABLE)].into_iter().chain(beside.iter().map(PathBuf::as_path));
        let readable = path_beneath_rules(places, AccessFs::ReadFile | AccessFs::ReadDir);
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(RIGHTS))?
            .handle_access(AccessNet::from_all(RIGHTS))?
            .scope(Scope::from_all(RIGHTS))?
            .create()?
            .add_rules(readable)?
            .restrict_self()?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }

    /// The filter for this processor; `None` where there is none for it.
    fn program() -> Option<BpfProgram> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let refused = REFUSED.map(|call| (call, Vec::new())).into_iter().collect();
        let denied = SeccompAction::Errno(libc::EPERM as u32);
        SeccompFilter::new(refused, SeccompAction::Allow, denied, arch).ok()?.try_into().ok()
    }

    fn filter_calls() -> Option<()> {
        seccompiler::apply_filter(&program()?).ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Confinement;
    use std::path::{Path, PathBuf};

    pub fn enter(_: &Path, _: &[PathBuf]) -> Confinement {
        Confinement::default()
    }

    pub fn supported() -> Confinement {
        Confinement::default()
    }
}
