/** The load generator, a process that runs one round per request of its parent. */
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { httpBenches } from '../http-benches.ts';
import { handleRequests } from './child.ts';
import { readCpu } from './contender.ts';
import type { BenchResponse, HttpBench, HttpCase } from './http-bench.ts';
import { quantile } from './stats.ts';

/** One round of one case against one server. */
export interface LoadOrder {
  readonly bench: string;
  readonly work: string;
  /** The servers of a cluster, which get requests in turn as from a load balancer. */
  readonly ports: readonly number[];
  readonly requests: number;
  /** The number of the first request, so that no id is sent to a server twice. */
  readonly first: number;
  readonly limitMs: number;
  /**
   * Requests per second. A request is sent when it is due, whether the earlier ones have a response or not, but on no more
   * connections than the case has. Without it each connection sends its next request as soon as it has a response.
   */
  readonly rate?: number;
}

export interface LoadResult {
  readonly units: number;
  readonly wallMs: number;
  /** The latency of complete requests; for a stream, until its last byte. At a fixed rate it counts from the time at which a request is due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of this process, which shows whether the load generator was the limit. */
  readonly loadCpuUs: number;
  /** The same, including the checks after the measurement. */
  readonly totalCpuUs: number;
}

type Headers = Readonly<Record<string, string>>;

function post(agent: Agent, port: number, body: string, more: Headers = {}): Promise<BenchResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'a2a-version': '1.0',
      ...more,
    };
    const call = request({ host: '127.0.0.1', port, path: '/', method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

function portOf({ ports }: LoadOrder, n: number): number {
  return ports[n % ports.length] ?? 0;
}

/** Sends all requests of an order. Resolves when all have a response. */
async function fire(bench: HttpBench, work: HttpCase, order: LoadOrder, seeds: readonly unknown[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: work.connections });
  const latencies: number[] = [];
  const answers: BenchResponse[] = [];
  let next = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    agent.destroy();
  }, order.limitMs);
  const send = async (n: number, dueAt = performance.now()): Promise<void> => {
    const [body, headers] = [bench.body(work, order.first + n, seeds), bench.headers?.(work, order.first + n)];
    answers[n] = await post(agent, portOf(order, n), body, headers);
    latencies.push(performance.now() - dueAt);
  };
  const connection = async () => {
    while (next < order.requests) await send(next++);
  };
  const atRate = async (rate: number): Promise<void> => {
    const sent: Promise<void>[] = [];
    const start = performance.now();
    while (next < order.requests) {
      const due = Math.min(order.requests, Math.floor(((performance.now() - start) * rate) / 1000) + 1);
      for (; next < due; next++) sent.push(send(next, start + (next * 1000) / rate));
      await setTimeoutAsync(1);
    }
    await Promise.all(sent);
  };
  try {
    const [started, cpu] = [performance.now(), readCpu().cpuUs];
    if (order.rate === undefined) await Promise.all(Array.from({ length: work.connections }, connection));
    else await atRate(order.rate);
    return { latencies, answers, wallMs: performance.now() - started, loadCpuUs: readCpu().cpuUs - cpu };
  } catch (error) {
    throw late ? new Error(`${bench.name}, ${work.name}: not done within ${order.limitMs} ms`) : error;
  } finally {
    clearTimeout(timer);
    agent.destroy();
  }
}

const seedsOfCases = new Map<string, Promise<readonly unknown[]>>();

function seedsOf(bench: HttpBench, work: HttpCase, port: number): Promise<readonly unknown[]> {
  const key = [bench.name, work.name, port].join();
  let seeds = seedsOfCases.get(key);
  if (seeds === undefined) seedsOfCases.set(key, (seeds = prepare(bench, work, port)));
  return seeds;
}

async function prepare(bench: HttpBench, work: HttpCase, port: number): Promise<readonly unknown[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return (await bench.prepare?.(work, (body) => post(agent, port, body))) ?? [];
  } finally {
    agent.destroy();
  }
}

async function run(order: LoadOrder): Promise<LoadResult> {
  const cpuBefore = readCpu().cpuUs;
  const bench = httpBenches.find(({ name }) => name === order.bench);
  const work = bench?.cases.find(({ name }) => name === order.work);
  if (bench === undefined || work === undefined) throw new Error(`no bench ${order.bench}, ${order.work}`);
  const seeds = await seedsOf(bench, work, portOf(order, 0));
  const { latencies, answers, wallMs, loadCpuUs } = await fire(bench, work, order, seeds);
  // Every response is checked after the measurement, because the check costs more than the call.
  const units = answers.reduce((sum, got, n) => sum + bench.check(work, order.first + n, got, seeds), 0);
  const [p50Ms, p99Ms] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  return { units, wallMs, p50Ms, p99Ms, loadCpuUs, totalCpuUs: readCpu().cpuUs - cpuBefore };
}

handleRequests((payload) => run(payload as LoadOrder));
