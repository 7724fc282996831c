/** Streams: their events, the order of events, and when they end (1.0 §3.1.2, §3.1.6, §3.5.2). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { brief, getTask, holdTask, nextOf, restOf, streamEvents } from './kit/tasks.ts';
import { FORMATS_1, RPC_01, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';

const STORY = ['working One', 'poem Roses ', 'notes Mind the thorns .', 'poem + are red .', 'working Two', 'completed'];

describe('the stream of a reply without a task', () => {
  test.each(FORMATS_SINCE_02)(verifies('T-01', '$name: has one message and ends'), async (format) => {
    const server = await startServer();

    const events = await streamEvents(server, format, { text: 'reply good day' });

    expect(events.map(brief)).toEqual(['message good day']);
  });

  test(verifies('T-01', '0.1 JSON-RPC: has the final status of a task with the reply as its text'), async () => {
    const server = await startServer();

    const events = await streamEvents(server, RPC_01, { text: 'reply good day' });

    expect(events).toMatchObject([{ kind: 'status', state: 'completed', statusText: 'good day', final: true }]);
  });
});

describe('the stream of a task', () => {
  test.each(FORMATS_SINCE_02)(
    verifies(['T-02', 'T-03', 'T-05'], '$name: has the task first, and then updates in order'),
    async (format) => {
      const server = await startServer();

      const events = await streamEvents(server, format, { text: 'story' });

      expect(events.map(brief)).toEqual(['task submitted', ...STORY]);
    },
  );

  test(verifies(['T-03', 'T-05'], '0.1 JSON-RPC: has only updates, because 0.1 has no task event'), async () => {
    const server = await startServer();

    const events = await streamEvents(server, RPC_01, { text: 'story' });

    expect(events.map(brief)).toEqual(['submitted', ...STORY]);
  });

  test.each(WIRE_FORMATS)(
    verifies(['T-04', 'T-13'], '$name: ends with the final status of the task, which occurs once'),
    async (format) => {
      const server = await startServer();

      for (const [text, state] of [
        ['hello', 'completed'],
        ['fail', 'failed'],
      ] as const) {
        const events = await streamEvents(server, format, { text });
        const states = events.flatMap((event) => (event.kind === 'status' ? event.state : []));
        expect(events.at(-1)).toMatchObject({ kind: 'status', state });
        expect(states.filter((each) => each === state)).toHaveLength(1);
      }
    },
  );

  test.each(WIRE_FORMATS)(verifies('T-04', '$name: ends when the task is canceled'), async (format) => {
    const server = await startServer();
    const { id, stream } = await holdTask(server, format);

    await server.ask(format.cancel(id));

    expect((await restOf(stream, format)).map(brief)).toEqual(['canceled']);
  });

  test.each(WIRE_FORMATS.filter(({ version }) => version !== '1.0'))(
    verifies('T-04', '$name: marks the last status, and no other, as final'),
    async (format) => {
      const server = await startServer();

      const events = await streamEvents(server, format, { text: 'story' });
      const asked = await streamEvents(server, format, { text: 'ask' });

      const finals = events.flatMap((event) => (event.kind === 'status' ? event.final : []));
      expect(finals.slice(-3)).toEqual([false, false, true]);
      expect(asked.at(-1)).toMatchObject({ state: 'input-required', final: true });
    },
  );

  test.each(WIRE_FORMATS)('$name: ends with a question, and the stream of the answer has the rest', async (format) => {
    const server = await startServer();

    const asked = await streamEvents(server, format, { text: 'ask' });
    const last = asked.at(-1);
    const taskId = last?.kind === 'status' ? last.taskId : '';
    const answered = await streamEvents(server, format, { text: 'Paris', taskId });

    expect(last).toMatchObject({ state: 'input-required', statusText: 'Which city?' });
    expect(answered.map(brief).slice(-2)).toEqual(['trip Off to Paris .', 'completed']);
  });

  test.each(FORMATS_1)(verifies('T-12', '$name: stays open while the task waits for a credential'), async (format) => {
    const server = await startServer();
    const stream = await server.open(format.stream({ text: 'authorize' }));
    const events = [await nextOf(stream, format), await nextOf(stream, format)];
    const [first] = events;
    const taskId = first?.kind === 'task' ? first.task.id : '';

    await server.server.handler.authorize({ taskId, callerId: 'anonymous' });

    expect([...events, ...(await restOf(stream, format))].map(brief)).toEqual([
      'task submitted',
      'auth-required Please log in',
      expect.stringContaining('working'),
      'letter Welcome .',
      'completed',
    ]);
  });

  test.each(WIRE_FORMATS)(
    verifies('T-14', '$name: sends each event at once, while the task is working'),
    async (format) => {
      const server = await startServer();

      const stream = await server.open(format.stream({ text: 'hold on' }));
      const [first, second] = [await nextOf(stream, format), await nextOf(stream, format)];

      // The task is held, so these events were sent before its end.
      expect(brief(first)).toMatch(/submitted$/);
      expect(brief(second)).toBe('working Holding');
      expect(stream.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      server.release();
      expect((await restOf(stream, format)).map(brief)).toEqual(['held on .', 'completed']);
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies('T-15', '$name: each event has the ids of its task and context'),
    async (format) => {
      const server = await startServer();

      const [first, ...updates] = await streamEvents(server, format, { text: 'story', contextId: 'our talk' });

      const id = first?.kind === 'task' ? first.task.id : '';
      expect(updates).toHaveLength(STORY.length);
      for (const update of updates) expect(update).toMatchObject({ taskId: id, contextId: 'our talk' });
    },
  );

  test.each(WIRE_FORMATS)(
    '$name: numbers its events from 1 without a gap, and its chunks add up to the artifacts of the task',
    async (format) => {
      const server = await startServer();

      const { text } = await server.ask(format.stream({ text: 'story' }));

      const events = eventsOf(text);
      expect(events.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
      const folded: Record<string, string> = {};
      let taskId = '';
      for (const event of events.map((each) => format.event(each))) {
        if (event.kind === 'status') ({ taskId } = event);
        if (event.kind === 'artifact') {
          folded[event.name] = (event.append ? (folded[event.name] ?? '') : '') + event.text;
        }
      }
      expect((await getTask(server, format, taskId)).artifacts).toEqual(folded);
    },
  );
});

describe('several streams of a task', () => {
  test.each(WIRE_FORMATS)(
    verifies(['T-06', 'T-07'], '$name: have the same events in the same order'),
    async (format) => {
      const server = await startServer();
      const { id, stream } = await holdTask(server, format);
      const others = await Promise.all([server.open(format.subscribe(id)), server.open(format.subscribe(id))]);
      const firsts = await Promise.all(others.map((other) => nextOf(other, format)));

      server.release();
      const [own, ...rests] = await Promise.all([stream, ...others].map((each) => each.rest()));

      expect(firsts.map(brief)).toEqual(Array(2).fill(format.version === '0.1' ? 'working Holding' : 'task working'));
      expect(own?.map((event) => brief(format.event(event)))).toEqual(['held on .', 'completed']);
      for (const rest of rests) expect(rest).toEqual(own);
    },
  );

  test(verifies('T-07', 'have the same events in every version'), async () => {
    const server = await startServer();
    const { id } = await holdTask(server, RPC_1);
    const streams = await Promise.all(
      WIRE_FORMATS.map(async (format) => ({ format, stream: await server.open(format.subscribe(id)) })),
    );
    for (const { format, stream } of streams) await nextOf(stream, format);

    server.release();

    for (const { format, stream } of streams) {
      expect((await restOf(stream, format)).map(brief)).toEqual(['held on .', 'completed']);
    }
  });

  test.each(WIRE_FORMATS)(
    verifies('T-08', '$name: are independent: if one client disconnects, the task and the other stream continue'),
    async (format) => {
      const server = await startServer();
      const { id, stream } = await holdTask(server, format);
      const other = await server.open(format.subscribe(id));
      await nextOf(other, format);

      stream.leave();
      expect((await getTask(server, format, id)).state).toBe('working');
      server.release();

      expect((await restOf(other, format)).map(brief)).toEqual(['held on .', 'completed']);
      expect((await getTask(server, format, id)).state).toBe('completed');
    },
  );
});
