/** What a stream says, in which order, and when it is over (1.0 §3.1.2, §3.1.6, §3.5.2). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { brief, getTask, holdTask, nextOf, restOf, streamEvents } from './kit/talk.ts';
import { NEWEST, RPC_01, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';

const STORY = ['working One', 'poem Roses ', 'notes Mind the thorns .', 'poem + are red .', 'working Two', 'completed'];

describe('a message stream', () => {
  test.each(SINCE_02)(verifies('T-01', '$name: is one message, and then the end'), async (voice) => {
    const server = await startServer();

    const events = await streamEvents(server, voice, { text: 'reply good day' });

    expect(events.map(brief)).toEqual(['message good day']);
  });

  test(verifies('T-01', '0.1 JSON-RPC: is the end of a task that says it'), async () => {
    const server = await startServer();

    const events = await streamEvents(server, RPC_01, { text: 'reply good day' });

    expect(events).toMatchObject([{ kind: 'status', state: 'completed', says: 'good day', final: true }]);
  });
});

describe('a task stream', () => {
  test.each(SINCE_02)(
    verifies(['T-02', 'T-03', 'T-05'], '$name: is the task, then updates in their order'),
    async (voice) => {
      const server = await startServer();

      const events = await streamEvents(server, voice, { text: 'story' });

      expect(events.map(brief)).toEqual(['task submitted', ...STORY]);
    },
  );

  test(verifies(['T-03', 'T-05'], '0.1 JSON-RPC: is updates only, for it has no word for the task'), async () => {
    const server = await startServer();

    const events = await streamEvents(server, RPC_01, { text: 'story' });

    expect(events.map(brief)).toEqual(['submitted', ...STORY]);
  });

  test.each(VOICES)(
    verifies(['T-04', 'T-13'], '$name: ends with the end of the task, which is the last word'),
    async (voice) => {
      const server = await startServer();

      for (const [text, state] of [
        ['hello', 'completed'],
        ['fail', 'failed'],
      ] as const) {
        const events = await streamEvents(server, voice, { text });
        const states = events.flatMap((event) => (event.kind === 'status' ? event.state : []));
        expect(events.at(-1)).toMatchObject({ kind: 'status', state });
        expect(states.filter((each) => each === state)).toHaveLength(1);
      }
    },
  );

  test.each(VOICES)(verifies('T-04', '$name: ends when the task is canceled'), async (voice) => {
    const server = await startServer();
    const { id, stream } = await holdTask(server, voice);

    await server.ask(voice.cancel(id));

    expect((await restOf(stream, voice)).map(brief)).toEqual(['canceled']);
  });

  test.each(VOICES.filter(({ version }) => version !== '1.0'))(
    verifies('T-04', '$name: says of each status whether it is the last word'),
    async (voice) => {
      const server = await startServer();

      const events = await streamEvents(server, voice, { text: 'story' });
      const asked = await streamEvents(server, voice, { text: 'ask' });

      const finals = events.flatMap((event) => (event.kind === 'status' ? event.final : []));
      expect(finals.slice(-3)).toEqual([false, false, true]);
      expect(asked.at(-1)).toMatchObject({ state: 'input-required', final: true });
    },
  );

  test.each(VOICES)('$name: ends where the agent asks something, and goes on with the answer', async (voice) => {
    const server = await startServer();

    const asked = await streamEvents(server, voice, { text: 'ask' });
    const last = asked.at(-1);
    const taskId = last?.kind === 'status' ? last.taskId : '';
    const answered = await streamEvents(server, voice, { text: 'Paris', taskId });

    expect(last).toMatchObject({ state: 'input-required', says: 'Which city?' });
    expect(answered.map(brief).slice(-2)).toEqual(['trip Off to Paris .', 'completed']);
  });

  test.each(NEWEST)(verifies('T-12', '$name: stays open while a login is wanted'), async (voice) => {
    const server = await startServer();
    const stream = await server.open(voice.stream({ text: 'authorize' }));
    const said = [await nextOf(stream, voice), await nextOf(stream, voice)];
    const [first] = said;
    const taskId = first?.kind === 'task' ? first.task.id : '';

    await server.server.handler.authorize({ taskId, callerId: 'anonymous' });

    expect([...said, ...(await restOf(stream, voice))].map(brief)).toEqual([
      'task submitted',
      'auth-required Please log in',
      expect.stringContaining('working'),
      'letter Welcome .',
      'completed',
    ]);
  });

  test.each(VOICES)(verifies('T-14', '$name: says at once how it goes, while the task works'), async (voice) => {
    const server = await startServer();

    const stream = await server.open(voice.stream({ text: 'hold on' }));
    const [first, second] = [await nextOf(stream, voice), await nextOf(stream, voice)];

    // The task holds: whatever came was sent before its end.
    expect(brief(first)).toMatch(/submitted$/);
    expect(brief(second)).toBe('working Holding');
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    server.release();
    expect((await restOf(stream, voice)).map(brief)).toEqual(['held on .', 'completed']);
  });

  test.each(SINCE_02)(verifies('T-15', '$name: each event names its task and its context'), async (voice) => {
    const server = await startServer();

    const [first, ...updates] = await streamEvents(server, voice, { text: 'story', contextId: 'our talk' });

    const id = first?.kind === 'task' ? first.task.id : '';
    expect(updates).toHaveLength(STORY.length);
    for (const update of updates) expect(update).toMatchObject({ taskId: id, contextId: 'our talk' });
  });

  test.each(VOICES)('$name: numbers its events from 1 without a gap, and folds to the task', async (voice) => {
    const server = await startServer();

    const { text } = await server.ask(voice.stream({ text: 'story' }));

    const events = eventsOf(text);
    expect(events.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    const folded: Record<string, string> = {};
    let taskId = '';
    for (const event of events.map((each) => voice.event(each))) {
      if (event.kind === 'status') ({ taskId } = event);
      if (event.kind === 'artifact') {
        folded[event.name] = (event.append ? (folded[event.name] ?? '') : '') + event.text;
      }
    }
    expect((await getTask(server, voice, taskId)).artifacts).toEqual(folded);
  });
});

describe('several streams of a task', () => {
  test.each(VOICES)(verifies(['T-06', 'T-07'], '$name: get the same events in the same order'), async (voice) => {
    const server = await startServer();
    const { id, stream } = await holdTask(server, voice);
    const others = await Promise.all([server.open(voice.subscribe(id)), server.open(voice.subscribe(id))]);
    const firsts = await Promise.all(others.map((other) => nextOf(other, voice)));

    server.release();
    const [own, ...rests] = await Promise.all([stream, ...others].map((each) => each.rest()));

    expect(firsts.map(brief)).toEqual(Array(2).fill(voice.version === '0.1' ? 'working Holding' : 'task working'));
    expect(own?.map((event) => brief(voice.event(event)))).toEqual(['held on .', 'completed']);
    for (const rest of rests) expect(rest).toEqual(own);
  });

  test(verifies('T-07', 'get them whatever version each of them speaks'), async () => {
    const server = await startServer();
    const { id } = await holdTask(server, RPC_1);
    const streams = await Promise.all(
      VOICES.map(async (voice) => ({ voice, stream: await server.open(voice.subscribe(id)) })),
    );
    for (const { voice, stream } of streams) await nextOf(stream, voice);

    server.release();

    for (const { voice, stream } of streams) {
      expect((await restOf(stream, voice)).map(brief)).toEqual(['held on .', 'completed']);
    }
  });

  test.each(VOICES)(verifies('T-08', '$name: end each for itself, and the task goes on'), async (voice) => {
    const server = await startServer();
    const { id, stream } = await holdTask(server, voice);
    const other = await server.open(voice.subscribe(id));
    await nextOf(other, voice);

    stream.leave();
    expect((await getTask(server, voice, id)).state).toBe('working');
    server.release();

    expect((await restOf(other, voice)).map(brief)).toEqual(['held on .', 'completed']);
    expect((await getTask(server, voice, id)).state).toBe('completed');
  });
});
