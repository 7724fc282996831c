/** Each kind of credentials × each operation × each fault of the credentials × each binding of 1.0 and 0.3. */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { type AuthKind, type Callers, type Credentials, KINDS, PUBLIC_URL } from './auth/kinds.ts';
import { NEWER_WAYS, type Outcome, outcomeOf, startTask, stepsOf } from './auth/operations.ts';
import { startServer, type TestServer } from './kit/server.ts';

type Setup = Callers & TestServer;

async function startSetup({ callers }: AuthKind): Promise<Setup> {
  const known = await callers();
  const server = await startServer({
    auth: known.auth,
    access: { requiredScopes: ['use'] },
    publicUrl: PUBLIC_URL,
    pushNotifications: true,
  });
  return { ...known, ...server };
}

const CASES = KINDS.flatMap((kind) =>
  NEWER_WAYS.map((way) => ({ kind, way, name: `${kind.name}, ${way.version} ${way.binding}` })),
);

describe.each(CASES)('$name', ({ kind, way }) => {
  const steps = stepsOf(way);

  async function outcomes(
    setup: Setup,
    taskId: string,
    by: Credentials,
  ): Promise<readonly (readonly [string, Outcome])[]> {
    const all: (readonly [string, Outcome])[] = [];
    for (const { operation, input } of steps) {
      all.push([operation, await outcomeOf(way, setup.url, operation, input(taskId), by)]);
    }
    return all;
  }

  test(verifies(['H-04', 'H-06', 'H-16'], 'a request without credentials gets 401 with the challenge'), async () => {
    const setup = await startSetup(kind);
    const taskId = await startTask(way, setup.url, setup.right);
    const before = setup.runs();

    for (const [operation, { status, code, headers, text }] of await outcomes(setup, taskId, {})) {
      expect([operation, status, code]).toEqual([operation, 401, 'UNAUTHENTICATED']);
      expect(headers.get('www-authenticate')).toBe(kind.challenge);
      if (way.binding === 'JSONRPC') expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: null });
    }
    expect(setup.runs()).toBe(before);
  });

  test(verifies(['H-05', 'H-06', 'H-09'], 'every operation rejects invalid credentials with 401'), async () => {
    const setup = await startSetup(kind);
    const taskId = await startTask(way, setup.url, setup.right);
    const before = setup.runs();
    const problem = kind.challenge.startsWith('Bearer') ? ', error="invalid_token"' : '';

    expect(Object.keys(setup.bad)).not.toEqual([]);
    for (const [name, by] of Object.entries(setup.bad)) {
      for (const [operation, { status, code, headers, text }] of await outcomes(setup, taskId, by)) {
        expect([name, operation, status, code]).toEqual([name, operation, 401, 'UNAUTHENTICATED']);
        expect(headers.get('www-authenticate')).toBe(kind.challenge + problem);
        expect(text).not.toContain(taskId);
      }
    }
    expect(setup.runs()).toBe(before);
  });

  test(
    verifies(['H-07', 'H-08'], 'a caller without the required scope gets 403, which names only the scope'),
    async () => {
      const setup = await startSetup(kind);
      const taskId = await startTask(way, setup.url, setup.right);

      for (const [operation, outcome] of await outcomes(setup, taskId, setup.wrongScope)) {
        const { status, code, details, headers, text } = outcome;
        expect([operation, status, code]).toEqual([operation, 403, 'PERMISSION_DENIED']);
        expect(details).toEqual({ error: 'insufficient_scope', scope: 'use' });
        const isBearer = kind.challenge.startsWith('Bearer');
        expect(headers.get('www-authenticate')).toBe(
          isBearer ? `${kind.challenge}, error="insufficient_scope", scope="use"` : null,
        );
        expect(text).not.toContain(taskId);
      }
    },
  );

  test(
    verifies(['H-09', 'H-17'], 'a task of another caller gets the same response as a task that does not exist'),
    async () => {
      const setup = await startSetup(kind);
      const taskId = await startTask(way, setup.url, setup.right);
      const madeUp = crypto.randomUUID();

      for (const { operation, input, isOfTask } of steps) {
        const foreign = await outcomeOf(way, setup.url, operation, input(taskId), setup.other);
        if (!isOfTask) {
          expect(foreign.text).not.toContain(taskId);
          continue;
        }
        const unknown = await outcomeOf(way, setup.url, operation, input(madeUp), setup.other);
        expect([operation, foreign.code]).toEqual([operation, 'TASK_NOT_FOUND']);
        expect(foreign.status).toBe(unknown.status);
        expect(foreign.text.replaceAll(taskId, madeUp)).toBe(unknown.text);
      }
    },
  );

  test(verifies('H-04', 'every operation serves a caller with the required scope'), async () => {
    const setup = await startSetup(kind);
    const taskId = await startTask(way, setup.url, setup.right);

    for (const [operation, { status, code, text }] of await outcomes(setup, taskId, setup.right)) {
      // The agent has no extended card.
      const isAbsent = operation === 'GetExtendedAgentCard';
      expect([operation, code]).toEqual([operation, isAbsent ? code : undefined]);
      expect([401, 403, 500, 503]).not.toContain(status);
      if (operation === 'ListTasks') expect(text).toContain(taskId);
    }
  });
});

describe.each(CASES.filter(({ way }) => way.version === '1.0'))('$name', ({ kind, way }) => {
  test(
    verifies(['H-09', 'H-17'], 'a task of another tenant gets the same response as a task that does not exist'),
    async () => {
      const { url, right } = await startSetup(kind);
      const taskId = await startTask(way, url, right, 'acme');
      const madeUp = crypto.randomUUID();

      for (const { operation, input, isOfTask } of stepsOf(way)) {
        if (!isOfTask) continue;
        const foreign = await outcomeOf(way, url, operation, { ...input(taskId), tenant: 'globex' }, right);
        const unknown = await outcomeOf(way, url, operation, { ...input(madeUp), tenant: 'globex' }, right);
        expect([operation, foreign.code]).toEqual([operation, 'TASK_NOT_FOUND']);
        expect(foreign.text.replaceAll(taskId, madeUp)).toBe(unknown.text);
      }
      expect((await outcomeOf(way, url, 'GetTask', { id: taskId, tenant: 'acme' }, right)).code).toBeUndefined();
    },
  );
});
