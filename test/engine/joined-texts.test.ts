/** The chunks of a streamed text are one part in the stored task and in snapshots; events keep the chunks. */
import { describe, expect, test } from 'vitest';
import { artifactsOf } from '../../src/engine/replay/event-body.ts';
import type { Artifact } from '../../src/model/artifact.ts';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, bodies, collect, harness, until, VARIANTS } from './harness.ts';
import { fakePushTransport, hookAt } from './fake-push-transport.ts';

const JOINED = [{ artifactId: 'response', name: 'response', parts: [{ text: 'Hello world' }] }];

describe.each(VARIANTS)('$name', (variant) => {
  test('a task shows the chunks of a text as one part in responses, lists, subscriptions and notifications', async () => {
    const gate = deferred<void>();
    const pushTransport = fakePushTransport();
    const { task, engine } = await harness(
      async function* run() {
        yield 'Hello ';
        yield 'wor';
        await gate.promise;
        yield 'ld';
      },
      { variant, pushTransport },
    );
    const { id } = await task('go', { returnImmediately: true, pushConfig: hookAt('hook') });
    await until(async () => artifactText(await engine.get(ANN, id)) === 'Hello wor');
    const subscription = collect(engine.subscribe(ANN, id));
    gate.resolve();
    const [first] = bodies(await subscription);
    expect(first).toMatchObject({ task: { artifacts: [{ parts: [{ text: 'Hello wor' }] }] } });

    expect((await engine.get(ANN, id)).artifacts).toEqual(JOINED);
    const { tasks } = await engine.list(ANN, { limit: 10, artifacts: true });
    expect(tasks.map(({ artifacts }) => artifacts)).toEqual([JOINED]);
    expect(bodies(await collect(engine.subscribe(ANN, id)))).toMatchObject([{ task: { artifacts: JOINED } }]);
    await until(() => pushTransport.deliveries.some(({ event }) => event.body.includes('COMPLETED')));
    expect((await pushTransport.deliveries.at(-1)?.taskView())?.artifacts).toEqual(JOINED);
  });

  test('events keep the chunks of a text that the stored task shows as one part', async () => {
    const { task, engine, store } = await harness(
      async function* run() {
        yield 'Hello ';
        yield 'world';
      },
      { variant },
    );
    const done = await task('go');
    const events = bodies(await collect(engine.subscribe(ANN, done.id, { after: 0 })));
    const chunks = events.flatMap((event) => ('artifactUpdate' in event ? [event.artifactUpdate.artifact.parts] : []));
    expect(chunks).toEqual([[{ text: 'Hello ' }], [{ text: 'world' }]]);
    const stored = await store.read(ANN, done.id, { artifacts: true });
    expect(JSON.parse(stored?.artifacts?.snapshot ?? '[]')).toEqual(JOINED);
  });
});

test('a task that an earlier version stored with a part per chunk is shown with one part', () => {
  const stored: Artifact[] = [
    { artifactId: 'response', name: 'response', parts: [{ text: 'Hello ' }, { text: 'wor' }] },
  ];
  const snapshot = JSON.stringify(stored);
  const artifact = { artifactId: 'response', parts: [{ text: 'ld' }] };
  const body = JSON.stringify({ artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true } });
  expect(artifactsOf({ snapshot, tail: [] })).toMatchObject([{ parts: [{ text: 'Hello wor' }] }]);
  expect(artifactsOf({ snapshot, tail: [{ number: 9, kind: 'artifact', body }] })).toEqual(JOINED);
});
