pub(crate) mod model;
