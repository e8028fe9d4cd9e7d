//! Where the file lies: what can be said about a path without opening it.
//!
//! Nothing here opens the database file, its -wal or its -shm: closing such a handle would drop SQLite's locks in a process
//! that has the store open.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::model::{Error, ErrorKind, Result};

/// File systems on which SQLite's locks or shared memory do not hold between hosts.
const NETWORK: &[&str] = &[
    "9p",
    "acfs",
    "afp",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fuse.ceph",
    "fuse.davfs2",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.juicefs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "gfs",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "pvfs2",
    "smb2",
    "smb3",
    "smbfs",
];

/// Whether a regular file is there.
pub(super) fn exists(path: &Path) -> Result<bool> {
    let kind = match fs::metadata(path) {
        // SQLite takes a file that is shorter than its header for an empty one, and would write over it.
        Ok(metadata) if metadata.is_file() && (1..100).contains(&metadata.len()) => {
            return Err(Error::new(
                ErrorKind::NotAStore,
                format!(
                    "`{}` is not a database, so it cannot be a session-tree store",
                    path.display()
                ),
            ));
        }
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => {
            return Err(Error::io(
                format!("`{}` cannot be opened", path.display()),
                error,
            ));
        }
    };
    let what = match kind {
        kind if kind.is_file() => return Ok(true),
        kind if kind.is_dir() => "a directory",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(Error::new(
        ErrorKind::NotAStore,
        format!("`{}` is {what}, not a store", path.display()),
    ))
}

/// # Errors
/// `Io` where the directory in which a file is to be made does not exist.
pub(super) fn need_directory(path: &Path) -> Result<()> {
    let parent = directory(path);
    if parent.is_dir() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Io,
        format!(
            "the directory `{}` does not exist; create it first",
            parent.display()
        ),
    ))
}

/// Makes an empty file that only its owner can read. That another process made it first is fine.
pub(super) fn create(path: &Path) -> Result<()> {
    match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io(
            format!("the store `{}` cannot be created", path.display()),
            error,
        )),
    }
}

/// Refuses a file on a network file system, by the name of the mount.
pub(super) fn refuse_network(path: &Path) -> Result<()> {
    let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else {
        return Ok(());
    };
    let Ok(real) = directory(path).canonicalize() else {
        return Ok(());
    };
    match mount_of(&mounts, &real) {
        Some((mount, kind)) if NETWORK.contains(&kind.as_str()) => Err(Error::new(
            ErrorKind::NetworkFilesystem,
            format!(
                "`{}` lies on a network file system ({kind} at {}), where SQLite's locks do not hold; keep the store on a local disk",
                path.display(),
                mount.display()
            ),
        )),
        _ => Ok(()),
    }
}

/// The path as SQLite takes no other meaning from: `:memory:` and `file:...` name files here, as they do everywhere else.
pub(super) fn plain(path: &Path) -> PathBuf {
    if path.is_absolute() {
        path.to_path_buf()
    } else {
        Path::new(".").join(path)
    }
}

pub(super) fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// The mount with the longest path above `real`, and its file system. A later mount on the same path hides the earlier one.
fn mount_of(mountinfo: &str, real: &Path) -> Option<(PathBuf, String)> {
    let mut best: Option<(PathBuf, String)> = None;
    for line in mountinfo.lines() {
        let Some((left, right)) = line.split_once(" - ") else {
            continue;
        };
        let (Some(point), Some(kind)) = (left.split(' ').nth(4), right.split(' ').next()) else {
            continue;
        };
        let point = PathBuf::from(unescape(point));
        let longer = best
            .as_ref()
            .is_none_or(|(seen, _)| point.components().count() >= seen.components().count());
        if real.starts_with(&point) && longer {
            best = Some((point, kind.to_owned()));
        }
    }
    best
}

/// mountinfo writes blanks and backslashes in paths as octal escapes.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_keeps_no_other_meaning() {
        for (given, opened) in [
            (":memory:", "./:memory:"),
            ("file:a.db", "./file:a.db"),
            ("/x/a.db", "/x/a.db"),
        ] {
            assert_eq!(plain(Path::new(given)), Path::new(opened));
        }
    }

    #[test]
    fn the_longest_mount_decides() {
        let mounts = "1 1 8:1 / / rw - ext4 /dev/a rw\n2 1 0:9 / /home/a\\040b rw shared:1 - nfs4 host:/x rw\n\
                      3 2 8:2 / /home/a\\040b/local rw - xfs /dev/b rw\n";
        let kind = |path: &str| mount_of(mounts, Path::new(path)).map(|(_, kind)| kind);
        assert_eq!(kind("/var").as_deref(), Some("ext4"));
        assert_eq!(kind("/home/a b/c").as_deref(), Some("nfs4"));
        assert_eq!(kind("/home/a b/local/c").as_deref(), Some("xfs"));
        assert_eq!(kind("/home/a bc").as_deref(), Some("ext4"));
    }
}
