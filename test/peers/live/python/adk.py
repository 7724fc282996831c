"""Google ADK for Python: an agent that calls a remote agent, and an agent that is served."""

import warnings

# ADK calls its A2A support experimental on every use.
warnings.filterwarnings("ignore")

from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.events import Event
from google.adk.runners import InMemoryRunner
from google.genai import types

from calls import listen, serve_calls

runners = {}


async def open_session(url):
    """Opens a session whose only agent is the remote one."""
    agent = RemoteA2aAgent(name="remote", agent_card=f"{url}/.well-known/agent-card.json")
    runner = InMemoryRunner(agent=agent, app_name="live")
    session = await runner.session_service.create_session(app_name="live", user_id="ann")
    runners[session.id] = runner
    return session.id


async def run(session, text):
    """Runs one turn. Yields the texts of the events as they come."""
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for event in runners[session].run_async(user_id="ann", session_id=session, new_message=message):
        if event.error_message:
            raise RuntimeError(event.error_message)
        yield {"texts": texts_of(event), "partial": event.partial is True}


async def stored(session):
    """What the session has stored: author and texts of each event that has any."""
    found = await runners[session].session_service.get_session(app_name="live", user_id="ann", session_id=session)
    return [[event.author, *texts_of(event)] for event in found.events if texts_of(event)]


class Echo(BaseAgent):
    """Says what it was told."""

    async def _run_async_impl(self, ctx):
        text = "".join(part.text or "" for part in ctx.user_content.parts)
        content = types.Content(role="model", parts=[types.Part(text=f"You said: {text}")])
        yield Event(invocation_id=ctx.invocation_id, author=self.name, content=content)


async def serve():
    """Serves the echo on a free port."""

    def create(url):
        host, port = url.removeprefix("http://").split(":")
        return to_a2a(Echo(name="echo", description="Says what it was told."), host=host, port=int(port))

    return await listen(create)


def texts_of(event):
    parts = event.content.parts if event.content and event.content.parts else []
    return [part.text for part in parts if part.text]


serve_calls({"open": open_session, "run": run, "stored": stored, "serve": serve})
