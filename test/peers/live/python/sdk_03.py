"""The official Python SDK 0.3: its client and its server."""

import asyncio

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentSkill,
    FilePart,
    FileWithBytes,
    Message,
    MessageSendConfiguration,
    Part,
    PushNotificationConfig,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)
from a2a.utils import new_agent_text_message, new_task
import httpx

from calls import listen, serve_calls

clients = []


async def connect(url, binding, version):
    """Finds the agent by its card, and speaks one binding only. It knows no version but 0.3."""
    http = httpx.AsyncClient(timeout=30)
    card = await A2ACardResolver(http, url).get_agent_card()
    config = {"httpx_client": http, "supported_transports": [binding]}
    clients.append(
        {
            streaming: ClientFactory(ClientConfig(streaming=streaming, **config)).create(card)
            for streaming in (True, False)
        }
    )
    return {"client": len(clients) - 1, "agentName": card.name}


def as_json(model):
    value = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    # Over REST the SDK reads a status without a message as one with an empty message.
    if value.get("status", {}).get("message", {}).get("messageId") == "":
        del value["status"]["message"]
    return value


def event_of(item):
    """The client yields messages, or the task so far with the update that came last."""
    if isinstance(item, Message):
        return as_json(item)
    task, update = item
    return as_json(task if update is None else update)


def message_of(request):
    configuration = request.get("configuration")
    return {
        "request": Message.model_validate(request["message"]),
        "configuration": MessageSendConfiguration.model_validate(configuration) if configuration else None,
    }


async def send(client, request):
    async for item in clients[client][False].send_message(**message_of(request)):
        return event_of(item)


async def stream(client, request):
    async for item in clients[client][True].send_message(**message_of(request)):
        yield event_of(item)


async def get(client, id):
    return as_json(await clients[client][False].get_task(TaskQueryParams(id=id)))


async def cancel(client, id):
    return as_json(await clients[client][False].cancel_task(TaskIdParams(id=id)))


async def subscribe(client, id):
    async for item in clients[client][True].resubscribe(TaskIdParams(id=id)):
        yield event_of(item)


async def set_push_config(client, id, url):
    config = TaskPushNotificationConfig(
        task_id=id, push_notification_config=PushNotificationConfig(id="mine", url=url)
    )
    return (await clients[client][False].set_task_callback(config)).push_notification_config.url


class Scripted(AgentExecutor):
    """Does what `foreign-server.ts` expects, by the text of the message."""

    def __init__(self):
        self.canceled = {}

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        if text == "greet":
            await event_queue.enqueue_event(new_agent_text_message("Good morning."))
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        say = lambda words: updater.new_agent_message([text_part(words)])
        await updater.start_work()
        if context.current_task is not None:
            await updater.add_artifact([text_part(f"Booked a train to {text}.")], name="ticket", last_chunk=True)
        elif text == "report":
            for i, chunk in enumerate(["One, ", "two, ", "three."]):
                await updater.add_artifact(
                    [text_part(chunk)], artifact_id="report", name="report.txt", append=i > 0, last_chunk=i == 2
                )
        elif text == "file":
            # 89 50 4E 47 01 02 03
            image = FilePart(file=FileWithBytes(bytes="iVBORwECAw==", mime_type="image/png", name="image.png"))
            await updater.add_artifact([Part(root=image)], name="image.png", last_chunk=True)
        elif text == "wait":
            await updater.start_work(say("Waiting…"))
            canceled = self.canceled[context.task_id] = asyncio.Event()
            await canceled.wait()
            return
        elif text == "book":
            await updater.requires_input(say("Which city?"), final=True)
            return
        else:
            await updater.add_artifact([text_part(text)], name="echo", last_chunk=True)
        await updater.complete()

    async def cancel(self, context, event_queue):
        self.canceled[context.task_id].set()
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def text_part(text):
    return Part(root=TextPart(text=text))


async def serve(binding, version):
    """Serves the scripted agent on a free port, over one binding."""

    def create(url):
        card = AgentCard(
            name="Scripted",
            description="Does what it is told.",
            version="1.0.0",
            url=url,
            preferred_transport=binding,
            default_input_modes=["text/plain"],
            default_output_modes=["text/plain"],
            capabilities=AgentCapabilities(streaming=True, push_notifications=True),
            skills=[AgentSkill(id="do", name="Do", description="Does it.", tags=["test"])],
        )
        handler = DefaultRequestHandler(
            agent_executor=Scripted(),
            task_store=InMemoryTaskStore(),
            push_config_store=InMemoryPushNotificationConfigStore(),
        )
        application = A2AStarletteApplication if binding == "JSONRPC" else A2ARESTFastAPIApplication
        return application(agent_card=card, http_handler=handler).build()

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
        "serve": serve,
    }
)
