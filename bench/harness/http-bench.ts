/**
 * One bench over HTTP: what is sent, how the answer is checked, and how much of it. `Seed` is what a request needs to know
 * of its server: see `prepare`.
 */
export interface HttpBench<Seed = unknown> {
  readonly name: string;
  readonly title: string;
  /** What rates and CPU time are counted in. */
  readonly unit: 'request' | 'chunk';
  /** 9 if not set. */
  readonly rounds?: number;
  readonly cases: readonly HttpCase[];
  readonly goals?: readonly HttpGoal[];
  /** Asks a server for what the requests of a case are made of; once, before the clock runs. */
  prepare?(work: HttpCase, call: (body: string) => Promise<Answer>): Promise<readonly Seed[]>;
  /** The body of the n-th request. Ids differ, because a server may answer a repeated message from memory. */
  body(work: HttpCase, n: number, seeds: readonly Seed[]): string;
  /** Headers of the n-th request, beside those that every request has. */
  headers?(work: HttpCase, n: number): Readonly<Record<string, string>>;
  /** Throws unless the answer is right; returns how many units it was. */
  check(work: HttpCase, n: number, answer: Answer, seeds: readonly Seed[]): number;
}

export interface HttpCase {
  readonly name: string;
  /** The contenders that take part; all when left out. */
  readonly only?: readonly string[];
  readonly connections: number;
  /** Requests in each round; a `--quick` one makes a quarter of them, unless they are all at once. */
  readonly requests: number;
  /** Contenders that would take minutes for as many as the others, with their own number. */
  readonly fewer?: Readonly<Record<string, number>>;
  /** Chunks of the streamed artifact; unused elsewhere. */
  readonly chunks?: number;
  /** What share of all tasks comes before the page that is asked for; 0 if not set. */
  readonly depth?: number;
}

/** One row of a bench: a case and a contender. */
export type RowName = readonly [work: string, contender: string];

/** What we promise of a row, compared with another one. */
export interface HttpGoal {
  readonly of: RowName;
  readonly to: RowName;
  /** CPU time of a unit, units in a second, time that passes for a unit, or the median of the latencies. */
  readonly measure: 'CPU' | 'rate' | 'time' | 'p50';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The parsed `result` of a JSON-RPC answer, or an error that says what came instead. */
export function rpcResult(n: number, json: string): Record<string, unknown> {
  const envelope = JSON.parse(json) as { jsonrpc?: unknown; id?: unknown; result?: Record<string, unknown> };
  if (envelope.jsonrpc !== '2.0' || envelope.id !== n || typeof envelope.result !== 'object') {
    throw new Error(`not the JSON-RPC result of request ${n}: ${json.slice(0, 300)}`);
  }
  return envelope.result;
}

/** Fails the round unless `got` is the JSON value `wanted`. */
export function expectJson(what: string, got: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`${what} is ${is?.slice(0, 300)}, not ${should}`);
}

/** The JSON-RPC text of a 1.0 call. */
export function rpcCall(n: number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: n, method, params });
}
