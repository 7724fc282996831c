/** Tests of a store with databases that earlier versions have written. */
import { describe, expect, onTestFinished, test } from 'vitest';

import { agent } from '../../src/agent/agent.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import type { Part } from '../../src/model/part.ts';
import type { Task } from '../../src/model/task.ts';
import { type AgentHandler, createHandler } from '../../src/server/handler.ts';
import type { Store } from '../../src/store/store.ts';
import { type Clock, clockOf } from '../../src/support/time/clock.ts';
import { startReceiver } from '../e2e/push/receiver.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { agentOptions } from './agent.ts';
import { Caller, type CallerName, CHOSEN_ID, type NumberedEvent, TOKENS, type Transition } from './caller.ts';
import { readRecording, type RecordedTask, type StoreKind, VERSIONS, WEBHOOK_ORIGIN } from './database.ts';

/** How long after the kill the database is opened: sleeps and retries are due, and events are still kept. */
const LATER_MS = 600_000;

/**
 * Opens a copy of the database of a version, until the test ends.
 *
 * @param webhook The origin of the receiver of push notifications, in place of the one in the database.
 */
export type OpenCopy = (version: string, clock: Clock, webhook: string) => Promise<Store>;

/** The agent on a copy of a database. */
interface Upgraded {
  readonly handler: AgentHandler;
  /** The messages of all warnings and errors in the log. */
  warnings(): readonly string[];
  caller(name: CallerName): Caller;
  /** The names of all recorded tasks. */
  readonly names: readonly string[];
  recorded(name: string): RecordedTask;
  /** The names of the steps that have run for a task. */
  stepsOf(id: string): readonly string[];
}

interface Ended {
  readonly task: Task;
  /** The events after the last one that was recorded. */
  readonly events: readonly NumberedEvent[];
}

interface Continued {
  readonly name: string;
  readonly title: string;
  /** The message of the caller, if the task is paused. */
  readonly answer?: string | Part;
  /** The steps that run in the new process. */
  readonly steps: readonly string[];
  /** The texts of the artifacts at the end. */
  readonly artifacts: Readonly<Record<string, string>>;
  /** The texts of the artifact events after the upgrade. */
  readonly chunks?: readonly string[];
  readonly state?: Task['status']['state'];
}

const CONTINUED: readonly Continued[] = [
  {
    name: 'interrupted',
    title: 'a task that was killed in a step continues after its recorded steps, and replaces the output of the step',
    steps: ['second'],
    artifacts: { report: 'one two three new four', response: 'first old, failing old failed, second new' },
    chunks: ['one two three new ', 'four', 'first old, failing old failed, second new'],
  },
  {
    name: 'retried',
    title: 'a task that was killed between two attempts of a step runs the step again, and publishes no output twice',
    steps: ['fetch'],
    artifacts: { attempts: 'attempt 1', response: 'fetch new' },
    chunks: ['fetch new'],
  },
  {
    name: 'corrected',
    title: 'a task that was killed after a retry had replaced output publishes only what follows',
    steps: ['write'],
    artifacts: { report: 'one two three', response: 'write new' },
    chunks: ['three', 'write new'],
  },
  {
    name: 'inbox',
    title: 'a task reads the message that waited in its inbox',
    steps: [],
    artifacts: { response: 'listening, before old, hello' },
  },
  {
    name: 'answered',
    title: 'a task whose question was answered does not ask it again',
    steps: ['paint'],
    artifacts: { response: 'paint new blue' },
  },
  {
    name: 'recorded',
    title: 'a task continues after the steps, answers, sleeps and messages of its second turn',
    steps: ['last'],
    artifacts: {
      response:
        'first turn, 0 messages, slept, now, hello, one two, ' +
        'generate old, left old, right old, outer old inner old, draft old, last new',
      draft: 'draft 2',
    },
  },
  {
    name: 'canceling',
    title: 'a task that was killed while its handler cleaned up ends as canceled',
    steps: [],
    artifacts: { response: 'begun', cleanup: 'begun' },
    state: 'TASK_STATE_CANCELED',
  },
  {
    name: 'queued',
    title: 'a task that waited for a slot runs',
    steps: ['only'],
    artifacts: { response: 'only new' },
  },
  {
    name: 'sleeping',
    title: 'a task whose sleep has ended continues',
    steps: ['after'],
    artifacts: { response: 'before old, after new' },
  },
  paused('text', 'an open question takes a text as its answer', 'Rome', '"Rome"'),
  paused('confirm', 'a question for yes or no takes its answer', 'yes', 'true'),
  paused('choose', 'a question with options takes the label of an option', 'Medium', '"M"'),
  paused('form', 'a form takes its fields', { data: { city: 'Rome', floor: 3 } }, '{"city":"Rome","floor":3}'),
  paused('schema', 'a question with a schema takes a value', '12', '12'),
  {
    name: 'expired',
    title: 'a question whose time is up ends without an answer',
    steps: ['after'],
    artifacts: { response: 'after new QuestionExpiredError' },
  },
  {
    name: 'turns',
    title: 'the second turn of a task starts with its message',
    answer: 'turns Rome',
    steps: ['prepare'],
    artifacts: { response: 'prepare old, prepare new, Rome, 3 messages' },
  },
];

/** A task that waits for an answer between two steps. */
function paused(name: string, title: string, answer: string | Part, received: string): Continued {
  return { name, title, answer, steps: ['after'], artifacts: { response: `before old, ${received}, after new` } };
}

export function describeUpgrades(kind: StoreKind, open: OpenCopy): void {
  describe.each(VERSIONS)('a database of %s', (version) => {
    test.each(CONTINUED.map((task) => [task.title, task] as const))('%s', async (_, expected) => {
      const { name, answer, steps, artifacts, chunks, state = 'TASK_STATE_COMPLETED' } = expected;
      const upgraded = await upgrade(version);
      const ann = upgraded.caller('ann');
      const recorded = upgraded.recorded(`ann ${name}`);

      if (answer !== undefined) await ann.send(answer, { taskId: recorded.task.id });
      const { task, events } = await ended(ann, recorded);

      expect(task.status.state).toBe(state);
      expect(textsOf(task)).toEqual(artifacts);
      expect(upgraded.stepsOf(task.id)).toEqual(steps);
      if (chunks !== undefined) expect(chunksOf(events)).toEqual(chunks);
      expect(upgraded.warnings()).toEqual([]);
      // No number is missing or repeated, and those of the old process have not changed.
      const all = await collect(ann.events(task.id, 0));
      expect(all.map(({ number }) => number)).toEqual(all.map((_, i) => i + 1));
      expect(all).toEqual([...recorded.events, ...events]);
    });

    test('a task that waits for a credential continues with it', async () => {
      const upgraded = await upgrade(version);
      const recorded = upgraded.recorded('ann authorize');
      await upgraded.handler.authorize({ taskId: recorded.task.id, callerId: 'ann' }, 'secret');

      const { task } = await ended(upgraded.caller('ann'), recorded);

      expect(textsOf(task)).toEqual({ response: 'before old, "secret", after new' });
      expect(upgraded.stepsOf(task.id)).toEqual(['after']);
    });

    test('a question rejects an answer that does not fit, and stays open', async () => {
      const upgraded = await upgrade(version);
      const ann = upgraded.caller('ann');
      const recorded = upgraded.recorded('ann choose');
      await expect(ann.send('XL', { taskId: recorded.task.id })).rejects.toThrow('INVALID_PARAMS');

      expect(await ann.get(recorded.task.id)).toEqual(recorded.task);
      await ann.send('S', { taskId: recorded.task.id });
      expect(textsOf((await ended(ann, recorded)).task)).toEqual({ response: 'before old, "S", after new' });
    });

    test('tasks that have ended are read as they were, with their events and state changes', async () => {
      const upgraded = await upgrade(version);
      const ann = upgraded.caller('ann');
      for (const name of ['completed', 'failed', 'rejected', 'canceled', 'notified']) {
        const { task, events } = upgraded.recorded(`ann ${name}`);
        expect(await ann.get(task.id)).toEqual(task);
        expect(await collect(ann.events(task.id, 0))).toEqual(events);
        expect(await ann.transitions(task.id)).toEqual(transitionsOf(events));
      }
    });

    test('ended and paused tasks are listed as they were, each to its caller', async () => {
      const upgraded = await upgrade(version);
      const bobs = [upgraded.recorded('bob completed').task, upgraded.recorded('bob confirm').task];
      const anns = upgraded.names.filter((name) => name.startsWith('ann '));

      const [ofBob, ofAnn] = await Promise.all([upgraded.caller('bob').list(), upgraded.caller('ann').list()]);

      expect(ofBob.tasks).toEqual(bobs.map((task) => ({ artifacts: [], ...task })));
      expect(ofAnn.tasks.map(({ id }) => id).toSorted()).toEqual(
        anns.map((name) => upgraded.recorded(name).task.id).toSorted(),
      );
      for (const { id } of bobs) await expect(upgraded.caller('ann').get(id)).rejects.toThrow('TASK_NOT_FOUND');
    });

    test('a caller of version 0.1 answers the task by the id that it chose', async () => {
      const cleo = (await upgrade(version)).caller('cleo');

      expect((await cleo.getOld(CHOSEN_ID)).status.state).toBe('input-required');
      const { status, artifacts } = await cleo.sendOld(CHOSEN_ID, 'yes');
      expect(status.state).toBe('completed');
      expect(artifacts?.[0]?.parts).toEqual([{ type: 'text', text: 'before old, true, after new' }]);
    });

    test('a message that was sent before the upgrade returns its task when it is sent again', async () => {
      const upgraded = await upgrade(version);
      const ann = upgraded.caller('ann');
      const before = await ann.list();
      const idOf = (name: string): string => upgraded.recorded(`ann ${name}`).task.id;

      const byKey = await ann.send('completed', { idempotencyKey: 'key-of-completed' });
      const unfinished = await ann.send('sleeping', { idempotencyKey: 'key-of-sleeping' });
      const byMessageId = await ann.send('confirm');
      const answer = await ann.send('blue', { taskId: idOf('answered') });
      const reused = ann.send('failed', { idempotencyKey: 'key-of-completed' });

      expect(byKey).toEqual(upgraded.recorded('ann completed').task);
      expect([unfinished.id, byMessageId.id, answer.id]).toEqual(['sleeping', 'confirm', 'answered'].map(idOf));
      await expect(reused).rejects.toThrow('INVALID_PARAMS');
      expect((await ann.list()).tasks).toHaveLength(before.tasks.length);
    });

    test('push notifications that were not delivered are delivered in order, each once', async () => {
      const receiver = await startReceiver();
      const upgraded = await upgrade(version, receiver.origin);
      const { events } = upgraded.recorded('ann notified');

      await receiver.until(events.length);
      await upgraded.handler.close();

      expect(receiver.received.map(({ json }) => json)).toEqual(events.map(({ event }) => event));
    });
  });

  async function upgrade(version: string, webhook = WEBHOOK_ORIGIN): Promise<Upgraded> {
    const { killedAt, tasks } = readRecording(version, kind);
    const offset = killedAt + LATER_MS - Date.now();
    const clock = clockOf(() => Date.now() + offset);
    const store = await open(version, clock, webhook);
    const steps: { readonly taskId: string; readonly step: string }[] = [];
    const options = agentOptions({
      name: 'new',
      hold: async () => {},
      onStep: (taskId, step) => void steps.push({ taskId, step }),
    });
    const log = recordingLog();
    const handler = createHandler(agent(options), {
      store,
      clock,
      auth: bearerTokens(TOKENS),
      pushNotifications: true,
      push: { allowPrivate: ['http://127.0.0.1:*'] },
      log,
    });
    onTestFinished(() => handler.close({ finishMs: 0 }));
    await handler.start();
    return {
      handler,
      warnings: () => log.lines.filter(({ level }) => level !== 'info').map(({ message }) => message),
      caller: (name) => new Caller(name, 'http://127.0.0.1', handler.fetch),
      recorded: (name) => tasks[name] ?? expect.fail(`No task of ${name} was recorded`),
      names: Object.keys(tasks),
      stepsOf: (id) => steps.filter(({ taskId }) => taskId === id).map(({ step }) => step),
    };
  }
}

/** Follows a task from the last recorded event to its end. */
async function ended(caller: Caller, { task: { id }, events: seen }: RecordedTask): Promise<Ended> {
  const events = await collect(caller.events(id, seen.length));
  return { task: await caller.get(id), events };
}

async function collect(events: AsyncIterable<NumberedEvent>): Promise<readonly NumberedEvent[]> {
  const all: NumberedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The state changes that are in the events of a task. */
function transitionsOf(events: readonly NumberedEvent[]): readonly Transition[] {
  const transitions: Transition[] = [];
  for (const { event } of events) {
    const holder = 'task' in event ? event.task : 'statusUpdate' in event ? event.statusUpdate : undefined;
    if (holder === undefined || holder.status.state === transitions.at(-1)?.state) continue;
    transitions.push({ state: holder.status.state, timestamp: holder.status.timestamp ?? '' });
  }
  return transitions;
}

/** The texts of the artifacts, by their ids. */
function textsOf({ artifacts = [] }: Task): Readonly<Record<string, string>> {
  return Object.fromEntries(artifacts.map(({ artifactId, parts }) => [artifactId, textOfParts(parts)]));
}

function chunksOf(events: readonly NumberedEvent[]): readonly string[] {
  return events.flatMap(({ event }) =>
    'artifactUpdate' in event ? [textOfParts(event.artifactUpdate.artifact.parts)] : [],
  );
}
