//! Who answers here.

use super::{Answer, Connection};
use crate::rpc::methods::METHODS;
use crate::rpc::types::answers::HelloDto;
use crate::rpc::types::requests::Hello;

/// Grows when a message changes in a way that clients can notice.
const PROTOCOL: u32 = 1;

pub(in crate::rpc) fn hello(connection: &mut Connection, request: Hello) -> Answer<HelloDto> {
    // From now on it is this name that the audit trail and the holders of turns show.
    if let Some(client) = request.client.filter(|client| !client.trim().is_empty()) {
        connection.act_as(&client)?;
    }
    let options = &connection.server.options;
    Ok(HelloDto {
        protocol: PROTOCOL,
        server: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dialect: options.dialect.name().to_owned(),
        store_id: connection.store.id()?,
        commands: METHODS
            .iter()
            .filter(|method| options.allowed.contains(&method.access))
            .map(|method| method.name.to_owned())
            .collect(),
    })
}
