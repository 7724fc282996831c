/**
 * A bench over HTTP: its requests, the check of the responses, and the number of units in one. `Seed` is the data from
 * the server that a request needs; see `prepare`.
 */
export interface HttpBench<Seed = unknown> {
  readonly name: string;
  readonly title: string;
  /** The unit of rates and CPU times. */
  readonly unit: 'request' | 'chunk';
  /** The number of rounds. Default: 9. */
  readonly rounds?: number;
  readonly cases: readonly HttpCase[];
  readonly goals?: readonly HttpGoal[];
  /** Requests the data from a server that the requests of a case need. Called once before the measurement. */
  prepare?(work: HttpCase, call: (body: string) => Promise<BenchResponse>): Promise<readonly Seed[]>;
  /**
   * The body of the n-th request. Ids differ, because a server can return the stored response to a repeated message.
   */
  body(work: HttpCase, n: number, seeds: readonly Seed[]): string;
  /** Headers of the n-th request, in addition to those of every request. */
  headers?(work: HttpCase, n: number): Readonly<Record<string, string>>;
  /** Returns the number of units in the response. Throws if the response is wrong. */
  check(work: HttpCase, n: number, answer: BenchResponse, seeds: readonly Seed[]): number;
}

export interface HttpCase {
  readonly name: string;
  /** The contenders in the case. Default: all. */
  readonly only?: readonly string[];
  readonly connections: number;
  /** Requests per round. With `--quick` a quarter of them, unless all are concurrent. */
  readonly requests: number;
  /** Separate numbers for contenders that would take minutes for as many requests as the others. */
  readonly fewer?: Readonly<Record<string, number>>;
  /**
   * Adds rounds with this many requests per second for all contenders. Contenders that are not clearly faster are left out of
   * them.
   */
  readonly fixedRate?: number;
  /** Chunks of the streamed artifact, for the stream benches. */
  readonly chunks?: number;
  /** The share of all tasks before the requested page. Default: 0. */
  readonly depth?: number;
}

/** One row of a bench: a case and a contender. */
export type RowName = readonly [work: string, contender: string];

/** A limit that we promise for a row, relative to another one. */
export interface HttpGoal {
  readonly of: RowName;
  readonly to: RowName;
  /** CPU time per unit, units per second, elapsed time per unit, or the median latency. */
  readonly measure: 'CPU' | 'rate' | 'time' | 'p50';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface BenchResponse {
  readonly status: number;
  readonly body: string;
}

/** Returns the parsed `result` of a JSON-RPC response. Throws an error with the actual response if there is none. */
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
