#!/usr/bin/env python3
"""A client of `session-tree rpc` with nothing but the standard library.

    python3 examples/client.py SESSION_TREE_PROGRAM STORE_FILE
    python3 examples/client.py unix:SOCKET

It appends a question and an answer, repeats a request whose answer it takes for lost, tells a stale writer, moves back, and
prints the messages of both branches.
"""
import json
import socket
import subprocess
import sys


class RpcError(Exception):
    def __init__(self, answer):
        super().__init__(answer["error"])
        self.code = answer["code"]
        self.retryable = answer["retryable"]


class Client:
    """One connection. Answers come in the order of the requests; events that come between are kept in `events`."""

    def __init__(self, *words):
        if words[0].startswith("unix:"):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(words[0][len("unix:"):])
            self.input = connection.makefile("wb")
            self.output = connection.makefile("rb")
            self.process = None
        else:
            program, store = words
            self.process = subprocess.Popen(
                [program, "--db", store, "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.input, self.output = self.process.stdin, self.process.stdout
        self.last_id = 0
        self.events = []
        self.call("hello", client="client.py")

    def call(self, command, **fields):
        self.last_id += 1
        request = {"id": self.last_id, "type": command, **fields}
        self.input.write(json.dumps(request).encode() + b"\n")
        self.input.flush()
        # Reading a binary file line by line ends lines at LF and nowhere else, as the protocol has it.
        for line in self.output:
            message = json.loads(line)
            if message["type"] != "response":
                self.events.append(message)
            elif message.get("id") == self.last_id:
                if not message["success"]:
                    raise RpcError(message)
                return message.get("data")
        raise ConnectionError("the server is gone")

    def close(self):
        self.input.close()
        if self.process:
            self.process.wait()


def main():
    client = Client(*sys.argv[1:])
    client.call("new_session", name="from Python")
    question = client.call("append_message", message={"role": "user", "content": "Which file first?"})["nodeId"]
    answer = {"role": "assistant", "content": "Start with store.rs."}
    # With an id of its own and the leaf it goes on from, a request can be sent again: the node is there once.
    for _ in range(2):
        client.call("append_message", message=answer, nodeId="answer-1", expectedLeaf=question)
    try:
        client.call("append_message", message={"role": "user", "content": "I saw no answer"}, expectedLeaf=question)
    except RpcError as error:
        print(f"stale: {error.code}")
    kept = client.call("rewind", nodeId=question)["preservedBranch"]
    client.call("append_message", message={"role": "assistant", "content": "Start with the schema."})
    for branch in [None, kept]:
        messages = client.call("linear_projection", **({"branch": branch} if branch else {}))["messages"]
        print(f"{branch or 'active'}: " + " | ".join(message["content"] for message in messages))
    client.close()


if __name__ == "__main__":
    main()
