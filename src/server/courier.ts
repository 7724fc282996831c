import type { Courier, Delivery } from '../engine/delivery.ts';
import type { StreamResponse } from '../model/event.ts';
import type { Task } from '../model/task.ts';
import { mayHoldUnknownMembers } from '../model/unknown-members.ts';
import { traceHeaders } from '../observe/trace-context.ts';
import type { Notification, PushSender } from '../push/sender.ts';
import type { Dialect } from '../wire/dialect.ts';
import { renameTask } from './aliases.ts';
import { decodeRegistrant } from './registrant.ts';

/** Joins the engine, which knows when to tell, with the sender, which knows how, by the dialect of who is told. */
export function createCourier(sender: Pick<PushSender, 'send'>): Courier {
  return {
    wants: ({ kind }, { dialect }) => kind !== 'artifact' || !decodeRegistrant(dialect).dialect.pushesWholeTasks,
    deliver: async (delivery, signal) => sender.send(await notificationOf(delivery), signal),
  };
}

async function notificationOf({ id, task, config, event, taskView, trace }: Delivery): Promise<Notification> {
  const { dialect, alias } = decodeRegistrant(config.dialect);
  const body = dialect.pushesWholeTasks
    ? JSON.stringify(dialect.webhook.encode({ task: renameTask(await taskAt(event, taskView), alias) }))
    : bodyOf1(event, dialect);
  return {
    id,
    taskId: alias ?? task.id,
    config: config.config,
    mediaType: dialect.mediaType,
    body,
    trace: traceHeaders(trace),
  };
}

/** An event is stored in the 1.0 format, except for the unknown members of messages, which only a whole task has. */
function bodyOf1({ kind, body }: Delivery['event'], { webhook }: Dialect): string {
  if (kind !== 'task' || !mayHoldUnknownMembers(body)) return body;
  return JSON.stringify(webhook.encode(JSON.parse(body) as StreamResponse));
}

/** The task as it is now, in the state that the event tells: who is told late is told of each state all the same. */
async function taskAt({ body }: Delivery['event'], taskView: Delivery['taskView']): Promise<Task> {
  const told = JSON.parse(body) as StreamResponse;
  if ('task' in told) return told.task;
  const task = await taskView();
  return 'statusUpdate' in told ? { ...task, status: told.statusUpdate.status } : task;
}
