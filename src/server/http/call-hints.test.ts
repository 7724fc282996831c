import { expect, test } from 'vitest';
import type { Host } from '../../host/host.ts';
import type { HttpRequest } from '../../host/http.ts';
import { sha256 } from '../../support/secret/sha256.ts';
import { A2AError } from '../../errors.ts';
import { handleCallHint } from './call-hints.ts';

type OnCallHint = Host['onCallHint'];

/** The parts of a host that the endpoint uses. */
function hostWith(onCallHint: OnCallHint, isOverLimit = false): Host {
  const status = { allowed: !isOverLimit, limit: 1, remaining: 0, resetMs: 1000, retryAfterMs: 1000 };
  return {
    onCallHint,
    limits: { rate: { take: () => (isOverLimit ? status : undefined) } },
    failures: {
      publicError: (error: unknown) => (A2AError.is(error) ? error : new A2AError('INTERNAL_ERROR', 'Failed')),
    },
  } as unknown as Host;
}

function request(path: string, token?: string, method = 'POST'): HttpRequest {
  return {
    method,
    path,
    header: (name: string) => (name === 'x-a2a-notification-token' ? token : undefined),
    body: () => Promise.reject(new Error('The body must not be read')),
  } as unknown as HttpRequest;
}

async function hinted(given: HttpRequest, accepts = true) {
  const hints: unknown[] = [];
  const host = hostWith((callId, tokenDigest) => {
    hints.push([callId, tokenDigest]);
    return Promise.resolve(accepts);
  });
  return { status: (await handleCallHint(host, given)).status, hints };
}

test('a notification makes its call due, by the digest of its token and without its body', async () => {
  const { status, hints } = await hinted(request('/_tandem/calls/call%201', 'secret'));
  expect(status).toBe(204);
  expect(hints).toEqual([['call 1', await sha256('secret')]]);
});

test('a notification for an unknown call, or with another token, is not wanted again', async () => {
  expect((await hinted(request('/_tandem/calls/call-1', 'wrong'), false)).status).toBe(410);
});

test.each([
  ['without a token', '/_tandem/calls/call-1', undefined],
  ['with an empty token', '/_tandem/calls/call-1', ''],
  ['with a token of 257 characters', '/_tandem/calls/call-1', 'a'.repeat(257)],
  ['without a call', '/_tandem/calls/', 'secret'],
  ['below a call', '/_tandem/calls/call-1/more', 'secret'],
  ['with an invalid path', '/_tandem/calls/%', 'secret'],
  ['with a long id', `/_tandem/calls/${'a'.repeat(257)}`, 'secret'],
])('a notification %s reaches no call', async (_, path, token) => {
  const { status, hints } = await hinted(request(path, token));
  expect([status, hints]).toEqual([410, []]);
});

test('other methods are rejected', async () => {
  expect((await hinted(request('/_tandem/calls/call-1', 'secret', 'GET'))).status).toBe(405);
});

test('a notification is tried again if the store fails', async () => {
  const host = hostWith(() => Promise.reject(new Error('The disk is full')));
  expect((await handleCallHint(host, request('/_tandem/calls/call-1', 'secret'))).status).toBe(500);
});
