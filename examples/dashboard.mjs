// Shows the sessions of a store and the tree of one, and follows it while agents work. Node 20, no packages.
//
//   node examples/dashboard.mjs SESSION_TREE_PROGRAM STORE_FILE [--once]
//   node examples/dashboard.mjs unix:SOCKET [--once]
import { spawn } from "node:child_process";
import { connect } from "node:net";

const words = process.argv.slice(2).filter((word) => word !== "--once");
const once = process.argv.includes("--once");

function open([first, store]) {
  if (first.startsWith("unix:")) {
    const socket = connect(first.slice("unix:".length));
    return { input: socket, output: socket };
  }
  const server = spawn(first, ["--db", store, "rpc", "--read-only"], { stdio: ["pipe", "pipe", "inherit"] });
  return { input: server.stdin, output: server.stdout };
}

class Client {
  #input;
  #waiting = new Map();
  #lastId = 0;
  onEvent = () => {};

  constructor({ input, output }) {
    this.#input = input;
    let rest = "";
    output.setEncoding("utf8");
    output.on("data", (text) => {
      // Only LF ends a line. (readline would cut at U+2028 too; the server escapes it for those who use that.)
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) this.#take(JSON.parse(line));
    });
    output.on("end", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the server is gone"));
    });
  }

  #take(message) {
    if (message.type !== "response") return this.onEvent(message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.success) waiting?.resolve(message.data);
    else waiting?.reject(new Error(message.error));
  }

  call(type, fields = {}) {
    const id = ++this.#lastId;
    this.#input.write(JSON.stringify({ id, type, ...fields }) + "\n");
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  close() {
    this.#input.end();
  }
}

// What a terminal would take for a command is shown as a dot.
const safe = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "·");

function draw(nodes, leafId) {
  const children = new Map();
  for (const node of nodes) {
    const parent = node.parentId ?? null;
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(node);
  }
  const known = new Set(nodes.map((node) => node.id));
  const roots = nodes.filter((node) => !known.has(node.parentId));
  // A stack, not recursion: a long talk is a deep tree.
  const stack = roots.map((node) => [node, 0]).reverse();
  while (stack.length > 0) {
    const [node, level] = stack.pop();
    const mark = node.id === leafId ? " <- you are here" : "";
    const label = node.label ? ` (${safe(node.label)})` : "";
    console.log(`${"  ".repeat(level)}${safe(node.id)} ${safe(node.role ?? node.type)}: ${safe(node.preview)}${label}${mark}`);
    const below = children.get(node.id) ?? [];
    const deeper = below.length > 1 ? level + 1 : level;
    for (const child of [...below].reverse()) stack.push([child, deeper]);
  }
}

async function wholeTree(client) {
  const nodes = [];
  let page;
  do {
    page = await client.call("get_tree", { flat: true, limit: 5000, ...(page ? { cursor: page.nextCursor } : {}) });
    nodes.push(...page.nodes);
  } while (page.nextCursor);
  return { nodes, leafId: page.leafId, asOf: page.asOf };
}

const client = new Client(open(words));
const { sessions } = await client.call("list_all_sessions");
for (const session of sessions) {
  console.log(`${session.modified}  ${session.messageCount} messages  ${safe(session.name ?? session.firstMessage).slice(0, 60)}`);
}
const { nodes, leafId, asOf } = await wholeTree(client);
draw(nodes, leafId);
if (once) {
  client.close();
} else {
  client.onEvent = (event) => {
    for (const { node, operation } of event.changes ?? []) {
      if (node) console.log(`+ ${safe(node.id)} ${safe(node.role ?? node.type)}: ${safe(node.preview)}`);
      else console.log(`* ${operation.verb} by ${safe(operation.actor)}`);
    }
  };
  // From where the tree was read on, so that nothing between the two is missed.
  await client.call("subscribe", { since: asOf });
}
