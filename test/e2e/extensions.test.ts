/** Extensions: active only if the request names them in a header (1.0 §4.6). */
import { QUESTIONS } from '../../src/model/question.ts';
import { describe, expect, test } from 'vitest';

import { LINEAGE } from '../../src/model/lineage.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/tasks.ts';
import { FORMATS_1, RPC_03, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';

const STAMPS = 'https://example.com/ext/stamps/v1';
const STAMPS_2 = 'https://example.com/ext/stamps/v2';
const TRACES = 'https://example.com/ext/traces/v1';

const TWO = {
  extensions: [{ uri: STAMPS, description: 'Stamps everything', params: { ink: 'blue' } }, { uri: TRACES }],
};
const REQUIRED = { extensions: [{ uri: STAMPS, required: true }, { uri: TRACES }] };

/** JSON-RPC codes of ExtensionSupportRequired. The versions before 1.0 have no code for it, and use another one. */
const CODES: Readonly<Record<string, number>> = {
  '1.0 JSON-RPC': -32008,
  '0.3 JSON-RPC': -32004,
  '0.3 REST': -32004,
  '0.2 JSON-RPC': -32602,
  '0.1 JSON-RPC': -32602,
};

function withExtensions(ask: Ask, ...uris: readonly string[]): Ask {
  return { ...ask, headers: { ...ask.headers, 'a2a-extensions': uris.join(', ') } };
}

describe('a required extension', () => {
  test.each(WIRE_FORMATS)(
    verifies(['K-05', 'N-03'], '$name: a message without it in the header is rejected'),
    async (format) => {
      const server = await startServer({ agent: REQUIRED });

      const send = format.error(await server.ask(format.send({ text: 'hello' })));
      const stream = format.error(await server.ask(format.stream({ text: 'hello' })));
      const other = format.error(await server.ask(withExtensions(format.send({ text: 'hello' }), TRACES)));

      for (const error of [send, stream, other]) {
        expect(error).toMatchObject({
          reason: 'EXTENSION_SUPPORT_REQUIRED',
          code: CODES[format.name],
          status: format.binding === 'REST' ? 400 : 200,
        });
        expect(error.message).toContain(STAMPS);
      }
      expect(server.runs()).toBe(0);
    },
  );

  test.each(WIRE_FORMATS)(verifies('N-03', '$name: a message with it in the header is accepted'), async (format) => {
    const server = await startServer({ agent: REQUIRED });

    const sent = format.sent(await server.ask(withExtensions(format.send({ text: 'hello' }), STAMPS)));

    expect(sent).toMatchObject({ task: { state: 'completed' } });
  });

  test.each(WIRE_FORMATS)(
    verifies('K-05', '$name: is required for messages, but not for GetTask and CancelTask'),
    async (format) => {
      const server = await startServer({ agent: REQUIRED });
      const sent = format.sent(await server.ask(withExtensions(format.send({ text: 'ask' }), STAMPS)));
      const id = 'task' in sent ? sent.task.id : '';

      expect(format.task(await server.ask(format.get(id))).state).toBe('input-required');
      expect(format.task(await server.ask(format.cancel(id))).state).toBe('canceled');
    },
  );

  test.each(FORMATS_1)(
    verifies(['N-02', 'N-04'], '$name: a message with another version of it is rejected'),
    async (format) => {
      const server = await startServer({ agent: REQUIRED });

      const error = format.error(await server.ask(withExtensions(format.send({ text: 'hello' }), STAMPS_2)));

      expect(error.reason).toBe('EXTENSION_SUPPORT_REQUIRED');
      expect(server.runs()).toBe(0);
    },
  );

  test(
    verifies(['N-05', 'N-11'], 'is required only if the author declares it, and each version has its own URI'),
    async () => {
      const optional = await startServer({
        agent: { extensions: [{ uri: STAMPS }, { uri: STAMPS_2 }] },
        stateTransitionHistory: false,
      });

      const { json } = await optional.ask({
        method: 'GET',
        path: '/.well-known/agent-card.json',
        headers: { 'a2a-version': '1.0' },
      });
      const { headers } = await optional.ask(withExtensions(RPC_1.send({ text: 'hello' }), STAMPS_2));

      expect(json).toMatchObject({
        capabilities: { extensions: [{ uri: STAMPS }, { uri: STAMPS_2 }, QUESTIONS, LINEAGE] },
      });
      expect(JSON.stringify(json)).not.toContain('required');
      expect(headers['a2a-extensions']).toBe(STAMPS_2);
    },
  );
});

describe('an optional extension', () => {
  test.each(WIRE_FORMATS)(
    verifies(['N-06', 'N-07'], '$name: is active if the request names it, and the response header lists it'),
    async (format) => {
      const server = await startServer({ agent: TWO });
      const header = format.version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';

      const none = await server.ask(format.send({ text: 'about' }));
      const one = await server.ask(withExtensions(format.send({ text: 'about' }), TRACES));
      const both = await server.ask(withExtensions(format.send({ text: 'about' }), TRACES, STAMPS, TRACES, ' ', ''));
      const stream = await server.ask(withExtensions(format.stream({ text: 'hello' }), STAMPS));
      const get = await server.ask(withExtensions(format.get('unknown'), STAMPS));

      expect(none.headers[header]).toBeUndefined();
      expect(none.text).toContain('"extensions":[]');
      expect(one.headers[header]).toBe(TRACES);
      expect(one.text).toContain(`"extensions":["${TRACES}"]`);
      expect(both.headers[header]).toBe(`${STAMPS}, ${TRACES}`);
      expect(stream.headers[header]).toBe(STAMPS);
      expect(get.text).toContain('TASK_NOT_FOUND');
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies(['N-02', 'N-04', 'N-07'], '$name: is ignored if the agent does not have it'),
    async (format) => {
      const server = await startServer({ agent: TWO });

      const answer = await server.ask(withExtensions(format.send({ text: 'about' }), STAMPS_2, 'urn:unknown'));

      expect(format.sent(answer)).toMatchObject({ task: { state: 'completed' } });
      expect(answer.headers['a2a-extensions']).toBeUndefined();
      expect(answer.headers['x-a2a-extensions']).toBeUndefined();
      expect(answer.text).toContain('"extensions":[]');
    },
  );

  test('can be requested with the header name of the versions before 1.0', async () => {
    const server = await startServer({ agent: TWO });
    const ask = RPC_03.send({ text: 'about' });

    const answer = await server.ask({ ...ask, headers: { ...ask.headers, 'x-a2a-extensions': STAMPS } });

    expect(answer.headers['x-a2a-extensions']).toBe(STAMPS);
    expect(answer.text).toContain(`"extensions":["${STAMPS}"]`);
  });
});

describe('data of an extension', () => {
  test.each(FORMATS_1)(
    verifies(['N-08', 'N-10'], '$name: of an artifact is in its metadata under the URI, which its extensions list'),
    async (format) => {
      const server = await startServer({ agent: TWO });

      const { json } = await server.ask(withExtensions(format.send({ text: 'stamp' }), STAMPS));

      const { task } = ((json as { result?: unknown }).result ?? json) as { task: { artifacts: unknown } };
      expect(task.artifacts).toEqual([
        {
          artifactId: 'stamped',
          name: 'stamped',
          parts: [{ text: 'Done' }],
          metadata: { [STAMPS]: { stamp: 7 } },
          extensions: [STAMPS],
        },
      ]);
    },
  );

  test.each(FORMATS_1)(
    verifies(['N-08', 'N-10'], '$name: of a message is stored in its metadata under the URI'),
    async (format) => {
      const server = await startServer({ agent: TWO });
      const ask = format.send({ text: 'hello', messageId: 'm1', metadata: { [STAMPS]: { wanted: true } } });
      const text = JSON.stringify(ask.body).replace(
        '"messageId":"m1"',
        `"messageId":"m1","extensions":["${STAMPS}"],"metadata":{"${STAMPS}":{"stamp":1}},"stamp":"not a member of a message"`,
      );

      const { json } = await server.ask({ ...withExtensions(ask, STAMPS), body: text });

      const { task } = ((json as { result?: unknown }).result ?? json) as { task: { history: unknown[] } };
      expect(task.history[0]).toEqual({
        messageId: 'm1',
        role: 'ROLE_USER',
        parts: [{ text: 'hello' }],
        contextId: expect.any(String),
        taskId: expect.any(String),
        extensions: [STAMPS],
        metadata: { [STAMPS]: { stamp: 1 } },
        // Not data of the extension: the server returns what this caller sent.
        stamp: 'not a member of a message',
      });
    },
  );

  test(verifies('N-10', 'in the metadata of a request reaches the handler'), async () => {
    const server = await startServer({ agent: TWO });

    const { artifacts } = await sendTask(server, RPC_1, { text: 'about', metadata: { [STAMPS]: { wanted: true } } });

    expect(artifacts?.['about']).toContain(`"metadata":{"${STAMPS}":{"wanted":true}}`);
  });
});

test('cards list extensions with description and params in every version that has extensions', async () => {
  const server = await startServer({ agent: TWO, stateTransitionHistory: false });

  for (const [path, version] of [
    ['agent-card.json', '1.0'],
    ['agent-card.json', '0.3'],
    ['agent.json', '0.2'],
  ] as const) {
    const { json } = await server.ask({
      method: 'GET',
      path: `/.well-known/${path}`,
      headers: { 'a2a-version': version },
    });
    expect(json).toMatchObject({ capabilities: { extensions: [...TWO.extensions, QUESTIONS, LINEAGE] } });
  }
});
