import { isDeepStrictEqual } from 'node:util';
import type { StreamResponse } from '../../src/model/event.ts';
import { applyEvent } from '../../src/model/fold.ts';
import type { Task } from '../../src/model/task.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import type { ResumingClient } from './resuming-client.ts';

/** Describes how the events that a client received differ from the log; undefined if they do not. */
export function differenceFromLog(
  { format, start, events, faults }: ResumingClient,
  log: readonly TaskEvent[],
): string | undefined {
  const client = `${format.name}, ${events.length} events after ${start?.number ?? 0}`;
  if (faults.length > 0) return `${client}: ${faults.join('; ')}`;
  if (start !== undefined) {
    const { artifacts, status } = foldUpTo(log, start.number) ?? {};
    if (!isDeepStrictEqual([start.task.artifacts, start.task.status], [artifacts, status]))
      return `${client}: began with another task than the log has at ${start.number}`;
  }
  const expected = log.slice(start?.number ?? 0);
  if (events.length !== expected.length) return `${client}: the log has ${expected.length}`;
  const wrong = events.findIndex(({ number, item }, i) => {
    const event = expected[i];
    return event === undefined || number !== event.number || !isDeepStrictEqual(item, JSON.parse(event.body));
  });
  return wrong < 0 ? undefined : `${client}: event ${events[wrong]?.number} is ${JSON.stringify(events[wrong]?.item)}`;
}

function foldUpTo(log: readonly TaskEvent[], number: number): Task | undefined {
  let task: Task | undefined;
  for (const { body } of log.slice(0, number)) {
    const event = JSON.parse(body) as StreamResponse;
    if (task !== undefined) task = applyEvent(task, event);
    else if ('task' in event) ({ task } = event);
  }
  return task;
}
