import type { Courier, Delivery } from '../engine/delivery.ts';
import { traceHeaders } from '../observe/trace-context.ts';
import type { Notification, PushSender } from '../push/sender.ts';
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
  // An event is stored in the words of 1.0 already.
  const body = dialect.pushesWholeTasks
    ? JSON.stringify(dialect.webhook.encode({ task: renameTask(await taskView(), alias) }))
    : event.body;
  return {
    id,
    taskId: alias ?? task.id,
    config: config.config,
    mediaType: dialect.mediaType,
    body,
    trace: traceHeaders(trace),
  };
}
