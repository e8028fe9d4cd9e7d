//! Files that are read: regular ones only, never written, and never one that SQLite has open in this process.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::model::hex;
use crate::{Error, ErrorKind, Result, Store};

/// Bytes read at a time.
const BUFFER: usize = 256 * 1024;

/// A file under import. Its length is what it was at the start: what is appended meanwhile waits for the next import.
#[derive(Debug)]
pub(super) struct Source {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Source {
    /// Opens a file without waiting for anybody: a FIFO is refused, not read.
    pub fn open(path: &Path, store: Option<&Store>) -> Result<Source> {
        let shown = path.display();
        let found = std::fs::metadata(path)
            .map_err(|error| Error::io(format!("`{shown}` cannot be read"), error))?;
        refuse_irregular(path, &found)?;
        let own_files = store.map(Store::own_files).unwrap_or_default();
        if own_files.iter().any(|own| is_same_file(own, &found)) {
            return Err(Error::invalid(format!(
                "`{shown}` is the store itself; name the file that is to be imported into it"
            )));
        }
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits() as i32)
            .open(path)
            .map_err(|error| Error::io(format!("`{shown}` cannot be read"), error))?;
        let opened = file
            .metadata()
            .map_err(|error| Error::io(format!("`{shown}` cannot be read"), error))?;
        refuse_irregular(path, &opened)?;
        if opened.len() == 0 {
            return Err(Error::new(
                ErrorKind::UnknownFormat,
                format!("`{shown}` is empty: not of any known format"),
            ));
        }
        Ok(Source {
            file,
            path: path.to_owned(),
            length: opened.len(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads from the start.
    pub fn reader(&self) -> BufReader<FromStart<'_>> {
        let from_start = FromStart {
            source: self,
            at: 0,
            hash: Sha256::new(),
        };
        BufReader::with_capacity(BUFFER, from_start)
    }

    /// A part of the file.
    pub fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.file
            .read_exact_at(&mut bytes, offset)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => self.changed(),
                _ => self.failed(error),
            })?;
        Ok(bytes)
    }

    pub fn failed(&self, error: io::Error) -> Error {
        Error::io(format!("`{}` cannot be read", self.path.display()), error)
    }

    /// The error for a file that is not what it was when it was looked through.
    pub fn changed(&self) -> Error {
        Error::new(
            ErrorKind::Io,
            format!(
                "`{}` was rewritten while it was being imported; import it again",
                self.path.display()
            ),
        )
    }

    /// Puts the path before an error about the content.
    pub fn about(&self, error: Error) -> Error {
        let mut about = self.refuse(error.kind(), &error);
        if let Some(node) = error.node() {
            about = about.with_node(node);
        }
        if let Some(branch) = error.branch() {
            about = about.with_branch(branch);
        }
        about
    }

    /// Puts the path before what is wrong with the content.
    pub fn refuse(&self, kind: ErrorKind, text: impl std::fmt::Display) -> Error {
        Error::new(kind, format!("`{}`: {text}", self.path.display()))
    }
}

fn refuse_irregular(path: &Path, found: &Metadata) -> Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() {
        "a directory; name a file in it"
    } else {
        "no regular file; copy what it gives to a file first"
    };
    Err(Error::invalid(format!("`{}` is {what}", path.display())))
}

fn is_same_file(path: &Path, found: &Metadata) -> bool {
    std::fs::metadata(path).is_ok_and(|own| own.dev() == found.dev() && own.ino() == found.ino())
}

/// Reads a source in order and hashes what it reads.
#[derive(Debug)]
pub(super) struct FromStart<'a> {
    source: &'a Source,
    at: u64,
    hash: Sha256,
}

impl FromStart<'_> {
    /// SHA-256 of what was read, in hexadecimal.
    pub fn hash(&self) -> String {
        hex(&self.hash.clone().finalize())
    }
}

impl Read for FromStart<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.source.length.saturating_sub(self.at);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let into = &mut into[..most];
        let read = self.source.file.read_at(into, self.at)?;
        self.hash.update(&into[..read]);
        self.at += read as u64;
        Ok(read)
    }
}
