/** What a stream says, in which order, and when it is over (1.0 §3.1.2, §3.1.6, §3.5.2). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { brief, getTask, holdTask, nextOf, restOf, sendTask, streamEvents } from './kit/talk.ts';
import { NEWEST, RPC_01, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';

const STORY = ['working One', 'poem Roses ', 'notes Mind the thorns', 'poem + are red .', 'working Two', 'completed'];

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
    expect(answered.map(brief).slice(-2)).toEqual(['trip Off to Paris', 'completed']);
  });

  test.each(NEWEST)(verifies('T-12', '$name: stays open while a login is wanted'), async (voice) => {
    const server = await startServer();
    const stream = await server.open(voice.stream({ text: 'authorize' }));
    const said = [await nextOf(stream, voice), await nextOf(stream, voice)];
    const [first] = said;
    const taskId = first?.kind === 'task' ? first.task.id : '';

    const done = await sendTask(server, voice, { text: 'here I am', taskId });

    expect(done.state).toBe('completed');
    expect([...said, ...(await restOf(stream, voice))].map(brief)).toEqual([
      'task submitted',
      'auth-required Please log in',
      expect.stringContaining('working'),
      'letter Welcome',
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
    expect((await restOf(stream, voice)).map(brief)).toEqual(['held on', 'completed']);
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
    expect(own?.map((event) => brief(voice.event(event)))).toEqual(['held on', 'completed']);
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
      expect((await restOf(stream, voice)).map(brief)).toEqual(['held on', 'completed']);
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

    expect((await restOf(other, voice)).map(brief)).toEqual(['held on', 'completed']);
    expect((await getTask(server, voice, id)).state).toBe('completed');
  });
});

describe('a subscription', () => {
  test.each(SINCE_02)(verifies('T-09', '$name: starts with the task as it is'), async (voice) => {
    const server = await startServer();
    const { id } = await holdTask(server, voice, { contextId: 'our talk' });

    const stream = await server.open(voice.subscribe(id));
    const first = await nextOf(stream, voice);
    server.release();
    const rest = await restOf(stream, voice);

    expect(first).toMatchObject({
      kind: 'task',
      task: { id, contextId: 'our talk', state: 'working', says: 'Holding', history: ['user: hold on'] },
    });
    expect(rest.map(brief)).toEqual(['held on', 'completed']);
  });

  test.each(NEWEST)(verifies(['T-04', 'T-09'], '$name: of 1.0 lasts over questions, to the end'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'ask' });
    const stream = await server.open(voice.subscribe(id));
    const first = await nextOf(stream, voice);

    await sendTask(server, voice, { text: 'Paris', taskId: id });

    expect(brief(first)).toBe('task input-required');
    expect((await restOf(stream, voice)).map(brief).slice(-2)).toEqual(['trip Off to Paris', 'completed']);
  });

  test.each(VOICES.filter(({ version }) => version !== '1.0'))(
    '$name: before 1.0 is over where the task asks something',
    async (voice) => {
      const server = await startServer();
      const { id } = await sendTask(server, voice, { text: 'ask' });

      const { text } = await server.ask(voice.subscribe(id));

      expect(eventsOf(text)).toHaveLength(1);
      expect(text).toMatch(/input.required/i);
    },
  );

  test.each(NEWEST)(verifies('T-10', '$name: to a finished task is refused'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'hello' });

    const answer = await server.ask(voice.subscribe(id));

    expect(answer.headers['content-type']).toMatch(/json$/);
    expect(voice.error(answer)).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      status: voice.binding === 'REST' ? 400 : 200,
    });
  });

  test.each(SINCE_02.filter(({ version }) => version !== '1.0'))(
    '$name: before 1.0, to a finished task is the task and the end',
    async (voice) => {
      const server = await startServer();
      const { id } = await sendTask(server, voice, { text: 'hello' });

      const { text } = await server.ask(voice.subscribe(id));

      const events = eventsOf(text).map((event) => voice.event(event));
      expect(events).toMatchObject([{ kind: 'task', task: { id, state: 'completed', artifacts: { echo: 'hello' } } }]);
    },
  );

  test.each(VOICES)(verifies('T-11', '$name: to an unknown task is refused'), async (voice) => {
    const server = await startServer();

    const fresh = await server.ask(voice.subscribe('no-such-task'));
    const back = voice.subscribe('no-such-task');
    const again = await server.ask({ ...back, headers: { ...back.headers, 'last-event-id': '3' } });

    for (const answer of [fresh, again]) {
      expect(voice.error(answer)).toMatchObject({
        reason: 'TASK_NOT_FOUND',
        status: voice.binding === 'REST' ? 404 : 200,
      });
    }
  });

  test.each(VOICES)('$name: with the number of the last event is the rest of the stream', async (voice) => {
    const server = await startServer();
    const { text } = await server.ask(voice.stream({ text: 'story' }));
    const all = eventsOf(text);
    const last = voice.event(all.at(-1) ?? { id: '', name: '', json: {} });
    const ask = voice.subscribe(last.kind === 'status' ? last.taskId : '');

    const rest = await server.ask({ ...ask, headers: { ...ask.headers, 'last-event-id': '3' } });

    expect(eventsOf(rest.text)).toEqual(all.slice(3));
  });

  test('may be asked for by GET over REST, as the protocol definition has it', async () => {
    const server = await startServer();
    const { id } = await holdTask(server, RPC_1);

    const stream = await server.open({ method: 'GET', path: `/tasks/${id}:subscribe` });
    const first = await stream.next();
    server.release();
    await stream.rest();

    expect(first?.json).toMatchObject({ task: { id, status: { state: 'TASK_STATE_WORKING' } } });
  });
});
