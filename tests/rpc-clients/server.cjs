// The clients start `node <this file> --mode rpc [...]`. It starts the server that SESSION_TREE_RPC names (a JSON array of
// words), hands it these arguments too, and gives it its own streams, signals and exit code.
const { spawn } = require("node:child_process");

const [program, ...words] = JSON.parse(process.env.SESSION_TREE_RPC);
const server = spawn(program, [...words, ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code, signal) => process.exit(signal ? 128 : code));
