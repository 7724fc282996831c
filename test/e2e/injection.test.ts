/** Injection: no content becomes an event, a header, an SQL statement or a prototype (1.0 §14.1.1). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { sqlite } from '../../src/store/sqlite/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { startServer, type TestServer, type TestServerOptions } from './kit/server.ts';
import { getTask, sendTask, streamEvents } from './kit/tasks.ts';
import { REST_1, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const HOSTILE: readonly (readonly [string, string])[] = [
  ['an event of a stream', 'hello\n\nid: 99\nevent: error\ndata: {"statusUpdate":{"status":{"state":"failed"}}}\n\n'],
  ['line breaks of every kind', 'a\rb\r\nc\u2028d\u2029e\u0085f\u000bg'],
  ['a header', 'hello\r\nSet-Cookie: session=stolen\r\n\r\n<html>'],
  ['the end of a JSON response', '"}]}}} , {"jsonrpc":"2.0","id":1,"result":{"injected":true}}'],
  ['an SQL statement', `'; DROP TABLE tasks; -- " OR 1=1 /* %_\\ */ \${process.exit(1)} {{7*7}} \`id\``],
  ['an HTML page', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['control characters', '\u0000\u0007\u001b]0;title\u0007\u001b[2J\u009b31m'],
];

async function startOnFile(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-injection-'));
  const store = sqlite(join(folder, 'tasks.db'));
  const server = await startServer({ ...options, store });
  onTestFinished(async () => {
    await server.server.close({ finishMs: 0 });
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return server;
}

describe.each(HOSTILE)('%s in a text', (_, hostile) => {
  test.each(WIRE_FORMATS)(
    verifies('E-17', '$name: is returned unchanged, and adds no event or header'),
    async (format) => {
      const server = await startOnFile();

      const task = await sendTask(server, format, { text: hostile });
      const again = await getTask(server, format, task.id, 10);
      const events = await streamEvents(server, format, { text: hostile });
      const harmless = await streamEvents(server, format, { text: 'hello' });

      expect(again.state).toBe('completed');
      expect(again.artifacts).toEqual({ echo: hostile });
      expect(again.history).toEqual([`user: ${hostile}`]);
      expect(events.map(({ kind }) => kind)).toEqual(harmless.map(({ kind }) => kind));
      expect(events.flatMap((event) => (event.kind === 'artifact' ? [event.text] : []))).toEqual([hostile]);
      const { headers } = await server.ask(format.send({ text: hostile }));
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-type']).toMatch(/^application\/(?:a2a\+)?json$/);
    },
  );
});

describe('hostile names', () => {
  const NAMES = [`' OR '1'='1`, `"; DROP TABLE tasks; --`, '%', '_', '*', '../../etc/passwd', '__proto__', 'a\nb: c'];

  test.each(FORMATS_SINCE_02)(
    verifies('E-17', '$name: work as contextIds, and match no other context or task'),
    async (format) => {
      const server = await startOnFile();
      await sendTask(server, format, { text: 'hello', contextId: 'plain' });

      for (const name of NAMES) {
        const { contextId } = await sendTask(server, format, { text: 'hello', contextId: name });
        expect(contextId).toBe(name);
        const listed = await server.ask(rpc('1.0', 'ListTasks', { contextId: name }));
        expect(listed.json).toMatchObject({ result: { totalSize: 1, tasks: [{ contextId: name }] } });
        expect(format.error(await server.ask(format.get(name))).reason).toBe('TASK_NOT_FOUND');
        expect(format.error(await server.ask(format.cancel(name))).reason).toBe('TASK_NOT_FOUND');
      }
      expect((await server.ask(rpc('1.0', 'ListTasks', {}))).json).toMatchObject({
        result: { totalSize: NAMES.length + 1 },
      });
    },
  );

  test(
    verifies('E-17', 'such as __proto__ in metadata are stored like other members, and do not change a prototype'),
    async () => {
      const server = await startOnFile();
      const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
      const body = JSON.stringify(RPC_1.send({ text: 'about it' }).body).replace(
        '"parts"',
        `"metadata":${text},"__proto__":{"taskId":"x"},"parts"`,
      );
      const ask = RPC_1.send({ text: '' });

      const answer = await server.ask({
        ...ask,
        headers: { ...ask.headers, 'content-type': 'application/json' },
        body,
      });

      expect(answer.text).toContain(`"metadata":${text}`);
      expect(RPC_1.sent(answer)).toMatchObject({ task: { state: 'completed' } });
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});

describe('a message that violates the schema', () => {
  test.each([
    ['a part with two contents', { parts: [{ text: 'a', data: 1 }] }, 'message.parts[0]'],
    ['a part without content', { parts: [{ filename: 'a' }] }, 'message.parts[0]'],
    ['bytes that are not base64', { parts: [{ raw: '<script>' }] }, 'message.parts[0].raw'],
    ['a number as a text', { parts: [{ text: 7 }] }, 'message.parts[0].text'],
    ['an array as metadata', { parts: [{ text: 'a' }], metadata: [] }, 'message.metadata'],
    ['an unknown role', { parts: [{ text: 'a' }], role: 'ROLE_ADMIN' }, 'message.role'],
  ])(
    verifies('E-17', 'with %s gets INVALID_PARAMS with the path, before the handler runs'),
    async (_, changes, field) => {
      const server = await startServer();
      const message = { messageId: 'm', role: 'ROLE_USER', ...changes };

      const overRest = await server.ask({ ...REST_1.send({}), body: { message } });
      const overRpc = await server.ask(rpc('1.0', 'SendMessage', { message }));

      expect(REST_1.error(overRest)).toMatchObject({ reason: 'INVALID_PARAMS', fields: [field] });
      expect(RPC_1.error(overRpc)).toMatchObject({ reason: 'INVALID_PARAMS', fields: [field] });
      expect(server.runs()).toBe(0);
    },
  );

  test(verifies('E-17', 'gets its error as JSON with nosniff, also if the path contains HTML'), async () => {
    const server = await startServer();

    const answer = await server.ask({ method: 'GET', path: `/<script>alert(1)</script>` });

    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toMatch(/json$/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });
});
