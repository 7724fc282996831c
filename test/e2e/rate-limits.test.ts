/** Request rates per caller (1.0 §13.4): counted before the body is read, and reported in headers and errors. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { A2AError } from '../../src/errors.ts';
import type { Authenticator } from '../../src/host/auth/authenticator.ts';
import { createHandler } from '../../src/server/handler.ts';
import { TokenBuckets } from '../../src/host/limits/token-buckets.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { startServer } from './kit/server.ts';
import { FORMATS_1, REST_1, RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';

const NOW = Date.UTC(2026, 2, 12, 10);

/** One request per six seconds, with bursts of three. */
const SLOW = { perMinute: 10, burst: 3 };

/** Stops the clock, so that the numbers in headers are exact. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
}

function rateOf({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }): readonly unknown[] {
  return ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
}

function inSeconds(seconds: number): string {
  return String(NOW / 1000 + seconds);
}

/** Authenticates any name with the right password. */
const PASSWORD: Authenticator = {
  schemes: { password: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
  challenge: 'Bearer',
  authenticate(request) {
    const [, name, password] = /^Bearer (\w+):(\w+)$/.exec(request.header('authorization') ?? '') ?? [];
    if (name === undefined) return undefined;
    if (password === 'right') return { id: name, isVerified: true };
    throw new A2AError('UNAUTHENTICATED', 'Wrong password');
  },
};

/** The same, but asynchronous. */
const SLOW_PASSWORD: Authenticator = {
  ...PASSWORD,
  authenticate: async (request, served) => PASSWORD.authenticate(request, served),
};

function as(name: string, ask: Ask, password = 'right'): Ask {
  return { ...ask, headers: { ...ask.headers, authorization: `Bearer ${name}:${password}` } };
}

function from(address: string, ask: Ask): Ask {
  return { ...ask, headers: { ...ask.headers, 'x-forwarded-for': address } };
}

describe('a caller over the rate limit', () => {
  test.each(WIRE_FORMATS)(
    verifies('E-19', '$name: gets 429 with Retry-After and the rate limit headers'),
    async (format) => {
      stopClock();
      const server = await startServer({ limits: { rate: SLOW } });

      const sent = await server.ask(format.send({ text: 'hello' }));
      const streamed = await server.ask(format.stream({ text: 'hello' }));
      const unknown = await server.ask(format.get('unknown'));
      const rejected = await server.ask(format.cancel('unknown'));

      expect(rateOf(sent)).toEqual(['3', '2', inSeconds(6)]);
      expect(streamed.headers['content-type']).toBe('text/event-stream');
      expect(rateOf(streamed)).toEqual(['3', '1', inSeconds(12)]);
      expect(rateOf(unknown)).toEqual(['3', '0', inSeconds(18)]);
      expect(format.error(unknown).reason).toBe('TASK_NOT_FOUND');
      expect(rejected.status).toBe(429);
      expect(rateOf(rejected)).toEqual(['3', '0', inSeconds(18)]);
      expect(rejected.headers['retry-after']).toBe('6');
      expect(format.error(rejected)).toMatchObject({
        reason: 'RATE_LIMIT_EXCEEDED',
        message: 'Rate limit exceeded: 10 requests per minute, with bursts of up to 3',
      });
      if (format.binding === 'JSON-RPC')
        expect(rejected.json).toMatchObject({ id: null, error: { code: expect.any(Number) } });

      vi.setSystemTime(NOW + 6000);
      expect(format.error(await server.ask(format.get('unknown'))).reason).toBe('TASK_NOT_FOUND');
      expect((await server.ask(format.get('unknown'))).status).toBe(429);
    },
  );

  const OPERATIONS: readonly Ask[] = [
    { method: 'GET', path: '/tasks' },
    { method: 'POST', path: '/tasks/x:subscribe' },
    { method: 'GET', path: '/tasks/x/pushNotificationConfigs' },
    { method: 'DELETE', path: '/tasks/x/pushNotificationConfigs/y' },
    { method: 'GET', path: '/extendedAgentCard' },
    { method: 'GET', path: '/agent/authenticatedExtendedCard' },
    { method: 'GET', path: '/nothing/here' },
    { method: 'POST', path: '/a2a', body: 'no JSON' },
  ];
  test.each(OPERATIONS)(verifies('E-19', '$method $path counts against the rate limit'), async (ask) => {
    const server = await startServer({ pushNotifications: true, limits: { rate: { perMinute: 1, burst: 1 } } });

    const first = await server.ask(ask);
    const second = await server.ask(ask);

    expect(first.status).not.toBe(429);
    expect(rateOf(first).slice(0, 2)).toEqual(['1', '0']);
    expect(second.status).toBe(429);
  });

  test.each(['/.well-known/agent-card.json', '/healthz', '/readyz'])(
    '%s does not count against the rate limit',
    async (path) => {
      const server = await startServer({ limits: { rate: { perMinute: 1, burst: 1 } } });

      for (let i = 0; i < 3; i++) {
        const answer = await server.ask({ method: 'GET', path });
        expect(answer.status).toBe(200);
        expect(rateOf(answer)).toEqual([undefined, undefined, undefined]);
      }
    },
  );

  test('the server does not read the body of a request over the rate limit', async () => {
    const server = await startServer({ limits: { rate: { perMinute: 1, burst: 1 } } });
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new Uint8Array(++pulled)) },
      { highWaterMark: 0 },
    );
    const request = (): Request =>
      new Request('http://localhost/message:send', { method: 'POST', body, duplex: 'half' });

    await server.server.handler.fetch(new Request('http://localhost/tasks'));
    const answer = await server.server.handler.fetch(request());

    expect(answer.status).toBe(429);
    expect(pulled).toBe(0);
  });
});

describe('requests that share one rate limit', () => {
  test.each([
    ['a synchronous authenticator', PASSWORD],
    ['an asynchronous authenticator', SLOW_PASSWORD],
  ])(verifies('E-19', 'an authenticated caller has one limit for all its addresses: %s'), async (_, auth) => {
    const server = await startServer({ auth, trustProxy: true, limits: { rate: SLOW } });
    const ask = REST_1.get('unknown');

    const alice = await Promise.all(
      ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) =>
        server.ask(from(address, as('alice', ask))),
      ),
    );
    const bob = await server.ask(from('192.0.2.1', as('bob', ask)));

    expect(alice.filter(({ status }) => status === 404)).toHaveLength(3);
    expect(alice.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(bob.status).toBe(404);
  });

  test.each([
    ['requests from one address share a limit', ['192.0.2.1', '192.0.2.1'], true],
    ['the last hop of X-Forwarded-For counts', ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1'], true],
    ['the port of an address does not count', ['192.0.2.1:4711', '192.0.2.1:4712'], true],
    ['an IPv4 address and its IPv6 form share a limit', ['192.0.2.1', '::ffff:192.0.2.1'], true],
    ['addresses of one IPv6 network share a limit', ['2001:db8:0:7::1', '[2001:db8::7:ffff:0:0:2]:80'], true],
    ['invalid addresses share the limit of the proxy', ['unknown', 'a'.repeat(1000)], true],
    ['two addresses have separate limits', ['192.0.2.1', '192.0.2.2'], false],
    ['two IPv6 networks have separate limits', ['2001:db8:0:7::1', '2001:db8:0:8::1'], false],
  ])('anonymous callers: %s', async (_, [first = '', second = ''], isOne) => {
    const server = await startServer({ trustProxy: true, limits: { rate: { perMinute: 1, burst: 1 } } });
    const ask = RPC_1.get('unknown');

    expect((await server.ask(from(first, ask))).status).toBe(200);
    expect((await server.ask(from(second, ask))).status).toBe(isOne ? 429 : 200);
  });

  test('X-Forwarded-For does not change the rate limit unless trustProxy is set', async () => {
    const server = await startServer({ limits: { rate: { perMinute: 1, burst: 1 } } });
    const ask = REST_1.get('unknown');

    expect((await server.ask(from('192.0.2.1', ask))).status).toBe(404);
    expect((await server.ask(from('192.0.2.2', ask))).status).toBe(429);
  });

  test('over fetch, requests count by remoteAddress, and requests without one share a limit', async () => {
    const handler = createHandler(scripted().agent, {
      store: memoryStore(),
      limits: { rate: { perMinute: 1, burst: 1 } },
    });
    onTestFinished(() => handler.close());
    const status = async (where?: object): Promise<number> =>
      (await handler.fetch(new Request('http://localhost/tasks'), where)).status;

    expect([await status(), await status({ env: 'of a host' })]).toEqual([200, 429]);
    const [one, two] = [{ remoteAddress: '192.0.2.1' }, { remoteAddress: '192.0.2.2' }];
    expect([await status(one), await status(one), await status(two)]).toEqual([200, 429, 200]);
  });
});

describe('the default rate limit', () => {
  const MANY = Array.from({ length: 101 }, () => REST_1.get('unknown'));

  test(verifies('E-19', 'allows bursts of 100 requests and 600 per minute for a remote caller'), async () => {
    stopClock();
    const server = await startServer({ trustProxy: true });

    const answers = await Promise.all(MANY.map((ask) => server.ask(from('192.0.2.1', ask))));

    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(answers.find(({ status }) => status === 429)?.headers['x-ratelimit-limit']).toBe('100');
    vi.setSystemTime(NOW + 1000);
    expect(rateOf(await server.ask(from('192.0.2.1', REST_1.get('unknown'))))).toEqual(['100', '9', inSeconds(11)]);
  });

  test('does not apply to anonymous callers on this machine', async () => {
    const server = await startServer();

    const answers = await Promise.all(MANY.map((ask) => server.ask(ask)));

    expect(answers.every(({ status }) => status === 404)).toBe(true);
    expect(answers.flatMap(rateOf).filter((header) => header !== undefined)).toEqual([]);
  });

  test(verifies('E-19', 'applies to authenticated callers on this machine'), async () => {
    stopClock();
    const server = await startServer({ auth: PASSWORD });

    const answers = await Promise.all(MANY.map((ask) => server.ask(as('alice', ask))));

    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  test('applies to callers whose forwarded address is 127.0.0.1', async () => {
    stopClock();
    const server = await startServer({ trustProxy: true });

    const answers = await Promise.all(MANY.map((ask) => server.ask(from('127.0.0.1', ask))));

    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  test('applies to authenticated, but not to anonymous callers of fetch in the same process', async () => {
    stopClock();
    const status = async (auth: Authenticator | undefined): Promise<readonly number[]> => {
      const handler = createHandler(scripted().agent, { store: memoryStore(), ...(auth && { auth }) });
      onTestFinished(() => handler.close());
      const answers = MANY.map(() =>
        handler.fetch(new Request('http://localhost/tasks/x', { headers: { authorization: 'Bearer alice:right' } })),
      );
      return (await Promise.all(answers)).map((answer) => answer.status);
    };

    expect(await status(undefined)).not.toContain(429);
    expect((await status(PASSWORD)).filter((each) => each === 429)).toHaveLength(1);
  });

  test('is removed by limits.rate: false', async () => {
    const server = await startServer({ trustProxy: true, limits: { rate: false } });

    const answers = await Promise.all(MANY.map((ask) => server.ask(from('192.0.2.1', ask))));

    expect(answers.every(({ status }) => status === 404)).toBe(true);
    expect(answers.flatMap(rateOf).filter((header) => header !== undefined)).toEqual([]);
  });
});

describe('failed logins', () => {
  const FEW = { failedLogins: { perMinute: 10, burst: 2 } };

  test.each([
    ['a synchronous authenticator', PASSWORD],
    ['an asynchronous authenticator', SLOW_PASSWORD],
  ])(
    verifies('H-14', 'more failed logins than the burst block their address, even with a right password: %s'),
    async (_, auth) => {
      stopClock();
      const authenticate = vi.fn<Authenticator['authenticate']>(auth.authenticate);
      const server = await startServer({ auth: { ...auth, authenticate }, trustProxy: true, limits: FEW });
      const guess = (password: string, address = '192.0.2.1'): ReturnType<typeof server.ask> =>
        server.ask(from(address, as('alice', RPC_1.get('unknown'), password)));

      expect((await guess('wrong')).status).toBe(401);
      expect((await guess('false')).status).toBe(401);
      const third = await guess('right');
      expect(third.status).toBe(429);
      expect(third.headers['retry-after']).toBe('6');
      expect(RPC_1.error(third)).toMatchObject({
        reason: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many failed logins from this address',
      });
      expect(authenticate).toHaveBeenCalledTimes(2);

      expect((await guess('right', '192.0.2.2')).status).toBe(200);
      vi.setSystemTime(NOW + 6000);
      expect((await guess('right')).status).toBe(200);
      expect((await guess('right')).status).toBe(200);
    },
  );

  test('requests without credentials do not count as failed logins', async () => {
    const server = await startServer({ auth: PASSWORD, limits: FEW });

    for (let i = 0; i < 5; i++) expect((await server.ask(REST_1.get('unknown'))).status).toBe(401);
    expect((await server.ask(as('alice', REST_1.get('unknown')))).status).toBe(404);
  });

  test('the default is a burst of 20 and 10 per minute, without a limit for local connections', async () => {
    stopClock();
    const server = await startServer({ auth: PASSWORD, trustProxy: true });
    const statuses = async (count: number, address?: string): Promise<readonly number[]> => {
      const seen: number[] = [];
      const guess = as('alice', REST_1.get('unknown'), 'wrong');
      for (let i = 0; i < count; i++) {
        seen.push((await server.ask(address === undefined ? guess : from(address, guess))).status);
      }
      return seen;
    };

    expect((await statuses(22, '192.0.2.1')).slice(-3)).toEqual([401, 429, 429]);
    vi.setSystemTime(NOW + 6000);
    expect(await statuses(2, '192.0.2.1')).toEqual([401, 429]);
    expect((await statuses(22, '127.0.0.1')).slice(-3)).toEqual([401, 429, 429]);
    expect(new Set(await statuses(22))).toEqual(new Set([401]));
  });

  test(verifies('H-14', 'concurrent failed logins above the burst delay the next allowed login'), async () => {
    stopClock();
    const server = await startServer({ auth: SLOW_PASSWORD, trustProxy: true, limits: FEW });
    const guess = (password: string): ReturnType<typeof server.ask> =>
      server.ask(from('192.0.2.1', as('alice', REST_1.get('unknown'), password)));

    const first = await Promise.all(Array.from({ length: 12 }, () => guess('wrong')));
    const looked = first.filter(({ status }) => status === 401).length;

    vi.setSystemTime(NOW + (looked - 2) * 6000);
    expect((await guess('right')).status).toBe(429);
    vi.setSystemTime(NOW + (looked - 1) * 6000);
    expect((await guess('right')).status).toBe(404);
  });

  test('limits.failedLogins: false removes the limit', async () => {
    const server = await startServer({ auth: PASSWORD, trustProxy: true, limits: { failedLogins: false } });

    for (let i = 0; i < 25; i++) {
      const answer = await server.ask(from('192.0.2.1', as('alice', REST_1.get('unknown'), 'wrong')));
      expect(answer.status).toBe(401);
    }
  });
});

describe('a store with takeTokens', () => {
  /** Two stores with the same buckets, as stores of one database have. */
  function sharing(buckets: TokenBuckets, asked: string[] = []): Store {
    const store = memoryStore();
    return Object.assign(store, {
      takeTokens: async ({ bucket }: { readonly bucket: string }) => {
        asked.push(bucket);
        return buckets.take(bucket, Date.now());
      },
    });
  }

  test.each(FORMATS_1)('$name: two servers share the rate limit of a caller', async (format) => {
    const buckets = new TokenBuckets(SLOW);
    const asked: string[] = [];
    const limits = { rate: SLOW };
    const one = await startServer({ auth: PASSWORD, store: sharing(buckets, asked), limits });
    const two = await startServer({ auth: PASSWORD, store: sharing(buckets, asked), limits });

    const answers: number[] = [];
    for (const server of [one, two, one, two]) {
      const answer = await server.ask(as('alice', format.get('unknown')));
      answers.push(Number(answer.headers['x-ratelimit-remaining']), answer.status);
    }

    const fine = format.binding === 'REST' ? 404 : 200;
    expect(answers).toEqual([2, fine, 1, fine, 0, fine, 0, 429]);
    expect(new Set(asked)).toEqual(new Set(['["script","caller","alice"]']));
  });

  test('if takeTokens fails, the server counts in memory and still responds', async () => {
    const takeTokens = async (): Promise<never> => {
      throw new A2AError('UNAVAILABLE', 'The database is away');
    };
    const server = await startServer({
      store: Object.assign(memoryStore(), { takeTokens }),
      limits: { rate: { perMinute: 1, burst: 1 } },
    });

    expect((await server.ask(REST_1.get('unknown'))).status).toBe(404);
    expect((await server.ask(REST_1.get('unknown'))).status).toBe(429);
  });
});
