"""The official Python SDK 1.x: its client and its server, in 1.0 and in 0.3."""

import asyncio

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)
from google.protobuf.json_format import MessageToDict, ParseDict
import httpx
from starlette.applications import Starlette

from calls import listen, serve_calls

clients = []


async def connect(url, binding, version):
    """Finds the agent by its card, and speaks one binding and version only."""
    http = httpx.AsyncClient(timeout=30)
    card = await A2ACardResolver(http, url).get_agent_card()
    chosen = [
        one for one in card.supported_interfaces if one.protocol_binding == binding and one.protocol_version == version
    ]
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(chosen)
    config = {"httpx_client": http, "supported_protocol_bindings": [binding]}
    clients.append(
        {
            streaming: ClientFactory(ClientConfig(streaming=streaming, **config)).create(card)
            for streaming in (True, False)
        }
    )
    return {"client": len(clients) - 1, "agentName": card.name}


async def send(client, request):
    async for event in clients[client][False].send_message(ParseDict(request, SendMessageRequest())):
        return MessageToDict(event)


async def stream(client, request):
    async for event in clients[client][True].send_message(ParseDict(request, SendMessageRequest())):
        yield MessageToDict(event)


async def get(client, id):
    return MessageToDict(await clients[client][False].get_task(GetTaskRequest(id=id)))


async def cancel(client, id):
    return MessageToDict(await clients[client][False].cancel_task(CancelTaskRequest(id=id)))


async def subscribe(client, id):
    async for event in clients[client][True].subscribe(SubscribeToTaskRequest(id=id)):
        yield MessageToDict(event)


async def set_push_config(client, id, url):
    config = TaskPushNotificationConfig(task_id=id, id="mine", url=url)
    return (await clients[client][False].create_task_push_notification_config(config)).url


async def delete_push_config(client, id):
    request = DeleteTaskPushNotificationConfigRequest(task_id=id, id="mine")
    await clients[client][False].delete_task_push_notification_config(request)


class Scripted(AgentExecutor):
    """Does what `foreign-server.ts` expects, by the text of the message."""

    def __init__(self):
        self.canceled = {}

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        if text == "greet":
            await event_queue.enqueue_event(
                Message(message_id="greeting", role=Role.ROLE_AGENT, parts=[Part(text="Good morning.")])
            )
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        say = lambda words: updater.new_agent_message([Part(text=words)])
        await updater.start_work()
        if context.current_task is not None:
            await updater.add_artifact([Part(text=f"Booked a train to {text}.")], name="ticket", last_chunk=True)
        elif text == "report":
            for i, chunk in enumerate(["One, ", "two, ", "three."]):
                await updater.add_artifact(
                    [Part(text=chunk)], artifact_id="report", name="report.txt", append=i > 0, last_chunk=i == 2
                )
        elif text == "file":
            image = Part(raw=bytes([0x89, 0x50, 0x4E, 0x47, 1, 2, 3]), media_type="image/png", filename="image.png")
            await updater.add_artifact([image], name="image.png", last_chunk=True)
        elif text == "wait":
            await updater.start_work(say("Waiting…"))
            canceled = self.canceled[context.task_id] = asyncio.Event()
            await canceled.wait()
            return
        elif text == "book":
            await updater.requires_input(say("Which city?"))
            return
        else:
            await updater.add_artifact([Part(text=text)], name="echo", last_chunk=True)
        await updater.complete()

    async def cancel(self, context, event_queue):
        self.canceled[context.task_id].set()
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def serve(binding, version):
    """Serves the scripted agent on a free port, in one binding and version."""

    def create(url):
        card = AgentCard(
            name="Scripted",
            description="Does what it is told.",
            version="1.0.0",
            default_input_modes=["text/plain"],
            default_output_modes=["text/plain"],
            capabilities=AgentCapabilities(streaming=True, push_notifications=True),
            skills=[AgentSkill(id="do", name="Do", description="Does it.", tags=["test"])],
            supported_interfaces=[AgentInterface(url=url, protocol_binding=binding, protocol_version=version)],
        )
        handler = DefaultRequestHandler(
            agent_executor=Scripted(),
            task_store=InMemoryTaskStore(),
            agent_card=card,
            push_config_store=InMemoryPushNotificationConfigStore(),
        )
        has_03 = version == "0.3"
        routes = create_agent_card_routes(card)
        if binding == "JSONRPC":
            routes += create_jsonrpc_routes(handler, "/", enable_v0_3_compat=has_03)
        else:
            routes += create_rest_routes(handler, enable_v0_3_compat=has_03)
        return Starlette(routes=routes)

    return await listen(create)


serve_calls(
    {
        "connect": connect,
        "send": send,
        "stream": stream,
        "get": get,
        "cancel": cancel,
        "subscribe": subscribe,
        "setPushConfig": set_push_config,
        "deletePushConfig": delete_push_config,
        "serve": serve,
    }
)
