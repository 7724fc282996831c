/** SubscribeToTask: the events of a task that another request started (1.0 §3.1.6). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { brief, holdTask, nextOf, restOf, sendTask } from './kit/tasks.ts';
import { FORMATS_1, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';

describe('a subscription to a task', () => {
  test.each(FORMATS_SINCE_02)(verifies('T-09', '$name: starts with the current task'), async (format) => {
    const server = await startServer();
    const { id } = await holdTask(server, format, { contextId: 'our talk' });

    const stream = await server.open(format.subscribe(id));
    const first = await nextOf(stream, format);
    server.release();
    const rest = await restOf(stream, format);

    expect(first).toMatchObject({
      kind: 'task',
      task: { id, contextId: 'our talk', state: 'working', statusText: 'Holding', history: ['user: hold on'] },
    });
    expect(rest.map(brief)).toEqual(['held on .', 'completed']);
  });

  test.each(FORMATS_1)(
    verifies(['T-04', 'T-09'], '$name: of 1.0 continues after a question until the task ends'),
    async (format) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'ask' });
      const stream = await server.open(format.subscribe(id));
      const first = await nextOf(stream, format);

      await sendTask(server, format, { text: 'Paris', taskId: id });

      expect(brief(first)).toBe('task input-required');
      expect((await restOf(stream, format)).map(brief).slice(-2)).toEqual(['trip Off to Paris .', 'completed']);
    },
  );

  test.each(WIRE_FORMATS.filter(({ version }) => version !== '1.0'))(
    '$name: before 1.0 ends with a question',
    async (format) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'ask' });

      const { text } = await server.ask(format.subscribe(id));

      expect(eventsOf(text)).toHaveLength(1);
      expect(text).toMatch(/input.required/i);
    },
  );

  test.each(FORMATS_1)(verifies('T-10', '$name: of 1.0 that has ended gets UnsupportedOperation'), async (format) => {
    const server = await startServer();
    const { id } = await sendTask(server, format, { text: 'hello' });

    const answer = await server.ask(format.subscribe(id));

    expect(answer.headers['content-type']).toMatch(/json$/);
    expect(format.error(answer)).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      status: format.binding === 'REST' ? 400 : 200,
    });
  });

  test.each(FORMATS_SINCE_02.filter(({ version }) => version !== '1.0'))(
    '$name: before 1.0 that has ended has the task as its only event',
    async (format) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'hello' });

      const { text } = await server.ask(format.subscribe(id));

      const events = eventsOf(text).map((event) => format.event(event));
      expect(events).toMatchObject([{ kind: 'task', task: { id, state: 'completed', artifacts: { echo: 'hello' } } }]);
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('T-11', '$name: that is unknown gets TaskNotFound, also with Last-Event-ID'),
    async (format) => {
      const server = await startServer();

      const fresh = await server.ask(format.subscribe('no-such-task'));
      const back = format.subscribe('no-such-task');
      const again = await server.ask({ ...back, headers: { ...back.headers, 'last-event-id': '3' } });

      for (const answer of [fresh, again]) {
        expect(format.error(answer)).toMatchObject({
          reason: 'TASK_NOT_FOUND',
          status: format.binding === 'REST' ? 404 : 200,
        });
      }
    },
  );

  test.each(WIRE_FORMATS)('$name: with Last-Event-ID has the later events', async (format) => {
    const server = await startServer();
    const { text } = await server.ask(format.stream({ text: 'story' }));
    const all = eventsOf(text);
    const last = format.event(all.at(-1) ?? { id: '', name: '', json: {} });
    const ask = format.subscribe(last.kind === 'status' ? last.taskId : '');

    const rest = await server.ask({ ...ask, headers: { ...ask.headers, 'last-event-id': '3' } });

    expect(eventsOf(rest.text)).toEqual(all.slice(3));
  });

  test('can be requested by GET over REST, as in the protocol definition', async () => {
    const server = await startServer();
    const { id } = await holdTask(server, RPC_1);

    const stream = await server.open({ method: 'GET', path: `/tasks/${id}:subscribe` });
    const first = await stream.next();
    server.release();
    await stream.rest();

    expect(first?.json).toMatchObject({ task: { id, status: { state: 'TASK_STATE_WORKING' } } });
  });
});
