"""selectools: its A2AClient, and its A2AServer around an agent that echoes."""

from calls import listen, serve_calls
from selectools import Agent, AgentConfig, tool
from selectools.a2a import A2AClient
from selectools.providers.stubs import LocalProvider
from selectools.serve import A2AServer


async def discover(url):
    """The name of the card, and the ids of its skills."""
    card = await A2AClient(url).discover()
    return {"name": card.name, "skills": [skill.id for skill in card.skills]}


async def send(url, text, token=None):
    """Sends a task, and reads it again by its id."""
    client = A2AClient(url, auth_token=token)
    task = await client.send_task(text)
    again = await client.get_task(task.id)
    return {"state": task.state, "text": task.text, "error": task.error, "again": again.state}


@tool()
def summarize(text: str) -> str:
    """Summarize a text"""
    return text


class Provider(LocalProvider):
    """Echoes, or fails."""

    def complete(self, *, messages, **options):
        if messages[-1].content == "fail":
            raise RuntimeError("broken")
        return super().complete(messages=messages, **options)


async def serve(token=None):
    """Serves the agent on a free port."""
    agent = Agent(tools=[summarize], provider=Provider(), config=AgentConfig(name="researcher", max_retries=0))
    return await listen(lambda _: A2AServer(agent=agent, auth_token=token, description="Echoes"))


serve_calls({"discover": discover, "send": send, "serve": serve})
