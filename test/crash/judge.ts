import { isDeepStrictEqual } from 'node:util';

import { artifactsOf, artifactUpdateOf, taskOf } from '../../src/engine/replay/event-body.ts';
import { ArtifactFold } from '../../src/model/artifact-fold.ts';
import type { Artifact } from '../../src/model/artifact.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { canTransition, isTerminal } from '../../src/model/state.ts';
import type { Task, TaskStatus } from '../../src/model/task.ts';
import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import type { Store, TaskEvent } from '../../src/store/store.ts';
import { OWNER } from './client.ts';
import { judgePushes } from './judge-pushes.ts';
import { readTraces, type Steps } from './judge-steps.ts';
import { isShared, openStore } from './open-store.ts';
import { programOf } from './programs.ts';
import type { Findings, Item, Known } from './session.ts';

/** Errands that are judged together, for there are thousands after ten minutes. */
const AT_ONCE = 32;

/**
 * Holds what the processes of a session have acknowledged against what is stored after the last of them, and says
 * everything that does not agree. To be called when all errands have come to their end.
 */
export async function judge(session: Findings): Promise<readonly string[]> {
  const steps = readTraces(session.traces());
  const problems = [...session.troubles, ...steps.problems];
  const store = openStore(session.database);
  try {
    const all = [...session.known.values()];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE).map(async (known) => {
        const found = await judgeErrand(store, known, steps.values);
        return found.map((problem) => `${known.operationCall.key} (${known.operationCall.kind}): ${problem}`);
      });
      problems.push(...(await Promise.all(some)).flat());
    }
    const tasks = [...session.known.values()].filter(
      ({ operationCall }) => programOf(operationCall.kind).end !== undefined,
    );
    const { total } = await store.list(OWNER, { limit: 1 });
    if (total !== tasks.length) problems.push(`${total} tasks are stored, ${tasks.length} were asked for`);
  } finally {
    await store.close();
  }
  problems.push(...(await judgePushes(session)));
  return isShared(session.database) ? problems : [...problems, ...damage(session.database)];
}

async function judgeErrand(store: Store, known: Known, values: Steps['values']): Promise<readonly string[]> {
  const { operationCall, taskIds } = known;
  const { end, lastWord } = programOf(operationCall.kind);
  if (!known.hasEnded) return ['never came to its end'];
  if (end === undefined) return judgeReplies(known, lastWord);
  const [taskId = '', ...others] = taskIds;
  if (others.length > 0) return [`became several tasks: ${taskId}, ${others.join()}`];
  const stored = await store.read(OWNER, taskId, { artifacts: true });
  if (stored?.record.visible !== true) return [`task ${taskId} is lost`];
  const events = await store.events(taskId, 0, Infinity);
  const task = taskOf(stored);
  const text = textOfParts(task.status.message?.parts ?? []);
  return [
    ...when(task.status.state !== end, `ended as ${task.status.state}`),
    ...when(known.isCanceled && end !== 'TASK_STATE_CANCELED', 'was canceled'),
    ...when(lastWord !== undefined && text !== lastWord, `said ${text} at last`),
    ...when(stored.record.lastEvent !== events.length, `has ${stored.record.lastEvent} events, not ${events.length}`),
    ...when((await store.journal(taskId)).length > 0, 'has a journal after its end'),
    ...judgeEvents(events, task),
    ...judgeOutput(known, events, (step) => values.get(`${taskId}:${step}`) ?? 'no value'),
    ...when(
      !isDeepStrictEqual(artifactsOf(stored.artifacts ?? { tail: [] }), foldOf(events)),
      'has artifacts that its events do not tell of',
    ),
    ...[...known.views].flatMap(([reader, view]) => judgeView(reader, view, events)),
    ...judgeSightings(known, events, task),
    ...judgeMessages(known, task),
  ];
}

function judgeReplies({ replies }: Known, lastWord: string | undefined): readonly string[] {
  return replies.flatMap(({ messageId, parts }) => [
    ...when(messageId !== replies[0]?.messageId, 'was answered twice'),
    ...when(textOfParts(parts) !== lastWord, `was answered ${textOfParts(parts)}`),
  ]);
}

/** Numbered without a gap, every state reached in a legal way, nothing after the end, nothing said twice. */
function judgeEvents(events: readonly TaskEvent[], task: Task): readonly string[] {
  const statuses = statusesOf(events).map(({ status }) => status);
  const words = statuses.flatMap(({ message }) => (message === undefined ? [] : [textOfParts(message.parts)]));
  return [
    ...when(
      events.some(({ number }, i) => number !== i + 1),
      'has events with a gap, a double or out of order',
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
    ...when(new Set(words).size < words.length, `said twice: ${words.join()}`),
  ];
}

/** Each piece of each artifact is there once, with the values of the steps that were recorded. */
function judgeOutput(
  { operationCall }: Known,
  events: readonly TaskEvent[],
  value: (step: string) => string,
): readonly string[] {
  const { gives, mayLack = [], isCorrected = false } = programOf(operationCall.kind);
  const given: Record<string, string[]> = {};
  // A correction holds a whole artifact, of which the texts are joined.
  const pieces = isCorrected
    ? foldOf(events)
    : events.filter(({ kind }) => kind === 'artifact').map((event) => artifactUpdateOf(event).artifact);
  for (const { artifactId, parts } of pieces) (given[artifactId] ??= []).push(textOfParts(parts));
  const expected = Object.entries(gives(value))
    .filter(([name]) => name in given || !mayLack.includes(name))
    .map(([name, texts]) => [name, isCorrected ? [texts.join('')] : texts] as const);
  const agrees = isDeepStrictEqual(given, Object.fromEntries(expected));
  return when(!agrees, `gave ${JSON.stringify(given)} instead of ${JSON.stringify(Object.fromEntries(expected))}`);
}

/** What a subscriber saw is a piece of the log, over all restarts. */
function judgeView(reader: string, view: readonly Item[], events: readonly TaskEvent[]): readonly string[] {
  return view.flatMap(({ number, body, task }, i) => {
    const before = view[i - 1];
    if (task !== undefined) {
      const { status, artifacts = [] } = task;
      const upTo = events.slice(0, number);
      return [
        ...when(before !== undefined, `${reader} saw the whole task after ${before?.number}`),
        ...when(
          !isDeepStrictEqual(statusesOf(upTo).at(-1)?.status, status),
          `${reader} saw a false status at ${number}`,
        ),
        ...when(!isDeepStrictEqual(foldOf(upTo), artifacts), `${reader} saw false artifacts at ${number}`),
      ];
    }
    const expected = before === undefined ? 1 : before.number + 1;
    return [
      ...when(number !== expected, `${reader} saw event ${number} instead of ${expected}`),
      ...when(body !== events[number - 1]?.body, `${reader} saw ${body} as ${number}, which is another event`),
    ];
  });
}

function judgeSightings({ seen, held, views }: Known, events: readonly TaskEvent[], task: Task): readonly string[] {
  const statuses = statusesOf(events);
  const open = held.find(({ status }) => !isDeepStrictEqual(status, held[0]?.status) || isTerminal(status.state));
  return [
    ...seen.flatMap((one) => [
      ...when(
        !statuses.some(({ status }) => isDeepStrictEqual(status, one.status)),
        `was seen as ${JSON.stringify(one.status)}, of which no event tells`,
      ),
      ...when(
        isTerminal(one.status.state) && !isDeepStrictEqual({ ...one, history: task.history }, task),
        `has changed after its end: ${JSON.stringify(one)} became ${JSON.stringify(task)}`,
      ),
    ]),
    ...when(open !== undefined, `had an open question which became ${JSON.stringify(open?.status)}`),
    ...when(views.get('own')?.at(-1)?.number !== events.length, 'has events that its client never saw'),
  ];
}

function judgeMessages({ operationCall, accepted }: Known, { history = [] }: Task): readonly string[] {
  const ids = history.map(({ messageId }) => messageId);
  const lost = [operationCall.key, ...accepted].filter((id) => !ids.includes(id));
  return [
    ...when(new Set(ids).size < ids.length, `has a message twice: ${ids.join()}`),
    ...when(lost.length > 0, `has lost ${lost.join()}`),
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

/** What SQLite itself says of its file. */
function damage(path: string): readonly string[] {
  const database = loadDriver()(path);
  try {
    const rows = database.prepare('PRAGMA integrity_check').all();
    return when(!isDeepStrictEqual(rows, [['ok']]), `The file is damaged: ${JSON.stringify(rows)}`);
  } finally {
    database.close();
  }
}

function when(holds: boolean, problem: string): readonly string[] {
  return holds ? [problem] : [];
}
