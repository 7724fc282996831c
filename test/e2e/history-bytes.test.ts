/** Limits in bytes for the messages of a task, and for the messages in one response. */
import { describe, expect, test } from 'vitest';

import type { Answer } from './kit/exchange.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, nextOf, sendTask } from './kit/tasks.ts';
import { FORMATS_1, RPC_01, RPC_1, WIRE_FORMATS, type WireFormat } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const MEBIBYTE = 2 ** 20;

/** Two of these fit into one response, three do not. */
const LARGE = 'x'.repeat(3 * MEBIBYTE);

/** A historyLength for all messages, which 0.1 requires. */
const ALL = 100;

/** A task that waits for an authorization, which accepts any number of messages. */
async function paused(server: TestServer, format: WireFormat): Promise<string> {
  const { id, state } = await sendTask(server, format, { text: 'authorize' });
  expect(state).toMatch(/^(auth|input)-required$/);
  return id;
}

function say(server: TestServer, format: WireFormat, id: string, text: string): Promise<Answer> {
  return server.ask(format.send({ text, taskId: id, historyLength: ALL }));
}

/** The number of omitted messages in a response, which is in the metadata of the task. */
function omittedIn({ text }: Pick<Answer, 'text'>): number | undefined {
  const [, omitted] = /"urn:tandem-a2a:history":\{"omitted":(\d+)\}/.exec(text) ?? [];
  return omitted === undefined ? undefined : Number(omitted);
}

describe('a response over the page limit', () => {
  test.each(WIRE_FORMATS)('$name: omits the oldest messages and reports how many', async (format) => {
    const server = await startServer();
    const id = await paused(server, format);
    for (let i = 0; i < 3; i++) expect((await say(server, format, id, LARGE)).status).toBe(200);

    const sent = await say(server, format, id, LARGE);
    const got = await server.ask(format.get(id, ALL));
    const few = await server.ask(format.get(id, 2));

    // The first message, and two of the four large ones.
    expect([omittedIn(sent), omittedIn(got), omittedIn(few)]).toEqual([3, 3, undefined]);
    const { history } = format.task(got);
    expect(history?.map((message) => message.length)).toEqual([LARGE.length + 6, LARGE.length + 6]);
    expect(got.text.length).toBeLessThan(8 * MEBIBYTE);
  });

  test.each([...FORMATS_1])('$name: omits them in the first event of a subscription, too', async (format) => {
    const server = await startServer();
    const id = await paused(server, format);
    for (let i = 0; i < 4; i++) await say(server, format, id, LARGE);

    const stream = await server.open(format.subscribe(id));
    const first = await stream.next();
    stream.leave();

    expect(omittedIn({ text: JSON.stringify(first?.json) })).toBe(3);
  });

  test('omits them in ListTasks, too, and ends the page before a task that does not fit', async () => {
    const server = await startServer();
    const id = await paused(server, RPC_1);
    for (let i = 0; i < 4; i++) await say(server, RPC_1, id, LARGE);
    await sendTask(server, RPC_1, { text: LARGE });

    const [first, second] = [await page(server), await page(server, await nextToken(server))];

    expect(first.tasks).toHaveLength(1);
    expect(second.tasks.map((task) => [task.id, task.metadata])).toEqual([
      [id, { 'urn:tandem-a2a:history': { omitted: 3 } }],
    ]);
  });
});

interface Page {
  readonly tasks: readonly { readonly id: string; readonly metadata?: unknown }[];
  readonly nextPageToken: string;
}

async function page(server: TestServer, pageToken?: string): Promise<Page> {
  const { json } = await server.ask(rpc('1.0', 'ListTasks', { pageToken, includeArtifacts: true }));
  return (json as { result: Page }).result;
}

async function nextToken(server: TestServer): Promise<string> {
  return (await page(server)).nextPageToken;
}

describe('the messages of one task', () => {
  test.each(WIRE_FORMATS)(
    '$name: a message over historyBytesPerTask is rejected with an error that explains what to do',
    async (format) => {
      const server = await startServer({ limits: { historyBytesPerTask: 10_000 } });
      const id = await paused(server, format);
      const small = 'x'.repeat(4000);
      for (let i = 0; i < 2; i++) expect((await say(server, format, id, small)).status).toBe(200);

      const rejected = format.error(await say(server, format, id, small));

      expect(rejected.reason).toBe('UNSUPPORTED_OPERATION');
      expect(rejected.message).toMatch(
        /^Task \S+ cannot take 4\d{3} more bytes of messages: it has 8\d{3} of at most 10000\. Start a new task in the same context, or send large files by url\.$/,
      );
      const { history } = await getTask(server, format, id, ALL);
      expect(history).toHaveLength(3);
    },
  );

  test.each(WIRE_FORMATS.filter((format) => format !== RPC_01))(
    '$name: a first message over historyBytesPerTask is rejected',
    async (format) => {
      const server = await startServer({ limits: { historyBytesPerTask: 10_000 } });

      const rejected = format.error(await server.ask(format.send({ text: 'x'.repeat(10_000) })));

      expect(rejected).toMatchObject({
        reason: 'PAYLOAD_TOO_LARGE',
        message: 'message: expected at most 10000 bytes: send large files by url',
      });
      expect(server.runs()).toBe(0);
    },
  );
});

test('a subscription to a task with omitted messages gets the later events', async () => {
  const server = await startServer();
  const id = await paused(server, RPC_1);
  for (let i = 0; i < 4; i++) await say(server, RPC_1, id, LARGE);

  const stream = await server.open(RPC_1.subscribe(id));
  expect(await nextOf(stream, RPC_1)).toMatchObject({ kind: 'task', task: { id, state: 'auth-required' } });
  await server.ask(RPC_1.cancel(id));

  expect(await nextOf(stream, RPC_1)).toMatchObject({ kind: 'status', state: 'canceled' });
});
