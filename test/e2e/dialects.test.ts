/**
 * The same conversations in every version and binding, with every answer written out as that version has it: see the
 * folder of this name.
 */
import { describe, expect, test } from 'vitest';

import { restOf03 } from './dialects/v03-proto.ts';
import { restOf03Kind, rpcOf02, rpcOf03 } from './dialects/v03.ts';
import { rpcOf01 } from './dialects/v01.ts';
import { restOf1, rpcOf1 } from './dialects/v1.ts';
import { Mask } from './kit/mask.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { holdTask } from './kit/talk.ts';
import { REST_03, REST_03_KIND, REST_1, RPC_01, RPC_02, RPC_03, RPC_1 } from './kit/voices.ts';

const CASES = [
  { name: '1.0 JSON-RPC', voice: RPC_1, spoken: rpcOf1 },
  { name: '1.0 REST', voice: REST_1, spoken: restOf1 },
  { name: '0.3 JSON-RPC', voice: RPC_03, spoken: rpcOf03 },
  { name: '0.3 REST by the protocol definition', voice: REST_03, spoken: restOf03 },
  { name: '0.3 REST by the text', voice: REST_03_KIND, spoken: restOf03Kind, options: { restStyle: 'kind' as const } },
  { name: '0.2 JSON-RPC', voice: RPC_02, spoken: rpcOf02 },
  { name: '0.1 JSON-RPC', voice: RPC_01, spoken: rpcOf01, task: 'mine' },
];

describe.each(CASES)('$name', ({ voice, spoken, options, task }) => {
  const named = task === undefined ? {} : { taskId: task };
  /** What the ids are called as they appear; in 0.1 there are fewer. */
  const mask = (...names: readonly string[]): Mask =>
    new Mask(...(task === undefined ? ['TASK', 'CONTEXT', ...names] : ['CONTEXT']));

  test('send, and continue the task that asks something', async () => {
    const server = await startServer(options);
    const masked = mask('QUESTION');

    const asked = await server.ask(voice.send({ text: 'ask', messageId: 'm1', ...named }));
    const sent = voice.sent(asked);
    const taskId = 'task' in sent ? sent.task.id : '';
    const answered = await server.ask(voice.send({ text: 'Paris', messageId: 'm2', taskId }));
    const got = await server.ask(voice.get(taskId, 1));

    expect(masked.json(asked.json)).toEqual(spoken.asked);
    expect(masked.json(answered.json)).toEqual(spoken.answered);
    expect(masked.json(got.json)).toEqual(spoken.got);
  });

  test('a bare message', async () => {
    const server = await startServer(options);

    const { json } = await server.ask(voice.send({ text: 'reply hi', messageId: 'm1', ...named }));

    expect(new Mask(...(task === undefined ? ['MESSAGE', 'CONTEXT'] : ['CONTEXT'])).json(json)).toEqual(spoken.replied);
  });

  test('stream', async () => {
    const server = await startServer(options);

    const { text } = await server.ask(voice.stream({ text: 'story', messageId: 'm1', ...named }));

    const events = eventsOf(mask('ONE', 'TWO').text(text));
    expect(events.map(({ json }) => json)).toEqual(spoken.streamed);
    // Frames have a number and one line of data, and nothing else.
    const frames = events.map(({ id, json }) => `id: ${id}\ndata: ${JSON.stringify(json)}\n\n`);
    expect(mask('ONE', 'TWO').text(text)).toBe(frames.join(''));
  });

  test('subscribe', async () => {
    const server = await startServer(options);
    const held = await holdTask(server, voice, { messageId: 'm1', ...named });

    const stream = await server.open(voice.subscribe(held.id));
    const first = await stream.next();
    server.release();
    const events = [first, ...(await stream.rest())].map((event) => event?.json);

    expect(mask('ONE').json(events)).toEqual(spoken.subscribed);
  });

  test('cancel', async () => {
    const server = await startServer(options);
    const { id } = await holdTask(server, voice, { messageId: 'm1', ...named });

    const { json } = await server.ask(voice.cancel(id));

    expect(mask('ONE').json(json)).toEqual(spoken.canceled);
  });

  test('an unknown task', async () => {
    const server = await startServer(options);

    const { status, json } = await server.ask(voice.get('nobody'));

    expect({ status, json }).toEqual(spoken.unknown);
  });
});
