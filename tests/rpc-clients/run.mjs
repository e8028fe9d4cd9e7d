// Works through the commands of one client against a fresh store.
//
//   node run.mjs pi16|pi73 '["session-tree", "--db", "<a new file>", "rpc"]'
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const [which, words] = process.argv.slice(2);
const PACKAGES = {
  pi16: "@earendil-works/pi-coding-agent",
  pi73: "@mariozechner/pi-coding-agent",
};
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { RpcClient } = await import(here(`./node_modules/${PACKAGES[which]}/dist/modes/rpc/rpc-client.js`));

const client = new RpcClient({
  cliPath: here("./server.cjs"),
  provider: "some-provider",
  model: "some-model",
  env: { SESSION_TREE_RPC: words },
});
const events = [];
client.onEvent((event) => events.push(event));
await client.start();

// An empty store: a session that is there in name.
const empty = await client.getState();
assert.equal(empty.messageCount, 0);
assert.equal(typeof empty.sessionId, "string");
assert.deepEqual(await client.getMessages(), []);

// The agents have no command that writes; the server's own go over the same connection.
const data = async (request) => {
  const answer = await client.send(request);
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data;
};
const say = (role, content) => data({ type: "append_message", message: { role, content, timestamp: 1 } });
await say("user", "hello\u2028there");
await say("assistant", [{ type: "text", text: "hi" }]);
await say("user", "more");
const { nodeId: last } = await say("assistant", [{ type: "text", text: "done" }]);

const state = await client.getState();
assert.equal(state.sessionId, empty.sessionId);
assert.equal(state.messageCount, 4);
assert.equal(state.isStreaming, false);
const messages = await client.getMessages();
assert.equal(messages[0].content, "hello\u2028there");
assert.equal(await client.getLastAssistantText(), "done");
const stats = await client.getSessionStats();
assert.deepEqual([stats.userMessages, stats.assistantMessages, stats.totalMessages], [2, 2, 4]);
await client.setSessionName("  a title ");
assert.equal((await client.getState()).sessionName, "a title");
assert.ok(events.some((event) => event.name === "a title"), "a new title is an event");

const forks = await client.getForkMessages();
const ofUsers = forks.filter((fork) => fork.role === undefined || fork.role === "user");
assert.deepEqual(ofUsers.map((fork) => fork.text), ["hello\u2028there", "more"]);

if (client.getTree) {
  const tree = await client.getTree();
  const [root] = tree.roots ?? tree.tree;
  assert.equal(tree.leafId, last);
  assert.equal((root.entry ?? root).parentId, null);
  assert.equal(root.children.length, 1);
}
if (client.getEntries) {
  const all = await client.getEntries();
  assert.equal(all.entries.length, 4);
  assert.equal(all.leafId, last);
  const rest = await client.getEntries(all.entries[2].id);
  assert.deepEqual(rest.entries.map((entry) => entry.id), [last]);
  await assert.rejects(client.getEntries("nowhere"), /Entry not found: nowhere/);
}

// Two at once are told apart by their ids.
const [one, other] = await Promise.all([client.getSessionStats(), client.getState()]);
assert.equal(one.sessionId, other.sessionId);

// A command that is not known fails at once, not after the client's 30 seconds.
const unknown = await client.send({ type: "no_such_command" });
assert.deepEqual([unknown.success, unknown.error], [false, "Unknown command: no_such_command"]);

// A fork is a session of its own, and the connection goes there; the path in the state leads back.
const fork = await client.fork(ofUsers[1].entryId);
assert.equal(fork.text, "more");
const forked = await client.getState();
assert.notEqual(forked.sessionId, state.sessionId);
assert.equal(forked.messageCount, 2);
assert.equal((await client.switchSession(state.sessionFile)).cancelled, false);
assert.equal((await client.getState()).sessionId, state.sessionId);
if (client.clone) assert.equal((await client.clone()).cancelled, false);
assert.equal((await client.newSession()).cancelled, false);
assert.equal((await client.getState()).messageCount, 0);

await client.stop();
console.log(`${which}: ok`);
