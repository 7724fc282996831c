/**
 * The same requests in every version and binding, and the complete expected responses, which are in the folder of this name.
 */
import { describe, expect, test } from 'vitest';

import { restOf03 } from './dialects/v03-proto.ts';
import { restOf03Kind, rpcOf02, rpcOf03 } from './dialects/v03.ts';
import { rpcOf01 } from './dialects/v01.ts';
import { restOf1, rpcOf1 } from './dialects/v1.ts';
import { Mask } from './kit/mask.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { holdTask } from './kit/tasks.ts';
import { REST_03, REST_03_KIND, REST_1, RPC_01, RPC_02, RPC_03, RPC_1 } from './kit/wire-formats.ts';

const CASES = [
  { name: '1.0 JSON-RPC', format: RPC_1, expected: rpcOf1 },
  { name: '1.0 REST', format: REST_1, expected: restOf1 },
  { name: '0.3 JSON-RPC', format: RPC_03, expected: rpcOf03 },
  { name: '0.3 REST by the protocol definition', format: REST_03, expected: restOf03 },
  {
    name: '0.3 REST of the style kind',
    format: REST_03_KIND,
    expected: restOf03Kind,
    options: { restStyle: 'kind' as const },
  },
  { name: '0.2 JSON-RPC', format: RPC_02, expected: rpcOf02 },
  { name: '0.1 JSON-RPC', format: RPC_01, expected: rpcOf01, task: 'mine' },
];

describe.each(CASES)('$name', ({ format, expected, options, task }) => {
  const named = task === undefined ? {} : { taskId: task };
  /** Names for the ids, in the order in which they appear; 0.1 has fewer ids. */
  const mask = (...names: readonly string[]): Mask =>
    new Mask(...(task === undefined ? ['TASK', 'CONTEXT', ...names] : ['CONTEXT']));

  test('a question, the response to its answer, and GetTask have the expected JSON', async () => {
    const server = await startServer(options);
    const masked = mask('QUESTION');

    const asked = await server.ask(format.send({ text: 'ask', messageId: 'm1', ...named }));
    const sent = format.sent(asked);
    const taskId = 'task' in sent ? sent.task.id : '';
    const answered = await server.ask(format.send({ text: 'Paris', messageId: 'm2', taskId }));
    const got = await server.ask(format.get(taskId, 1));

    expect(masked.json(asked.json)).toEqual(expected.asked);
    expect(masked.json(answered.json)).toEqual(expected.answered);
    expect(masked.json(got.json)).toEqual(expected.got);
  });

  test('a reply without a task has the expected JSON', async () => {
    const server = await startServer(options);

    const { json } = await server.ask(format.send({ text: 'reply hi', messageId: 'm1', ...named }));

    expect(new Mask(...(task === undefined ? ['MESSAGE', 'CONTEXT'] : ['CONTEXT'])).json(json)).toEqual(
      expected.replied,
    );
  });

  test('the events of a stream have the expected JSON', async () => {
    const server = await startServer(options);

    const { text } = await server.ask(format.stream({ text: 'story', messageId: 'm1', ...named }));

    const events = eventsOf(mask('ONE', 'TWO').text(text));
    expect(events.map(({ json }) => json)).toEqual(expected.streamed);
    // An SSE event is an id and one line of data, and nothing else.
    const frames = events.map(({ id, json }) => `id: ${id}\ndata: ${JSON.stringify(json)}\n\n`);
    expect(mask('ONE', 'TWO').text(text)).toBe(frames.join(''));
  });

  test('the events of a subscription have the expected JSON', async () => {
    const server = await startServer(options);
    const held = await holdTask(server, format, { messageId: 'm1', ...named });

    const stream = await server.open(format.subscribe(held.id));
    const first = await stream.next();
    server.release();
    const events = [first, ...(await stream.rest())].map((event) => event?.json);

    expect(mask('ONE').json(events)).toEqual(expected.subscribed);
  });

  test('a canceled task has the expected JSON', async () => {
    const server = await startServer(options);
    const { id } = await holdTask(server, format, { messageId: 'm1', ...named });

    const { json } = await server.ask(format.cancel(id));

    expect(mask('ONE').json(json)).toEqual(expected.canceled);
  });

  test('the error for an unknown task has the expected JSON', async () => {
    const server = await startServer(options);

    const { status, json } = await server.ask(format.get('nobody'));

    expect({ status, json }).toEqual(expected.unknown);
  });
});
