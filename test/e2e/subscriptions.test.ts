/** Listening to a task that somebody else, or an earlier connection, has started (1.0 §3.1.6). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { brief, holdTask, nextOf, restOf, sendTask } from './kit/talk.ts';
import { NEWEST, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';

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
    expect(rest.map(brief)).toEqual(['held on .', 'completed']);
  });

  test.each(NEWEST)(verifies(['T-04', 'T-09'], '$name: of 1.0 lasts over questions, to the end'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'ask' });
    const stream = await server.open(voice.subscribe(id));
    const first = await nextOf(stream, voice);

    await sendTask(server, voice, { text: 'Paris', taskId: id });

    expect(brief(first)).toBe('task input-required');
    expect((await restOf(stream, voice)).map(brief).slice(-2)).toEqual(['trip Off to Paris .', 'completed']);
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
