"""The official Python SDK of MCP as a client of `omp-debug mcp`: lists the tools and uses them, over standard streams and HTTP, in both
revisions of the protocol. Prints a line for each; any failure is an exception.

    sdk.py OMP-DEBUG PROGRAM.py
"""

import asyncio
import json
import os
import subprocess
import sys

import httpx2
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client

LIMIT = 60


async def consent(_context, _asked):
    return types.ElicitResult(action="accept", content={"for": "once"})


async def use(client, program):
    """One session: a breakpoint, a launch that needs consent, a look, an end."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert names and len(names) == len(set(names)), names

    async def call(name, **arguments):
        answer = await client.call_tool("debug_" + name, arguments)
        text = "".join(part.text for part in answer.content)
        assert not answer.is_error, text
        return text

    await call("set_breakpoint", file=program, line=2)
    where = await call("launch", program=program)
    assert "Stopped at" in where, where
    assert "42" in await call("evaluate", expression="value * 2")
    assert "value" in await call("snapshot")
    await call("terminate")
    resources = await client.list_resources()
    return f"{len(names)} tools, {len(resources.resources)} resources"


async def stdio(binary, program, mode):
    server = StdioServerParameters(command=binary, args=["mcp", "--permission", "ask"], env=dict(os.environ))
    async with Client(server, mode=mode, elicitation_callback=consent, read_timeout_seconds=LIMIT) as client:
        print("stdio", mode, client.protocol_version, await use(client, program))


async def http(binary, program, mode):
    with subprocess.Popen([binary, "mcp", "--permission", "auto", "--http"], stdout=subprocess.PIPE, text=True) as server:
        try:
            said = json.loads(server.stdout.readline())
            with open(said["token_file"], encoding="utf-8") as file:
                token = file.read().strip()
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=LIMIT) as carrier:
                way = streamable_http_client(said["url"], http_client=carrier)
                async with Client(way, mode=mode, read_timeout_seconds=LIMIT) as client:
                    print("http", mode, client.protocol_version, await use(client, program))
        finally:
            server.terminate()


async def main(binary, program):
    for mode in ("legacy", "2026-07-28", "auto"):
        await stdio(binary, program, mode)
        await http(binary, program, mode)


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 4 * LIMIT))
