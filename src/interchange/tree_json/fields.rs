//! Reading objects of fixed shapes as strictly as the format's own program does.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::model::json::Json;
use crate::{Error, ErrorKind, Result};

/// Where in the text something stands: `node `n3``, `branch `main``, or nothing for the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(String);

impl Place {
    pub fn of(what: &str, name: &str) -> Place {
        Place(format!("{what} `{name}`: "))
    }

    pub fn inside(&self, what: &str) -> Place {
        Place(format!("{}{what}: ", self.0))
    }

    pub fn error(&self, text: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Damaged, format!("{}{text}", self.0))
    }

    /// What stands before a note about the place.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The members of an object that has a fixed shape.
pub(super) struct Fields<'a, const N: usize> {
    place: Place,
    names: [&'static str; N],
    values: [Option<Json<'a>>; N],
    /// Names that are not of the shape. The format's own program drops them.
    pub unknown: BTreeSet<String>,
}

impl<'a, const N: usize> Fields<'a, N> {
    /// # Errors
    /// `Damaged` for what is no object, and for one that has a member twice.
    pub fn read(value: Json<'a>, names: [&'static str; N], place: Place) -> Result<Fields<'a, N>> {
        if !value.is_object() {
            return Err(place.error("expected an object"));
        }
        let mut fields = Fields {
            place,
            names,
            values: [None; N],
            unknown: BTreeSet::new(),
        };
        for (name, value) in value.members() {
            let Some(at) = names.iter().position(|known| *known == name) else {
                fields.unknown.insert(name.into_owned());
                continue;
            };
            if fields.values[at].replace(value).is_some() {
                return Err(fields.place.error(format_args!("duplicate field `{name}`")));
            }
        }
        Ok(fields)
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        let at = self.names.iter().position(|known| *known == name)?;
        self.values.get(at).copied().flatten()
    }

    pub fn required(&self, name: &str) -> Result<Json<'a>> {
        self.get(name)
            .ok_or_else(|| self.place.error(format_args!("missing field `{name}`")))
    }

    pub fn text(&self, name: &str) -> Result<Cow<'a, str>> {
        let value = self.required(name)?;
        value.as_str().ok_or_else(|| self.wrong(name, "a string"))
    }

    /// A string, or `None` where it is absent or `null`.
    pub fn optional_text(&self, name: &str) -> Result<Option<Cow<'a, str>>> {
        match self.get(name).filter(|value| !value.is_null()) {
            Some(value) => value
                .as_str()
                .map(Some)
                .ok_or_else(|| self.wrong(name, "a string or null")),
            None => Ok(None),
        }
    }

    /// An integer; 0 where it is absent.
    pub fn integer(&self, name: &str) -> Result<i64> {
        match self.get(name) {
            Some(value) => value
                .text()
                .parse()
                .map_err(|_| self.wrong(name, "an integer of 64 bits")),
            None => Ok(0),
        }
    }

    pub fn unsigned(&self, name: &str) -> Result<u64> {
        match self.get(name) {
            Some(value) => value
                .as_u64()
                .ok_or_else(|| self.wrong(name, "an integer from 0 to 2^64 - 1")),
            None => Ok(0),
        }
    }

    pub fn object(&self, name: &str) -> Result<Json<'a>> {
        let value = self.required(name)?;
        match value.is_object() {
            true => Ok(value),
            false => Err(self.wrong(name, "an object")),
        }
    }

    /// An array, or `None` where it is absent.
    pub fn array(&self, name: &str) -> Result<Option<Json<'a>>> {
        match self.get(name) {
            Some(value) if value.is_array() => Ok(Some(value)),
            Some(_) => Err(self.wrong(name, "an array")),
            None => Ok(None),
        }
    }

    pub fn wrong(&self, name: &str, expected: &str) -> Error {
        self.place
            .error(format_args!("`{name}` must be {expected}"))
    }
}
