"""Serves the calls that program.ts writes to stdin, one JSON object a line."""

import asyncio
import inspect
import json
import socket
import sys
import threading

import uvicorn


def serve_calls(handlers):
    """Runs until stdin ends. A handler is a coroutine function, or an async generator function that yields events."""
    asyncio.run(_serve(handlers))


async def _serve(handlers):
    loop = asyncio.get_running_loop()
    lines = asyncio.Queue()

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, json.loads(line))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    running = {}
    while (line := await lines.get()) is not None:
        if line["call"] == "leave":
            if line["id"] in running:
                running[line["id"]].cancel()
            continue
        task = asyncio.create_task(_run(line["id"], handlers[line["call"]], line["args"]))
        running[line["id"]] = task
        task.add_done_callback(lambda _, id=line["id"]: running.pop(id))


async def _run(id, handler, args):
    try:
        if inspect.isasyncgenfunction(handler):
            async for event in handler(**args):
                _write(id, "event", event)
            _write(id, "result", None)
        else:
            _write(id, "result", await handler(**args))
    except Exception as error:
        _write(id, "error", {"name": type(error).__name__, "message": str(error)})


def _write(id, member, value):
    # Compact: program.ts recognises a line by how it begins.
    print(json.dumps({"id": id, member: value}, separators=(",", ":")), flush=True)


async def listen(create):
    """Serves the ASGI application that `create(url)` returns on a free port of the loopback. Returns its address."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(create(url), log_level="warning"))
    # Kept, because asyncio holds tasks weakly.
    _servers.add(asyncio.create_task(server.serve(sockets=[sock])))
    while not server.started:
        await asyncio.sleep(0.01)
    return url


_servers = set()
