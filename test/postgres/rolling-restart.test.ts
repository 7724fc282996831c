/** Three servers behind a load balancer, replaced one after the other under load. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { TestSchema } from './schemas.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const schema = new TestSchema();

afterAll(() => schema.drop());

/** Distributes connections to the current servers in turn, and skips those that do not accept one. */
async function balancer(): Promise<{ readonly url: string; readonly ports: Set<number> }> {
  const ports = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    const attempt = (left: number): void => {
      const port = [...ports][turn++ % ports.size];
      if (port === undefined || left === 0) return void client.destroy();
      const target = dial(port, '127.0.0.1');
      target.once('error', () => (target.connecting ? undefined : attempt(left - 1)));
      target.once('connect', () => {
        client.pipe(target).pipe(client);
        client.once('close', () => target.destroy());
        target.once('close', () => client.destroy());
      });
    };
    attempt(ports.size);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ports };
}

interface Node {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(publicUrl: string, store: string): Promise<Node> {
  const words = ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--public-url', publicUrl];
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...words, '--store', store], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const [card] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, port: Number(new URL(card).port) };
}

async function stop({ child }: Node): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'close');
}

// Six processes start, three of them one after the other, on a machine that may be busy.
test(
  'every call of a client succeeds while all servers are replaced one after the other',
  { timeout: 180_000 },
  async () => {
    const { url, ports } = await balancer();
    const store = await schema.database();
    let nodes: readonly Node[] = await Promise.all([start(url, store), start(url, store), start(url, store)]);
    for (const { port } of nodes) ports.add(port);
    // These servers recognise repeats, so the client may send a message again when a response is lost.
    const agent = await connect(url, { recognisesRepeats: true });
    const rollout = { isOver: false };
    let sent = 0;
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      while (!rollout.isOver) {
        const text = `${lane}-${sent++}`;
        if (lane % 2 === 0) {
          expect((await agent.send(text)).text).toBe(`${text} and on`);
        } else {
          let received = '';
          for await (const event of agent.stream(text)) {
            // The stream of a message that was sent again begins with its task, which may be working or completed.
            if (event.type === 'task') received = event.text;
            else if (event.type === 'artifact') received += event.text;
          }
          expect(received).toBe(`${text} and on`);
        }
      }
    });
    const replaced = (async () => {
      for (const old of nodes) {
        const next = await start(url, store);
        ports.add(next.port);
        ports.delete(old.port);
        await stop(old);
        nodes = [...nodes.slice(1), next];
      }
      rollout.isOver = true;
    })();
    await Promise.all([replaced, ...lanes]);

    expect(sent).toBeGreaterThan(10);
    for (const node of nodes) await stop(node);
  },
);
