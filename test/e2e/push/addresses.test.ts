/** The addresses that an agent may call, in every operation and option that takes one. */
import { describe, expect, test } from 'vitest';
import type { TaskPushNotificationConfig } from '../../../src/model/push.ts';
import { rawCall, type WireFormat, WIRE_FORMATS } from '../../helpers/raw-call.ts';
import { verifies } from '../../helpers/verifies.ts';
import { serveOnSocket, startServer } from '../kit/server.ts';
import { agent } from '../../../src/agent/agent.ts';
import { NEVER, deliveryOf, outbound } from './deliveries.ts';
import { HOSTILE_ADDRESSES } from './hostile-addresses.ts';
import { startReceiver } from './receiver.ts';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } as const;

function interfaceOf(url: string, { binding, version }: WireFormat): string {
  if (binding === 'JSONRPC') return `${url}/a2a`;
  return version === '0.3' ? `${url}/v1` : url;
}

interface Rejection {
  readonly status: number;
  readonly text: string;
}

async function rejectionOf(pending: Promise<Response>): Promise<Rejection> {
  const response = await pending;
  return { status: response.status, text: await response.text() };
}

/** -32602 over JSON-RPC, 400 over REST, with the path of the invalid member. */
function isInvalidParams({ status, text }: Rejection, format: WireFormat): boolean {
  const isRejected = format.binding === 'JSONRPC' ? text.includes('"code":-32602') : status === 400;
  return isRejected && text.includes('url');
}

describe('a push configuration', async () => {
  test('is tested with at least 60 different hostile addresses', () => {
    expect(new Set(HOSTILE_ADDRESSES).size).toBeGreaterThanOrEqual(60);
    expect(new Set(HOSTILE_ADDRESSES).size).toBe(HOSTILE_ADDRESSES.length);
  });

  test.each(WIRE_FORMATS)(
    verifies('P-12', 'of $version over $binding is rejected if its address is hostile, alone or in a message'),
    async (format) => {
      const server = await startServer({ pushNotifications: true });
      const sent = await server.ask({ method: 'POST', path: '/message:send', body: { message: MESSAGE } });
      const { id: taskId } = (sent.json as { task: { id: string } }).task;
      const url = interfaceOf(server.url, format);
      const accepted: string[] = [];
      for (const address of HOSTILE_ADDRESSES) {
        const config: TaskPushNotificationConfig = { taskId, id: 'c', url: address, token: 't' };
        const created = rejectionOf(rawCall(format, url, 'CreateTaskPushNotificationConfig', config));
        const inline = rejectionOf(
          rawCall(format, url, 'SendMessage', {
            message: { ...MESSAGE, ...(format.version === '0.1' && { taskId: 'mine' }) },
            configuration: { taskPushNotificationConfig: { url: address } },
          }),
        );
        for (const { status, text } of [await created, await inline])
          if (!isInvalidParams({ status, text }, format)) accepted.push(`${address}: ${status} ${text}`);
      }
      expect(accepted).toEqual([]);
      expect(server.runs()).toBe(1);
      expect((await server.ask({ method: 'GET', path: `/tasks/${taskId}/pushNotificationConfigs` })).json).toEqual({
        configs: [],
        nextPageToken: '',
      });
    },
  );

  test('is rejected with the same text for every kind of forbidden address', async () => {
    const server = await startServer({ pushNotifications: true, push: { allowHosts: ['hooks.example.com'] } });
    const sent = await server.ask({ method: 'POST', path: '/message:send', body: { message: MESSAGE } });
    const { id } = (sent.json as { task: { id: string } }).task;
    const texts = new Set<string>();
    for (const url of ['https://10.0.0.1/', 'https://localhost/', 'https://db/', 'https://public.example.com/']) {
      const path = `/tasks/${id}/pushNotificationConfigs`;
      texts.add((await server.ask({ method: 'POST', path, body: { url } })).text);
    }
    expect(texts.size).toBe(1);
  });

  test.each([
    [{}, 'https://hooks.example.com/hook', 200],
    [{}, 'https://hooks.example.com:8443/hook?task=1', 200],
    [{}, 'https://93.184.216.34/hook', 200],
    [{}, 'https://[2606:2800:220:1::1]/hook', 200],
    [{ allowHttp: true }, 'http://hooks.example.com/hook', 200],
    [{ allowHttp: true }, 'http://localhost/hook', 400],
    [{ allowPorts: [443] }, 'https://hooks.example.com:8443/hook', 400],
    [{ allowPorts: [443, 22] }, 'https://hooks.example.com:22/hook', 200],
    [{ allowHosts: ['hooks.example.com'] }, 'https://hooks.example.com./hook', 200],
    [{ allowHosts: ['hooks.example.com'] }, 'https://evilhooks.example.com/hook', 400],
    [{ allowHosts: ['*.example.com'] }, 'https://a.b.example.com/hook', 200],
    [{ allowHosts: ['*.example.com'] }, 'https://example.com/hook', 400],
    [{ allowHosts: ['*.example.com'] }, 'https://badexample.com/hook', 400],
    [{ allowHosts: ['localhost'] }, 'https://localhost/hook', 400],
    [{ allowPrivate: ['http://127.0.0.1:4200'] }, 'http://127.0.0.1:4200/hook', 200],
    [{ allowPrivate: ['http://127.0.0.1:4200'] }, 'http://127.1:4200/hook', 200],
    [{ allowPrivate: ['http://127.0.0.1:4200'] }, 'http://127.0.0.1:4201/hook', 400],
    [{ allowPrivate: ['http://127.0.0.1:4200'] }, 'https://127.0.0.1:4200/hook', 400],
    [{ allowPrivate: ['http://127.0.0.1:4200'] }, 'http://localhost:4200/hook', 400],
    [{ allowPrivate: ['http://127.0.0.1:4200'] }, 'http://me:pw@127.0.0.1:4200/hook', 400],
    [{ allowPrivate: ['http://localhost:*'] }, 'http://localhost:49152/hook', 200],
    [{ allowPrivate: ['http://localhost:*'] }, 'http://localhost/hook', 200],
    [{ allowPrivate: ['http://localhost:*'] }, 'https://localhost:49152/hook', 400],
    [{ allowPrivate: ['http://localhost:*'] }, 'http://localhost.example.com:49152/hook', 400],
    [{ allowPrivate: ['http://localhost:*'] }, 'http://127.0.0.1:49152/hook', 400],
    [{ allowPrivate: ['http://localhost:*'] }, 'http://me:pw@localhost:49152/hook', 400],
    [{ allowPrivate: ['http://[::1]:*'] }, 'http://[::1]:49152/hook', 200],
    [{ allowPrivate: ['127.0.0.0/8'] }, 'http://127.8.9.10:49152/hook', 200],
    [{ allowPrivate: ['127.0.0.0/8'] }, 'http://[::ffff:127.0.0.1]:49152/hook', 200],
    [{ allowPrivate: ['127.0.0.0/8'] }, 'http://localhost:49152/hook', 400],
    [{ allowPrivate: ['127.0.0.0/8'] }, 'http://10.0.0.1/hook', 400],
    [{ allowPrivate: ['fd00::/8'] }, 'https://[fd12::1]/hook', 200],
    [{ allowPrivate: ['10.0.0.0/8'], allowHosts: ['hooks.example.com'] }, 'https://10.1.2.3/hook', 200],
  ])(verifies('P-12', 'with the options %j and the address %s gets %d'), async (push, url, status) => {
    const server = await startServer({ pushNotifications: true, push });
    const sent = await server.ask({ method: 'POST', path: '/message:send', body: { message: MESSAGE } });
    // The task has ended, so nothing is sent to an accepted address.
    const { id } = (sent.json as { task: { id: string } }).task;
    const path = `/tasks/${id}/pushNotificationConfigs`;
    const response = await server.ask({ method: 'POST', path, body: { url } });
    expect(response.status).toBe(status);
  });

  test.each([
    [{ token: 'a\r\nX-Evil: 1' }, 'token'],
    [{ token: 'grün' }, 'token'],
    [{ authentication: { scheme: 'Bearer x\r\nX-Evil:', credentials: 'y' } }, 'authentication.scheme'],
    [{ authentication: { scheme: 'Bearer', credentials: 'y\nX-Evil: 1' } }, 'authentication.credentials'],
  ])('with %j is rejected at %s, because the text does not fit into a header', async (secrets, field) => {
    const server = await startServer({ pushNotifications: true });
    const taskPushNotificationConfig = { url: 'https://hooks.example.com/hook', ...secrets };
    const body = { message: MESSAGE, configuration: { taskPushNotificationConfig } };
    const response = await server.ask({ method: 'POST', path: '/message:send', body });
    expect(response.status).toBe(400);
    expect(response.text).toContain(`configuration.taskPushNotificationConfig.${field}`);
  });
});

describe('a delivery', () => {
  test(verifies('P-12', 'is not sent to a hostile address that is already stored'), async () => {
    const { pushTransport } = outbound();
    const called: string[] = [];
    for (const url of HOSTILE_ADDRESSES) {
      const result = await pushTransport.deliver(deliveryOf({ url }), NEVER);
      if (result.kind !== 'failed' || !result.reason.startsWith('The push URL ')) called.push(url);
    }
    expect(called).toEqual([]);
  });

  test.each([
    ['one private address', [{ address: '127.0.0.1', family: 4 }]],
    [
      'one private address among public ones',
      [
        { address: '93.184.216.34', family: 4 },
        { address: '10.0.0.7', family: 4 },
      ],
    ],
    ['a mapped address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['a link-local address with its zone', [{ address: 'fe80::1%lo', family: 6 }]],
    ['no address', []],
  ])(
    verifies('P-12', 'is not sent to a host name that resolves to %s, and the reason does not contain the address'),
    async (_, addresses) => {
      const receiver = await startReceiver();
      const port = new URL(receiver.url).port;
      const { pushTransport } = outbound({ push: { allowHttp: true, resolve: async () => addresses } });

      const result = await pushTransport.deliver(deliveryOf({ url: `http://hooks.example.com:${port}/hook` }), NEVER);

      expect(result.kind).toBe('failed');
      expect(JSON.stringify(result)).not.toMatch(/\d+\.\d+\.\d+|::|fe80|private/);
      expect(receiver.connections()).toBe(0);
    },
  );

  test(verifies('P-12', 'resolves its host name once per attempt, because the address may change'), async () => {
    const receiver = await startReceiver();
    const resolved: string[] = [];
    const resolve = async (name: string) => {
      resolved.push(name);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const { pushTransport } = outbound({ push: { allowHttp: true, resolve } });
    const url = `http://rebinding.example.com:${new URL(receiver.url).port}/hook`;

    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await pushTransport.deliver(deliveryOf({ url }), NEVER)).kind).toBe('failed');
      expect(resolved).toHaveLength(attempt);
    }
    expect(receiver.connections()).toBe(0);
  });

  test('is sent to a host name in allowPrivate that resolves to a private address', async () => {
    const receiver = await startReceiver();
    const origin = `http://hooks.example.com:${new URL(receiver.url).port}`;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const { pushTransport } = outbound({ push: { allowPrivate: [origin], resolve } });

    expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook` }), NEVER)).toEqual({ kind: 'delivered' });
    expect(receiver.received[0]?.headers['host']).toBe(new URL(origin).host);
  });
});

describe('a delivery to a host name that resolves to 127.0.0.1', () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];

  test.each([
    [['127.0.0.0/8'], 'delivered', 1],
    [['10.0.0.0/8', '::1/128'], 'failed', 0],
  ])('with allowPrivate: %j is %s', async (allowPrivate, kind, received) => {
    const receiver = await startReceiver();
    const url = `http://hooks.example.com:${new URL(receiver.url).port}/hook`;
    const { pushTransport } = outbound({ push: { allowHttp: true, allowPrivate, resolve } });

    expect(await pushTransport.deliver(deliveryOf({ url }), NEVER)).toMatchObject({ kind });
    expect(receiver.received).toHaveLength(received);
  });
});

describe('a file in a message', () => {
  /** An agent that returns the contents of the files of a message, or the errors. */
  const fileAgent = agent({
    name: 'Files',
    description: 'Reads files.',
    async run({ files }) {
      const texts = files.map(async (file) => {
        try {
          return new TextDecoder().decode(await file.bytes());
        } catch (error) {
          return `failed: ${(error as Error).message}`;
        }
      });
      return (await Promise.all(texts)).join('\n');
    },
  });

  async function read(
    options: Parameters<typeof serveOnSocket>[1],
    ...urls: readonly string[]
  ): Promise<readonly string[]> {
    const { ask } = await serveOnSocket(fileAgent, options);
    const message = { messageId: 'm', role: 'ROLE_USER', parts: urls.map((url) => ({ url })) };
    const response = await ask({ method: 'POST', path: '/message:send', body: { message } });
    const { task } = response.json as { task: { artifacts: { parts: { text: string }[] }[] } };
    return task.artifacts[0]?.parts[0]?.text.split('\n') ?? [];
  }

  test(verifies('E-18', 'is not fetched from a hostile address'), async () => {
    const texts = await read({}, ...HOSTILE_ADDRESSES.filter((url) => !url.includes('\n')));
    expect(texts).toHaveLength(HOSTILE_ADDRESSES.length);
    expect(texts.filter((text) => !/^failed: (must|expected)/.test(text))).toEqual([]);
  });

  test(verifies('E-18', 'is not fetched from a host name that resolves to a private address'), async () => {
    const receiver = await startReceiver();
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const url = `http://files.example.com:${new URL(receiver.url).port}/`;
    const [text] = await read({ files: { allowHttp: true, resolve } }, url);
    // Without the address, because the handler may pass the error to its caller.
    expect(text).toBe('failed: must be a public address that this agent is allowed to call');
    expect(receiver.connections()).toBe(0);
  });

  test(verifies('E-18', 'is fetched over at most 3 redirects, each of which is checked'), async () => {
    const privateServer = await startReceiver((response) => void response.end('secret'));
    const publicServer = await startReceiver((response, request) => {
      const { pathname } = new URL(request.url ?? '/', 'http://x');
      const hops = Number(/^\/hops\/(\d+)$/.exec(pathname)?.[1] ?? 0);
      if (pathname === '/private') response.writeHead(302, { location: privateServer.url }).end();
      else if (pathname === '/file-url') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      else if (hops > 0) response.writeHead(307, { location: `/hops/${hops - 1}` }).end();
      else response.end('the file');
    });
    const at = (path: string): string => `${publicServer.origin}${path}`;

    const texts = await read(
      { files: { allowPrivate: [publicServer.origin] } },
      at('/'),
      at('/hops/3'),
      at('/hops/4'),
      at('/private'),
      at('/file-url'),
    );

    expect(texts.slice(0, 2)).toEqual(['the file', 'the file']);
    expect(texts[2]).toContain('more than 3 times');
    expect(texts[3]).toMatch(/^failed: must be an https/);
    expect(texts[4]).toMatch(/^failed: must be an absolute/);
    expect(privateServer.connections()).toBe(0);
  });

  test('is not read if it is too large, compressed, truncated or missing, or the connection breaks', async () => {
    const server = await startReceiver((response, request) => {
      switch (request.url) {
        case '/long':
          return void response.writeHead(200, { 'content-length': 5000 }).end(Buffer.alloc(5000));
        case '/endless': {
          const more = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(400)));
          };
          response.on('drain', more);
          return more();
        }
        case '/compressed':
          return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('xx');
        case '/truncated':
          response.writeHead(200, { 'content-length': 100 }).write('ten bytes.');
          return void setImmediate(() => response.destroy());
        case '/missing':
          return void response.writeHead(404).end('no');
        default:
          response.destroy();
      }
    });
    const paths = ['/long', '/endless', '/compressed', '/truncated', '/missing', '/reset'];
    const texts = await read(
      { files: { allowPrivate: [server.origin], maxBytes: 1000 } },
      ...paths.map((path) => server.origin + path),
    );
    expect(texts).toEqual([
      'failed: The body has more than 1000 bytes',
      'failed: The body has more than 1000 bytes',
      'failed: The file server sent a compressed file, although the request allows none',
      expect.stringMatching(/^failed: /),
      'failed: The file server responded with status 404',
      expect.stringMatching(/^failed: /),
    ]);
    for (const { headers } of server.received) expect(headers).not.toHaveProperty('authorization');
  });
});

test('invalid push options are reported at the start, each with its path and without secrets', async () => {
  const invalid = {
    allowHosts: ['https://example.com', 7],
    allowPrivate: ['127.0.0.1', 'http://127.0.0.1/path'],
    allowHttp: 'yes',
    allowPorts: [0],
    resolve: 'dns',
    timeoutMs: 5,
    signingSecret: ['short', 'whsec_%%%'],
    signingKey: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
    allowPrivates: [],
  };
  const failing = startServer({ pushNotifications: true, push: invalid as never, files: { maxBytes: 0 } });
  await expect(failing).rejects.toThrow(TypeError);
  const text = await failing.then(
    () => '',
    (error: Error) => error.message,
  );
  for (const path of [
    'push.allowHosts[0]',
    'push.allowHosts[1]',
    'push.allowPrivate[0]',
    'push.allowPrivate[1]',
    'push.allowHttp',
    'push.allowPorts[0]',
    'push.resolve',
    'push.timeoutMs',
    'push.signingSecret',
    'push.signingKey',
    'push.allowPrivates',
    'files.maxBytes',
  ])
    expect(text).toContain(path);
  expect(text).not.toContain('%%%');
});

test.each([
  [{ signingSecret: undefined }, 'push.signingSecret: is undefined or empty'],
  [{ signingSecret: [] }, 'push.signingSecret: is undefined or empty'],
  [{ signingSecret: '' }, 'push.signingSecret: must have at least 16 bytes'],
  [{ signingKey: undefined }, 'push.signingKey: is undefined or empty'],
  [{ signingKey: [] }, 'push.signingKey: is undefined or empty'],
])('an agent with the push options %j does not start: %s', async (push, message) => {
  await expect(startServer({ pushNotifications: true, push: push as never })).rejects.toThrow(message);
});
