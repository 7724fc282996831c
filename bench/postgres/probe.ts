/**
 * The process that measures the latency of events from a worker to a subscriber on another node, and the lowest
 * possible latency.
 */
import { Agent, request } from 'node:http';
import pg from 'pg';
import { machineTime } from '../contenders/content.ts';
import { handleRequests } from '../harness/child.ts';
import { expectJson, rpcCall, rpcResult } from '../harness/http-bench.ts';

export interface ProbeOrder {
  readonly kind: 'events' | 'notify' | 'round trip' | 'stored';
  readonly database: string;
  /** The URL of the node that the subscribers use. */
  readonly port: number;
  /** The number of concurrent tasks or senders. */
  readonly tasks: number;
  readonly events: number;
  readonly everyMs: number;
}

let sent = 0;

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Started one after the other, so that they do not send at the same moment. */
function inTurn({ everyMs, tasks }: ProbeOrder, k: number): Promise<void> {
  return delay((k * everyMs) / tasks);
}

/** Reads the stream of a new task and records the age of each event on arrival. */
function readEvents({ port, events, everyMs }: ProbeOrder, agent: Agent): Promise<readonly number[]> {
  const n = (sent += 1);
  const body = rpcCall(n, 'SendStreamingMessage', {
    message: {
      messageId: `probe-${process.pid}-${n}`,
      role: 'ROLE_USER',
      parts: [{ text: 'Tell me the time.' }],
      metadata: { chunks: events, everyMs },
    },
  });
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: '/', method: 'POST', agent, headers }, (response) => {
      const ages: number[] = [];
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        const now = machineTime();
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const madeAt = line.startsWith('data: ') ? timeIn(n, line.slice(6)) : undefined;
          if (madeAt !== undefined) ages.push(now - madeAt);
        }
      });
      response.on('error', reject);
      response.on('end', () => resolve(ages));
    });
    call.on('error', reject);
    call.end(body);
  });
}

interface ArtifactUpdate {
  readonly artifact: { readonly parts: readonly { readonly text: string }[] };
}

function timeIn(n: number, json: string): number | undefined {
  const { artifactUpdate } = rpcResult(n, json) as { readonly artifactUpdate?: ArtifactUpdate };
  return artifactUpdate && Number(artifactUpdate.artifact.parts[0]?.text);
}

/**
 * The baseline: a notification from one connection to another, or a round trip. With `stored`, the minimum for a
 * durable event: a row is committed, a notification is sent, and the receiver reads the row.
 */
async function sendNotifications(order: ProbeOrder): Promise<readonly number[]> {
  const { database, tasks, events, everyMs } = order;
  const clients = Array.from({ length: 4 }, () => new pg.Client(database));
  const [sender, listener, answering, back] = clients as [pg.Client, pg.Client, pg.Client, pg.Client];
  const pool = new pg.Pool({ connectionString: database });
  await Promise.all(clients.map((client) => client.connect()));
  await sender.query('CREATE TABLE IF NOT EXISTS probe (id serial PRIMARY KEY, body text)');
  const ages: number[] = [];
  const all = new Promise<void>((resolve) => {
    const note = (madeAt = 0): void => {
      ages.push(machineTime() - madeAt);
      if (ages.length === tasks * events) resolve();
    };
    back.on('notification', ({ payload }) => note(Number(payload)));
    listener.on('notification', ({ payload = '' }) => {
      const [madeAt, id] = payload.split(' ').map(Number);
      const received = (): void => note(madeAt);
      if (order.kind === 'round trip') void answering.query('SELECT pg_notify($1, $2)', ['back', payload]);
      else if (id === undefined) received();
      else void pool.query('SELECT body FROM probe WHERE id = $1', [id]).then(received);
    });
  });
  await listener.query('LISTEN probe');
  await back.query('LISTEN back');
  const notify = async (): Promise<void> => {
    const madeAt = String(machineTime());
    if (order.kind !== 'stored') {
      await sender.query('SELECT pg_notify($1, $2)', ['probe', madeAt]);
      return;
    }
    const { rows } = await sender.query<{ id: number }>('INSERT INTO probe (body) VALUES ($1) RETURNING id', [madeAt]);
    await sender.query('SELECT pg_notify($1, $2)', ['probe', `${madeAt} ${rows[0]?.id}`]);
  };
  const send = async (k: number): Promise<void> => {
    await inTurn(order, k);
    for (let n = 0; n < events; n += 1) {
      // The sender waits for nothing, like a handler.
      notifications.push(notify());
      await delay(everyMs);
    }
  };
  const notifications: Promise<void>[] = [];
  await Promise.all([all, ...Array.from({ length: tasks }, (_, k) => send(k))]);
  await Promise.all(notifications);
  await Promise.all([...clients, pool].map((one) => one.end()));
  return ages;
}

/** The ages on arrival for each task. Notifications count as one task. */
async function measure(order: ProbeOrder): Promise<readonly (readonly number[])[]> {
  if (order.kind !== 'events') return [await sendNotifications(order)];
  const agent = new Agent({ keepAlive: true });
  const read = async (k: number): Promise<readonly number[]> => {
    await inTurn(order, k);
    return readEvents(order, agent);
  };
  const all = await Promise.all(Array.from({ length: order.tasks }, (_, k) => read(k)));
  agent.destroy();
  for (const ages of all) expectJson('events', ages.length, order.events);
  return all;
}

handleRequests((payload) => measure(payload as ProbeOrder));
