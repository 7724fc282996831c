import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Bench } from './harness/bench.ts';
import { type Goal, goalTable } from './harness/goals.ts';
import { turned } from './harness/http-rounds.ts';
import { BENCH_FOLDER, buildProduct, importProduct, ROOT } from './harness/product.ts';
import { ratios, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';

type ServerModule = typeof import('../src/server/index.ts');
type NodeModule = typeof import('../src/node/index.ts');

/** One start of a command, from the moment at which the shell would begin it. */
interface Started {
  /** Until it is over. */
  readonly wholeMs: number;
  /** Until it turns to the agent; as long as the whole if it never does. */
  readonly untilAskedMs: number;
}

const NODE = 'node, an empty file';
const REQUESTS = 'node, the same two requests';
const HELP = 'tandem --help';
const SEND = 'tandem send';
const AT_MOST = 1.5;

/** A card and a message, by hand: what a program must do at least that knows beforehand what it will find. */
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

/** What people wait for who call `tandem`, beside Node itself. */
export const startup: Bench = {
  name: 'startup',
  async run({ quick }) {
    buildProduct();
    const { agent, memoryStore } = await importProduct<ServerModule>('server/index.js');
    const { serve } = await importProduct<NodeModule>('node/index.js');
    const echo = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });
    await using server = await serve(echo, { port: 0, store: memoryStore() });
    const door = new Door(Number(new URL(server.url).port));
    const url = await door.open();
    const main = fileURLToPath(new URL('dist/cli/main.js', ROOT));
    const commands: readonly (readonly [name: string, args: readonly string[]])[] = [
      [NODE, [fileURLToPath(new URL('harness/nothing.mjs', BENCH_FOLDER))]],
      [REQUESTS, ['--input-type=module', '-e', TWO_REQUESTS, url]],
      [HELP, [main, '--help']],
      [SEND, [main, 'send', url, 'hello']],
    ];
    const rounds = quick ? 3 : 31;
    const measured = new Map(commands.map(([name]) => [name, [] as Started[]]));
    // The first round fills the caches of the file system.
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, args] of turned(commands, round + 1)) {
        const one = await start(args, door);
        if (round >= 0) measured.get(name)?.push(one);
      }
    }
    await door.close();
    return report(measured, rounds);
  },
};

/** Lets all through to the agent, and notes when the first one knocks. */
class Door {
  readonly #server: Server;
  knockedAt: number | undefined;

  constructor(port: number) {
    this.#server = createServer((socket) => {
      this.knockedAt ??= performance.now();
      const inside = connect(port, '127.0.0.1');
      socket.pipe(inside).pipe(socket);
      socket.on('error', () => inside.destroy());
      inside.on('error', () => socket.destroy());
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

async function start(args: readonly string[], door: Door): Promise<Started> {
  door.knockedAt = undefined;
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } });
  await once(child, 'exit');
  const wholeMs = performance.now() - startedAt;
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
  return { wholeMs, untilAskedMs: door.knockedAt === undefined ? wholeMs : door.knockedAt - startedAt };
}

function report(measured: ReadonlyMap<string, readonly Started[]>, rounds: number): Awaited<ReturnType<Bench['run']>> {
  const times = (name: string, key: keyof Started): readonly number[] =>
    (measured.get(name) ?? []).map((one) => one[key]);
  const bare = times(NODE, 'wholeMs');
  const rows = [...measured.keys()].map((name) => ({
    name,
    untilAskedMs: spread(times(name, 'untilAskedMs')),
    wholeMs: spread(times(name, 'wholeMs')),
    untilAsked: ratios(times(name, 'untilAskedMs'), bare),
    whole: ratios(times(name, 'wholeMs'), bare),
  }));
  const goals: Goal[] = rows.flatMap(({ name, untilAsked }) => {
    if (name === HELP) return [{ name: `${name} ÷ node`, measured: untilAsked, atMost: AT_MOST }];
    return name === SEND ? [{ name: `${name}, until it asks ÷ node`, measured: untilAsked, atMost: AT_MOST }] : [];
  });
  const cells = rows.map((row) => [
    row.name,
    showSpread(row.untilAskedMs),
    showSpread(row.untilAsked),
    showSpread(row.wholeMs),
    showSpread(row.whole),
  ]);
  return {
    title: `startup: a command, a process each (${rounds} rounds)`,
    table: [
      table(['command', 'ms until it asks', '× node', 'ms until it is over', '× node'], cells),
      goalTable(goals),
    ].join('\n\n'),
    result: { rows, goals },
  };
}
