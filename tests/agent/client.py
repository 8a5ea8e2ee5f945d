"""A client of `omp-debug mcp` over standard input and output, as coding agents have one; what it reads is counted."""

import json
import os
import subprocess

NAME = {"name": "scripted-agent", "version": "1"}


class Refused(Exception):
    """A tool said no."""


class Client:
    def __init__(self, binary, folder, environment):
        self.calls = 0
        self.read = 0
        self.seen = []
        self.number = 0
        self.server = subprocess.Popen(
            [binary, "mcp", "--permission", "auto"],
            cwd=folder, env=environment, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": NAME}
        greeting = self.request("initialize", hello)
        self.send("notifications/initialized", {})
        tools = self.request("tools/list", {})["tools"]
        self.tools = {tool["name"] for tool in tools}
        # What a model is told once a session, before it calls anything.
        self.once = len(greeting.get("instructions", "")) + len(json.dumps(tools))

    def send(self, method, params, **more):
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        while True:
            line = self.server.stdout.readline()
            if not line:
                raise SystemExit(f"the server has gone: {self.server.stderr.read()}")
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise Refused(f"{method}: {message['error']}")
                return message["result"]

    def call(self, tool, **arguments):
        """Calls a tool; gives its text, which is what a model reads."""
        assert tool in self.tools, f"{tool} is not offered"
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        self.calls += 1
        self.read += len(text.encode())
        self.seen.append(text)
        if os.environ.get("AGENT_SHOW"):
            print(f"--- {tool} {json.dumps(arguments)}\n{text}\n--- structured: {json.dumps(result.get('structuredContent'))}\n")
        if result.get("isError"):
            raise Refused(f"{tool} {arguments}: {text}")
        return text

    def close(self):
        """Ends as clients do: nothing more comes, and the server goes."""
        self.server.stdin.close()
        self.server.stdout.close()
        errors = self.server.stderr.read()
        self.server.stderr.close()
        if self.server.wait(timeout=30) != 0:
            raise SystemExit(f"the server ended with {self.server.returncode}: {errors}")
