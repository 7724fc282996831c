import { isDeepStrictEqual } from 'node:util';

import { artifactsOf, artifactUpdateOf, taskOf } from '../../src/engine/replay/event-body.ts';
import { ArtifactFold } from '../../src/model/artifact-fold.ts';
import type { Artifact } from '../../src/model/artifact.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { isTerminal } from '../../src/model/state.ts';
import { canTransition } from '../helpers/transitions.ts';
import type { Task, TaskStatus } from '../../src/model/task.ts';
import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import type { JournalRecord, Store, TaskEvent } from '../../src/store/store.ts';
import { OWNER } from './client.ts';
import { checkPushes } from './check-pushes.ts';
import { readTraces, type Steps } from './step-traces.ts';
import { isShared, openStore } from './open-store.ts';
import { handlerOf } from './handlers.ts';
import type { SessionResult, Item, Observations } from './session.ts';

/** Requests that are checked concurrently. A long test has thousands of them. */
const CONCURRENCY = 32;

/**
 * Compares what the processes of a session have acknowledged with the store after the last process, and returns all
 * differences. Call it after a process that finishes all tasks.
 */
export async function checkSession(session: SessionResult): Promise<readonly string[]> {
  const steps = readTraces(session.traces());
  const problems = [...session.errors, ...steps.problems];
  const store = openStore(session.database);
  try {
    const all = [...session.observed.values()];
    for (let from = 0; from < all.length; from += CONCURRENCY) {
      const some = all.slice(from, from + CONCURRENCY).map(async (observed) => {
        const found = await checkRequest(store, observed, steps.values);
        return found.map((problem) => `${observed.request.key} (${observed.request.kind}): ${problem}`);
      });
      problems.push(...(await Promise.all(some)).flat());
    }
    const tasks = [...session.observed.values()].filter(({ request }) => handlerOf(request.kind).end !== undefined);
    const { total } = await store.list(OWNER, { limit: 1 });
    if (total !== tasks.length) problems.push(`${total} tasks are stored, ${tasks.length} were asked for`);
  } finally {
    await store.close();
  }
  problems.push(...(await checkPushes(session)));
  return isShared(session.database) ? problems : [...problems, ...corruption(session.database)];
}

async function checkRequest(store: Store, observed: Observations, values: Steps['values']): Promise<readonly string[]> {
  const { request, taskIds } = observed;
  const { end, lastText } = handlerOf(request.kind);
  if (!observed.hasEnded) return ['never ended'];
  if (end === undefined) return checkReplies(observed, lastText);
  const [taskId = '', ...others] = taskIds;
  if (others.length > 0) return [`became several tasks: ${taskId}, ${others.join()}`];
  const stored = await store.read(OWNER, taskId, { artifacts: true });
  if (stored?.record.visible !== true) return [`task ${taskId} is lost`];
  const events = await store.events(taskId, 0, Infinity);
  const task = taskOf(stored);
  const text = textOfParts(task.status.message?.parts ?? []);
  return [
    ...when(task.status.state !== end, `ended as ${task.status.state}`),
    ...when(observed.isCanceled && end !== 'TASK_STATE_CANCELED', 'was canceled'),
    ...when(lastText !== undefined && text !== lastText, `ended with the text ${text}`),
    ...when(stored.record.lastEvent !== events.length, `has ${stored.record.lastEvent} events, not ${events.length}`),
    ...checkJournal(await store.journal(taskId), stored.record.lastJournal),
    ...checkEvents(events, task),
    ...checkArtifacts(observed, events, (step) => values.get(`${taskId}:${step}`) ?? 'no value'),
    ...when(
      !isDeepStrictEqual(artifactsOf(stored.artifacts ?? { tail: [] }), foldOf(events)),
      'has artifacts that differ from its events',
    ),
    ...[...observed.views].flatMap(([subscriber, view]) => checkSubscriber(subscriber, view, events)),
    ...checkSnapshots(observed, events, task),
    ...checkMessages(observed, task),
  ];
}

function checkReplies({ replies }: Observations, lastText: string | undefined): readonly string[] {
  return replies.flatMap(({ messageId, parts }) => [
    ...when(messageId !== replies[0]?.messageId, 'got two different replies'),
    ...when(textOfParts(parts) !== lastText, `got the reply ${textOfParts(parts)}`),
  ]);
}

/** An ended task keeps the outline of its whole journal, and no values. */
function checkJournal(journal: readonly JournalRecord[], last: number): readonly string[] {
  return [
    ...when(journal.length !== last || journal.some(({ number }, i) => number !== i + 1), 'has lost journal entries'),
    ...when(
      journal.some(({ body }) => body !== null),
      'has values in its journal after its end',
    ),
    ...when(
      journal.some(({ outline }) => typeof outline?.['at'] !== 'number'),
      'has journal entries without a time',
    ),
  ];
}

/** Events are numbered without a gap, transitions are legal, nothing follows the end, and no status text is repeated. */
function checkEvents(events: readonly TaskEvent[], task: Task): readonly string[] {
  const statuses = statusesOf(events).map(({ status }) => status);
  const texts = statuses.flatMap(({ message }) => (message === undefined ? [] : [textOfParts(message.parts)]));
  return [
    ...when(
      events.some(({ number }, i) => number !== i + 1),
      'has events with a gap, twice or out of order',
    ),
    ...when(events[0]?.kind !== 'task', 'does not begin with its creation'),
    ...when(isTerminal(task.status.state) && events.at(-1)?.kind !== 'status', 'has events after its end'),
    ...when(!isDeepStrictEqual(statuses.at(-1), task.status), 'has another status than its last event'),
    ...statuses.slice(1).flatMap((status, i) => {
      const before = statuses[i] ?? status;
      return [
        ...when(!canTransition(before.state, status.state), `went from ${before.state} to ${status.state}`),
        ...when((before.timestamp ?? '') > (status.timestamp ?? ''), 'has a status that is older than the one before'),
      ];
    }),
    ...when(new Set(texts).size < texts.length, `published a status twice: ${texts.join()}`),
  ];
}

/** Each piece of each artifact is published once, with the recorded values of steps. */
function checkArtifacts(
  { request }: Observations,
  events: readonly TaskEvent[],
  value: (step: string) => string,
): readonly string[] {
  const { artifacts, optionalArtifacts = [], replacesPieces = false } = handlerOf(request.kind);
  const actual: Record<string, string[]> = {};
  // A handler that replaces pieces writes whole artifacts, so their texts are joined.
  const pieces = replacesPieces
    ? foldOf(events)
    : events.filter(({ kind }) => kind === 'artifact').map((event) => artifactUpdateOf(event).artifact);
  for (const { artifactId, parts } of pieces) (actual[artifactId] ??= []).push(textOfParts(parts));
  const expected = Object.entries(artifacts(value))
    .filter(([name]) => name in actual || !optionalArtifacts.includes(name))
    .map(([name, texts]) => [name, replacesPieces ? [texts.join('')] : texts] as const);
  const agrees = isDeepStrictEqual(actual, Object.fromEntries(expected));
  return when(
    !agrees,
    `published ${JSON.stringify(actual)} instead of ${JSON.stringify(Object.fromEntries(expected))}`,
  );
}

/** The items of a subscriber are a contiguous part of the log, over all restarts. */
function checkSubscriber(subscriber: string, view: readonly Item[], events: readonly TaskEvent[]): readonly string[] {
  return view.flatMap(({ number, body, task }, i) => {
    const before = view[i - 1];
    if (task !== undefined) {
      const { status, artifacts = [] } = task;
      const upTo = events.slice(0, number);
      return [
        ...when(before !== undefined, `${subscriber} received the whole task after ${before?.number}`),
        ...when(
          !isDeepStrictEqual(statusesOf(upTo).at(-1)?.status, status),
          `${subscriber} received a wrong status at ${number}`,
        ),
        ...when(!isDeepStrictEqual(foldOf(upTo), artifacts), `${subscriber} received wrong artifacts at ${number}`),
      ];
    }
    const expected = before === undefined ? 1 : before.number + 1;
    return [
      ...when(number !== expected, `${subscriber} received event ${number} instead of ${expected}`),
      ...when(body !== events[number - 1]?.body, `${subscriber} received ${body} as ${number}, which is another event`),
    ];
  });
}

function checkSnapshots(
  { seen, unanswered, views }: Observations,
  events: readonly TaskEvent[],
  task: Task,
): readonly string[] {
  const statuses = statusesOf(events);
  const open = unanswered.find(
    ({ status }) => !isDeepStrictEqual(status, unanswered[0]?.status) || isTerminal(status.state),
  );
  return [
    ...seen.flatMap((one) => [
      ...when(
        !statuses.some(({ status }) => isDeepStrictEqual(status, one.status)),
        `had the status ${JSON.stringify(one.status)}, which is not in any event`,
      ),
      ...when(
        isTerminal(one.status.state) && !isDeepStrictEqual({ ...one, history: task.history }, task),
        `has changed after its end: ${JSON.stringify(one)} became ${JSON.stringify(task)}`,
      ),
    ]),
    ...when(open !== undefined, `had an open question which became ${JSON.stringify(open?.status)}`),
    ...when(views.get('own')?.at(-1)?.number !== events.length, 'has events that its client never received'),
  ];
}

function checkMessages({ request, accepted }: Observations, { history = [] }: Task): readonly string[] {
  const ids = history.map(({ messageId }) => messageId);
  const lost = [request.key, ...accepted].filter((id) => !ids.includes(id));
  return [
    ...when(new Set(ids).size < ids.length, `has a message twice: ${ids.join()}`),
    ...when(lost.length > 0, `has lost the messages ${lost.join()}`),
  ];
}

function statusesOf(events: readonly TaskEvent[]): readonly { readonly number: number; readonly status: TaskStatus }[] {
  return events.flatMap(({ number, body }) => {
    const event = JSON.parse(body) as StreamResponse;
    if ('task' in event) return [{ number, status: event.task.status }];
    return 'statusUpdate' in event ? [{ number, status: event.statusUpdate.status }] : [];
  });
}

function foldOf(events: readonly TaskEvent[]): readonly Artifact[] {
  const fold = new ArtifactFold();
  for (const event of events) if (event.kind === 'artifact') fold.apply(artifactUpdateOf(event));
  return fold.artifacts();
}

/** The result of the integrity check of SQLite, if it is not `ok`. */
function corruption(path: string): readonly string[] {
  const database = loadDriver()(path);
  try {
    const rows = database.prepare('PRAGMA integrity_check').all();
    return when(!isDeepStrictEqual(rows, [['ok']]), `The database file is corrupt: ${JSON.stringify(rows)}`);
  } finally {
    database.close();
  }
}

function when(holds: boolean, problem: string): readonly string[] {
  return holds ? [problem] : [];
}
