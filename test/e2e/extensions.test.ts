/** Extensions: asked for by header, active only then, never half (1.0 §4.6). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/talk.ts';
import { NEWEST, RPC_03, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';

const STAMPS = 'https://example.com/ext/stamps/v1';
const STAMPS_2 = 'https://example.com/ext/stamps/v2';
const TRACES = 'https://example.com/ext/traces/v1';

const TWO = {
  extensions: [{ uri: STAMPS, description: 'Stamps everything', params: { ink: 'blue' } }, { uri: TRACES }],
};
const REQUIRED = { extensions: [{ uri: STAMPS, required: true }, { uri: TRACES }] };

/** The versions before 1.0 have no number for it, and borrow one. */
const NUMBERS: Readonly<Record<string, number>> = {
  '1.0 JSON-RPC': -32008,
  '0.3 JSON-RPC': -32004,
  '0.3 REST': -32004,
  '0.2 JSON-RPC': -32602,
  '0.1 JSON-RPC': -32602,
};

function asking(ask: Ask, ...uris: readonly string[]): Ask {
  return { ...ask, headers: { ...ask.headers, 'a2a-extensions': uris.join(', ') } };
}

describe('a required extension', () => {
  test.each(VOICES)(verifies(['K-05', 'N-03'], '$name: that was not asked for is an error'), async (voice) => {
    const server = await startServer({ agent: REQUIRED });

    const send = voice.error(await server.ask(voice.send({ text: 'hello' })));
    const stream = voice.error(await server.ask(voice.stream({ text: 'hello' })));
    const other = voice.error(await server.ask(asking(voice.send({ text: 'hello' }), TRACES)));

    for (const error of [send, stream, other]) {
      expect(error).toMatchObject({
        reason: 'EXTENSION_SUPPORT_REQUIRED',
        code: NUMBERS[voice.name],
        status: voice.binding === 'REST' ? 400 : 200,
      });
      expect(error.message).toContain(STAMPS);
    }
    expect(server.runs()).toBe(0);
  });

  test.each(VOICES)(verifies('N-03', '$name: that was asked for is none'), async (voice) => {
    const server = await startServer({ agent: REQUIRED });

    const sent = voice.sent(await server.ask(asking(voice.send({ text: 'hello' }), STAMPS)));

    expect(sent).toMatchObject({ task: { state: 'completed' } });
  });

  test.each(VOICES)(verifies('K-05', '$name: is for messages, not for looking at tasks'), async (voice) => {
    const server = await startServer({ agent: REQUIRED });
    const sent = voice.sent(await server.ask(asking(voice.send({ text: 'ask' }), STAMPS)));
    const id = 'task' in sent ? sent.task.id : '';

    expect(voice.task(await server.ask(voice.get(id))).state).toBe('input-required');
    expect(voice.task(await server.ask(voice.cancel(id))).state).toBe('canceled');
  });

  test.each(NEWEST)(
    verifies(['N-02', 'N-04'], '$name: in another version is not the one that is required'),
    async (voice) => {
      const server = await startServer({ agent: REQUIRED });

      const error = voice.error(await server.ask(asking(voice.send({ text: 'hello' }), STAMPS_2)));

      expect(error.reason).toBe('EXTENSION_SUPPORT_REQUIRED');
      expect(server.runs()).toBe(0);
    },
  );

  test(verifies(['N-05', 'N-11'], 'is one that the author declares so; each version is a URI of its own'), async () => {
    const optional = await startServer({
      agent: { extensions: [{ uri: STAMPS }, { uri: STAMPS_2 }] },
      stateTransitionHistory: false,
    });

    const { json } = await optional.ask({
      method: 'GET',
      path: '/.well-known/agent-card.json',
      headers: { 'a2a-version': '1.0' },
    });
    const { headers } = await optional.ask(asking(RPC_1.send({ text: 'hello' }), STAMPS_2));

    expect(json).toMatchObject({ capabilities: { extensions: [{ uri: STAMPS }, { uri: STAMPS_2 }] } });
    expect(JSON.stringify(json)).not.toContain('required');
    expect(headers['a2a-extensions']).toBe(STAMPS_2);
  });
});

describe('an optional extension', () => {
  test.each(VOICES)(
    verifies(['N-06', 'N-07'], '$name: is active if asked for, and the answer says so'),
    async (voice) => {
      const server = await startServer({ agent: TWO });
      const header = voice.version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';

      const none = await server.ask(voice.send({ text: 'about' }));
      const one = await server.ask(asking(voice.send({ text: 'about' }), TRACES));
      const both = await server.ask(asking(voice.send({ text: 'about' }), TRACES, STAMPS, TRACES, ' ', ''));
      const stream = await server.ask(asking(voice.stream({ text: 'hello' }), STAMPS));
      const get = await server.ask(asking(voice.get('unknown'), STAMPS));

      expect(none.headers[header]).toBeUndefined();
      expect(none.text).toContain('"extensions":[]');
      expect(one.headers[header]).toBe(TRACES);
      expect(one.text).toContain(`"extensions":["${TRACES}"]`);
      expect(both.headers[header]).toBe(`${STAMPS}, ${TRACES}`);
      expect(stream.headers[header]).toBe(STAMPS);
      expect(get.text).toContain('TASK_NOT_FOUND');
    },
  );

  test.each(SINCE_02)(
    verifies(['N-02', 'N-04', 'N-07'], '$name: that the agent lacks is passed over'),
    async (voice) => {
      const server = await startServer({ agent: TWO });

      const answer = await server.ask(asking(voice.send({ text: 'about' }), STAMPS_2, 'urn:unknown'));

      expect(voice.sent(answer)).toMatchObject({ task: { state: 'completed' } });
      expect(answer.headers['a2a-extensions']).toBeUndefined();
      expect(answer.headers['x-a2a-extensions']).toBeUndefined();
      expect(answer.text).toContain('"extensions":[]');
    },
  );

  test('may be asked for under the name that the header had before 1.0', async () => {
    const server = await startServer({ agent: TWO });
    const ask = RPC_03.send({ text: 'about' });

    const answer = await server.ask({ ...ask, headers: { ...ask.headers, 'x-a2a-extensions': STAMPS } });

    expect(answer.headers['x-a2a-extensions']).toBe(STAMPS);
    expect(answer.text).toContain(`"extensions":["${STAMPS}"]`);
  });
});

describe('data of an extension', () => {
  test.each(NEWEST)(
    verifies(['N-08', 'N-10'], '$name: is in metadata under its URI, beside the list of them'),
    async (voice) => {
      const server = await startServer({ agent: TWO });

      const { json } = await server.ask(asking(voice.send({ text: 'stamp' }), STAMPS));

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

  test.each(NEWEST)(
    verifies(['N-08', 'N-10'], '$name: that a caller sends that way arrives and is kept'),
    async (voice) => {
      const server = await startServer({ agent: TWO });
      const ask = voice.send({ text: 'hello', messageId: 'm1', metadata: { [STAMPS]: { wanted: true } } });
      const text = JSON.stringify(ask.body).replace(
        '"messageId":"m1"',
        `"messageId":"m1","extensions":["${STAMPS}"],"metadata":{"${STAMPS}":{"stamp":1}},"stamp":"not a member of a message"`,
      );

      const { json } = await server.ask({ ...asking(ask, STAMPS), body: text });

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

  test(verifies('N-10', 'is seen by the handler, with the metadata of the request'), async () => {
    const server = await startServer({ agent: TWO });

    const { artifacts } = await sendTask(server, RPC_1, { text: 'about', metadata: { [STAMPS]: { wanted: true } } });

    expect(artifacts?.['about']).toContain(`"metadata":{"${STAMPS}":{"wanted":true}}`);
  });
});

test('cards say what there is to know of an extension, in every version that has them', async () => {
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
    expect(json).toMatchObject({ capabilities: TWO });
  }
});
