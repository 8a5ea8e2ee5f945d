"""The floor of the adapter benchmarks: a DAP client that does no more than the job needs.

Takes one job as JSON (the fields of `Job` in benches/ratios/job.rs) and prints one JSON object of figures. It reads with
large buffers, decodes each message once and waits for nothing that the job does not depend on.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time

clock = time.perf_counter


class Client:
    """One adapter, over its standard streams or a port of its own."""

    def __init__(self, argv, banner, children=False):
        self.began = clock()
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        if banner:
            line = b""
            while not line.endswith(b"\n"):
                line += os.read(self.process.stdout.fileno(), 4096)
            host, port = line.decode().rsplit(None, 1)[-1].rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.source = self.sink = self.socket.fileno()
        else:
            self.source, self.sink = self.process.stdout.fileno(), self.process.stdin.fileno()
        self.held = bytearray()
        self.at = 0
        self.sent = 0
        self.lines = 0
        # Where children are wanted, who speaks with each.
        self.children = [] if children else None

    def child(self, configuration):
        """One session of a child, with nothing asked of it, to its end."""
        to = configuration["connect"]
        connection = socket.create_connection((to["host"], to["port"]))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        child = Client.__new__(Client)
        child.source = child.sink = connection.fileno()
        child.held, child.at, child.sent, child.lines, child.children = bytearray(), 0, 0, 0, None
        child.ask("initialize", clientID="floor", adapterID="debugpy", pathFormat="path")
        child.send("attach", **configuration)
        child.event("initialized")
        child.send("configurationDone")
        child.event("terminated")
        child.ask("disconnect")

    def message(self):
        while True:
            end = self.held.find(b"\r\n\r\n", self.at)
            if end >= 0:
                length = int(self.held[self.at : end].lower().split(b"content-length:")[1].split(b"\r")[0])
                if len(self.held) >= end + 4 + length:
                    body = bytes(self.held[end + 4 : end + 4 + length])
                    self.at = end + 4 + length
                    if self.at > 1 << 20:
                        del self.held[: self.at]
                        self.at = 0
                    return json.loads(body)
            more = os.read(self.source, 1 << 18)
            if not more:
                raise EOFError("the adapter closed the connection")
            self.held += more

    def write(self, message):
        self.sent += 1
        body = json.dumps({"seq": self.sent, **message}, separators=(",", ":")).encode()
        os.write(self.sink, b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.sent

    def send(self, command, **arguments):
        return self.write({"type": "request", "command": command, "arguments": arguments})

    def until(self, wanted):
        while True:
            message = self.message()
            kind = message["type"]
            if kind == "event" and message["event"] == "output":
                body = message["body"]
                if body.get("category") == "stdout":
                    self.lines += body["output"].count("\n")
            elif kind == "request" and message["command"] == "startDebugging" and self.children is not None:
                child = threading.Thread(target=self.child, args=(message["arguments"]["configuration"],))
                child.start()
                self.children.append(child)
                granted = {"request_seq": message["seq"], "command": "startDebugging", "success": True}
                self.write({"type": "response", **granted})
            elif kind == "request":
                refusal = {"request_seq": message["seq"], "command": message["command"], "success": False}
                self.write({"type": "response", **refusal})
            if wanted(message):
                return message

    def ask(self, command, **arguments):
        number = self.send(command, **arguments)
        answer = self.until(lambda m: m["type"] == "response" and m["request_seq"] == number)
        if not answer["success"]:
            raise RuntimeError(f"{command} failed: {answer.get('message')} {answer.get('body')}")
        return answer.get("body")

    def event(self, *names):
        return self.until(lambda m: m["type"] == "event" and m["event"] in names).get("body")

    def elapsed(self):
        return (clock() - self.began) * 1000

    def state(self, thread):
        frames = self.ask("stackTrace", threadId=thread, startFrame=0, levels=20)["stackFrames"]
        scopes = self.ask("scopes", frameId=frames[0]["id"])["scopes"]
        own = [s for s in scopes if s.get("presentationHint") in ("locals", "arguments")] or scopes[:1]
        variables = [self.ask("variables", variablesReference=s["variablesReference"])["variables"] for s in own]
        return frames, [variable for group in variables for variable in group]


def launch(job):
    tree = job["task"] == "tree"
    client = Client(job["argv"], job["banner"], tree)
    client.ask(
        "initialize",
        clientID="floor",
        adapterID=job["adapter"],
        linesStartAt1=True,
        columnsStartAt1=True,
        pathFormat="path",
        supportsVariableType=True,
        supportsVariablePaging=True,
        supportsStartDebuggingRequest=tree,
    )
    client.send("launch", program=job["program"], args=job["args"], cwd=job["cwd"], **job["launch"])
    client.event("initialized")
    if job["line"]:
        lines = [{"line": job["line"]}]
        client.ask("setBreakpoints", source={"path": job["source"]}, breakpoints=lines)
    client.send("configurationDone")
    return client


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def steps(job, client, thread):
    client.ask("setBreakpoints", source={"path": job["source"]}, breakpoints=[])
    times = []
    for _ in range(job["count"]):
        time.sleep(job["pause_ms"] / 1000)
        began = clock()
        client.send("next", threadId=thread)
        client.event("stopped")
        client.state(thread)
        times.append((clock() - began) * 1000)
    return {"step_p50_ms": percentile(times, 0.5), "step_p95_ms": percentile(times, 0.95)}


def page(job, client, variables):
    parent = next(v for v in variables if v["name"] == "numbers")
    time.sleep(job["pause_ms"] / 1000)
    began = clock()
    asked = {"variablesReference": parent["variablesReference"], "filter": "indexed", "start": 0, "count": 100}
    found = client.ask("variables", **asked)["variables"]
    return {"page_ms": (clock() - began) * 1000, "page": len(found)}


def run(job):
    client = launch(job)
    if job["task"] == "flood":
        client.until(lambda m: client.lines >= job["count"] or m.get("event") == "terminated")
        figures = {"flood_ms": client.elapsed(), "lines": client.lines}
    elif job["task"] == "tree":
        client.event("exited")
        figures = {"tree_ms": client.elapsed(), "children": len(client.children)}
    else:
        thread = client.event("stopped")["threadId"]
        frames, variables = client.state(thread)
        figures = {"state_ms": client.elapsed(), "frames": len(frames), "variables": len(variables)}
        if job["task"] == "steps":
            figures.update(steps(job, client, thread))
            figures["total_ms"] = client.elapsed()
        else:
            figures.update(page(job, client, variables))
    client.send("disconnect", terminateDebuggee=True)
    try:
        client.process.wait(3)
    except subprocess.TimeoutExpired:
        client.process.kill()
    return figures


print(json.dumps(run(json.loads(sys.argv[1]))))
