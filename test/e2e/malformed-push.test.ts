import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import { WebhookSignatures } from '../../src/push/webhook-signature.ts';
import { createWebhookHandler } from '../../src/webhooks/handler.ts';
import { arbitraryJson } from '../helpers/arbitrary-model.ts';
import { arbitraryMutation, HOSTILE_POSITIONS } from '../helpers/hostile-json.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { rawCall, type WireFormat, WIRE_FORMATS } from '../helpers/raw-call.ts';
import { forgedToken } from './malformed/forged-tokens.ts';
import { openSecuredServer, RIGHT_TOKEN } from './malformed/secured-server.ts';
import { hostileUrl, PASSWORD } from './malformed/hostile-urls.ts';
import { assertNoInternals, arbitraryText } from './malformed/arbitrary-requests.ts';

/** Arbitrary webhook URLs in push configurations, and arbitrary requests to a webhook receiver. */

vi.setConfig({ testTimeout: 120_000 });

const SEED = Number(process.env['TANDEM_SEED'] ?? 20_260_312);
const RUNS = Number(process.env['TANDEM_RUNS'] ?? 400);

function interfaceOf(port: number, { binding, version }: WireFormat): string {
  const url = `http://127.0.0.1:${port}`;
  if (binding === 'JSONRPC') return `${url}/a2a`;
  return version === '0.3' ? `${url}/v1` : url;
}

describe('the address of a push configuration', () => {
  test.each(WIRE_FORMATS)('$version over $binding: every notation of a private address is rejected', async (format) => {
    await using guarded = await openSecuredServer();
    const url = interfaceOf(guarded.server.port, format);
    const headers = { authorization: `Bearer ${RIGHT_TOKEN}` };
    await fc.assert(
      fc.asyncProperty(hostileUrl, async (address) => {
        const config = { taskId: guarded.task, id: 'c', url: address, token: 'token' };
        const response = await rawCall(format, url, 'CreateTaskPushNotificationConfig', config, { headers });
        const text = await response.text();
        const answer = { status: response.status, headers: Object.fromEntries(response.headers), text };
        guarded.check(answer, PASSWORD);
        expect([response.status, text.includes('-32602') || text.includes('INVALID')]).toEqual([
          format.binding === 'JSONRPC' ? 200 : 400,
          true,
        ]);
      }),
      { seed: SEED, numRuns: RUNS / 4 },
    );
  });

  test.each(WIRE_FORMATS)(
    '$version over $binding: an arbitrary text gets a response, and is accepted only as a public https URL',
    async (format) => {
      await using guarded = await openSecuredServer();
      const url = interfaceOf(guarded.server.port, format);
      const headers = { authorization: `Bearer ${RIGHT_TOKEN}` };
      const any = fc.oneof(
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        arbitraryText.map((text) => `https://${text}`),
        // In 0.1, an empty URL removes the configuration.
        fc.string({ unit: 'grapheme', minLength: 1 }),
      );
      await fc.assert(
        fc.asyncProperty(any, async (address) => {
          const config = { taskId: guarded.task, id: 'c', url: address };
          const response = await rawCall(format, url, 'CreateTaskPushNotificationConfig', config, { headers });
          const text = await response.text();
          guarded.check({ status: response.status, headers: Object.fromEntries(response.headers), text });
          if (response.status !== 200 || text.includes('"error"')) return;
          const { protocol, hostname, username } = new URL(address);
          expect([protocol, username, hostname.includes('.') || hostname.startsWith('[')]).toEqual([
            'https:',
            '',
            true,
          ]);
        }),
        { seed: SEED, numRuns: RUNS / 4 },
      );
    },
  );
});

describe('a receiver of notifications', () => {
  const SECRET = 'webhook-secret-of-more-than-32-characters';
  const TOKEN = 'token-of-this-receiver';
  const NOTIFICATIONS: readonly JsonValue[] = [
    { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [], history: [] } },
    { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } },
    { artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } } },
    { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } },
    { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' }, history: [], artifacts: [] },
    { id: 't', status: { state: 'completed', message: { role: 'agent', parts: [{ type: 'text', text: 'x' }] } } },
  ];
  const mutated = fc
    .tuple(fc.constantFrom(...NOTIFICATIONS), fc.array(arbitraryMutation, { maxLength: 3 }))
    .map(([valid, changes]) => JSON.stringify(changes.reduce<JsonValue>((now, change) => change(now), valid)));
  /** Deep enough to overflow the stack of recursive code. */
  const deep = fc
    .constantFrom(['[', ']'], ['{"a":', '1}'], ['{"task":', '1}'], ['{"kind":"data","data":', '1}'])
    .map(([open = '', close = '']) => open.repeat(10_000) + close.repeat(10_000));
  const monstrous = fc
    .tuple(fc.constantFrom(...HOSTILE_POSITIONS), deep)
    .map(([hide, monster]) => JSON.stringify(hide('$MONSTER')).replaceAll('"$MONSTER"', monster));
  const content = fc.oneof(
    { weight: 6, arbitrary: mutated },
    { weight: 2, arbitrary: arbitraryJson.map((json) => JSON.stringify(json)) },
    { weight: 1, arbitrary: monstrous },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );

  /** A receiver with a secret and a token, which must be in none of its responses. */
  function openReceiver() {
    const log = recordingLog();
    const events: unknown[] = [];
    const onEvent = (event: unknown): void => void events.push(event);
    const { fetch } = createWebhookHandler({ secret: SECRET, token: TOKEN, onEvent, log });
    onTestFinished(() => expect(log.lines).toEqual([]));
    return {
      events,
      async post(headers: Headers, body: string | Uint8Array, method = 'POST'): Promise<number> {
        const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
        const isBodiless = method === 'GET' || method === 'HEAD';
        const request = new Request('https://receiver.example/hook', {
          method,
          headers,
          ...(!isBodiless && { body: bytes }),
        });
        const response = await fetch(request);
        const text = await response.text();
        assertNoInternals({
          status: response.status,
          headers: { 'www-authenticate': '', ...Object.fromEntries(response.headers) },
          text,
        });
        for (const secret of [SECRET, TOKEN]) expect(text).not.toContain(secret);
        return response.status;
      },
    };
  }

  test('rejects every unsigned request, with arbitrary headers and bodies', async () => {
    const { post, events } = openReceiver();
    const names = fc.constantFrom(
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'x-a2a-notification-token',
      'x-a2a-notification-jwt',
      'authorization',
      'content-type',
      'content-length',
    );
    const values = fc.oneof(
      arbitraryText,
      forgedToken,
      fc.constantFrom(TOKEN, 'v1,', 'v1,AAAA', 'v1,AAAA v1,AAAA', 'v1a,AAAA', String(Math.floor(Date.now() / 1000))),
    );
    const verbs = fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'GET', 'HEAD', 'DELETE', 'OPTIONS');
    const bodies = fc.oneof(content, fc.uint8Array({ maxLength: 60 }));
    await fc.assert(
      fc.asyncProperty(verbs, fc.array(fc.tuple(names, values)), bodies, async (method, given, body) => {
        const headers = new Headers();
        for (const [name, value] of given) if (isHeaderValue(value)) headers.append(name, value);
        expect([400, 401, 405]).toContain(await post(headers, body, method));
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(events).toEqual([]);
  });

  test('rejects a body that nests too deeply before it is parsed', async () => {
    const { fetch } = createWebhookHandler({ insecure: true, onEvent: () => {} });
    const body = '['.repeat(100_000);
    const response = await fetch(new Request('https://receiver.example/hook', { method: 'POST', body }));
    expect([response.status, await response.json()]).toEqual([400, { error: 'The body nests deeper than 80 levels' }]);
  });

  test('responds to arbitrary signed bodies with 204 or 400, and delivers each that it can decode', async () => {
    const { post, events } = openReceiver();
    const signatures = new WebhookSignatures([SECRET]);
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(content, fc.uuid(), async (text, id) => {
        // A lone surrogate has no UTF-8 bytes, so the signed text is the one that is sent.
        const body = Buffer.from(text).toString();
        const timestamp = String(Math.floor(Date.now() / 1000));
        const headers = new Headers({
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': await signatures.sign({ id, timestamp, body }),
          'x-a2a-notification-token': TOKEN,
        });
        const status = await post(headers, body);
        expect([204, 400]).toContain(status);
        if (status === 204) taken += 1;
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(taken).toBeGreaterThan(10);
    expect(events).toHaveLength(taken);
  });
});

/** Whether `Headers` accepts the value; HTTP allows no others. */
function isHeaderValue(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}
