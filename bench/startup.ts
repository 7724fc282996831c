import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Bench } from './harness/bench.ts';
import { type Goal, goalTable } from './harness/goals.ts';
import { rotated } from './harness/http-rounds.ts';
import { BENCH_FOLDER, buildProduct, importProduct, ROOT } from './harness/product.ts';
import { ratios, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';

type ServerModule = typeof import('../src/server/index.ts');
type NodeModule = typeof import('../src/node/index.ts');

/** One run of a command, measured from the moment at which a shell would start it. */
interface Started {
  /** Until the process has ended. */
  readonly totalMs: number;
  /** Until its first request to the agent. Equals the total if there is none. */
  readonly firstRequestMs: number;
}

const NODE = 'node, an empty file';
const REQUESTS = 'node, the same two requests';
const HELP = 'tandem --help';
const SEND = 'tandem send';
const AT_MOST = 1.5;

/** A card request and a message without any library: the minimum for a program that knows the agent in advance. */
const TWO_REQUESTS = `
  import { request } from 'node:http';
  const [, url] = process.argv;
  const body = JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(url + '/.well-known/agent-card.json', (card) => {
    card.resume().on('end', () => {
      request(url + '/message:send', { method: 'POST', headers }, (answer) => answer.pipe(process.stdout)).end(body);
    });
  }).end();
`;

/** The time that users of `tandem` wait, compared with Node itself. */
export const startup: Bench = {
  name: 'startup',
  async run({ quick }) {
    buildProduct();
    const { agent, memoryStore } = await importProduct<ServerModule>('server/index.js');
    const { serve } = await importProduct<NodeModule>('node/index.js');
    const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text });
    await using server = await serve(echo, { port: 0, store: memoryStore() });
    const proxy = new FirstRequestProxy(Number(new URL(server.url).port));
    const url = await proxy.open();
    const main = fileURLToPath(new URL('dist/cli/main.js', ROOT));
    const commands: readonly (readonly [name: string, args: readonly string[]])[] = [
      [NODE, [fileURLToPath(new URL('harness/empty.mjs', BENCH_FOLDER))]],
      [REQUESTS, ['--input-type=module', '-e', TWO_REQUESTS, url]],
      [HELP, [main, '--help']],
      [SEND, [main, 'send', url, 'hello']],
    ];
    const rounds = quick ? 3 : 31;
    const measured = new Map(commands.map(([name]) => [name, [] as Started[]]));
    // The first round fills the caches of the file system.
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, args] of rotated(commands, round + 1)) {
        const one = await start(args, proxy);
        if (round >= 0) measured.get(name)?.push(one);
      }
    }
    await proxy.close();
    return report(measured, rounds);
  },
};

/** Forwards all requests to the agent and records the time of the first one. */
class FirstRequestProxy {
  readonly #server: Server;
  firstRequestAt: number | undefined;

  constructor(port: number) {
    this.#server = createServer((socket) => {
      this.firstRequestAt ??= performance.now();
      const upstream = connect(port, '127.0.0.1');
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    });
  }

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await once(this.#server.close(), 'close');
  }
}

async function start(args: readonly string[], proxy: FirstRequestProxy): Promise<Started> {
  proxy.firstRequestAt = undefined;
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } });
  await once(child, 'exit');
  const totalMs = performance.now() - startedAt;
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
  return { totalMs, firstRequestMs: proxy.firstRequestAt === undefined ? totalMs : proxy.firstRequestAt - startedAt };
}

function report(measured: ReadonlyMap<string, readonly Started[]>, rounds: number): Awaited<ReturnType<Bench['run']>> {
  const times = (name: string, key: keyof Started): readonly number[] =>
    (measured.get(name) ?? []).map((one) => one[key]);
  const node = times(NODE, 'totalMs');
  const rows = [...measured.keys()].map((name) => ({
    name,
    firstRequestMs: spread(times(name, 'firstRequestMs')),
    totalMs: spread(times(name, 'totalMs')),
    firstRequest: ratios(times(name, 'firstRequestMs'), node),
    total: ratios(times(name, 'totalMs'), node),
  }));
  const goals: Goal[] = rows.flatMap(({ name, firstRequest }) => {
    if (name === HELP) return [{ name: `${name} ÷ node`, measured: firstRequest, atMost: AT_MOST }];
    return name === SEND ? [{ name: `${name}, first request ÷ node`, measured: firstRequest, atMost: AT_MOST }] : [];
  });
  const cells = rows.map((row) => [
    row.name,
    showSpread(row.firstRequestMs),
    showSpread(row.firstRequest),
    showSpread(row.totalMs),
    showSpread(row.total),
  ]);
  return {
    title: `startup: a command in a new process each time (${rounds} rounds)`,
    table: [table(['command', 'ms to first request', '× node', 'ms in total', '× node'], cells), goalTable(goals)].join(
      '\n\n',
    ),
    result: { rows, goals },
  };
}
