import { listedTaskId } from './contenders/content.ts';
import { BASELINE, OWN, OWN_STORED, PEER } from './contenders/list.ts';
import {
  type BenchResponse,
  expectJson,
  type HttpBench,
  type HttpGoal,
  rpcCall,
  rpcResult,
} from './harness/http-bench.ts';

/** The start of a page and its expected content. */
interface Page {
  readonly token: string;
  /** The number of the first task on the page. */
  readonly first: number;
  readonly total: number;
}

const PAGE_SIZE = 50;
/** Pages are requested in turn, so that none of them is cached. */
const PAGES = 8;
const STRIDE = 100;

const FEW_FIRST = 'few tasks, first page';
const FIRST = 'many tasks, first page';
const HALF_WAY = 'many tasks, half way';
const NEAR_END = 'many tasks, near the end';

/** The SDK sorts all tasks for each page. */
const fewer = { [PEER]: 8 };
const requests = 300;

/** A page with the default options, at any position in the list. One connection, so that requests do not queue. */
export const pages: HttpBench<Page> = {
  name: 'list',
  title: `list: ListTasks, pages of ${PAGE_SIZE} tasks without history and artifacts, JSON-RPC 1.0`,
  unit: 'request',
  cases: [
    { name: FEW_FIRST, connections: 1, requests, fewer },
    { name: FIRST, connections: 1, requests, fewer },
    { name: HALF_WAY, only: [BASELINE, OWN, OWN_STORED], connections: 1, requests, depth: 0.5 },
    { name: NEAR_END, only: [BASELINE, OWN, OWN_STORED], connections: 1, requests, depth: 0.9 },
  ],
  goals: [
    { of: [FEW_FIRST, OWN_STORED], to: [FEW_FIRST, BASELINE], measure: 'CPU', atMost: 3 },
    ...[OWN, OWN_STORED].flatMap((own): readonly HttpGoal[] => [
      { of: [FIRST, own], to: [FEW_FIRST, own], measure: 'p50', atMost: 1.5 },
      { of: [HALF_WAY, own], to: [FIRST, own], measure: 'p50', atMost: 1.5 },
      { of: [NEAR_END, own], to: [FIRST, own], measure: 'p50', atMost: 1.5 },
    ]),
  ],

  async prepare({ depth = 0 }, call) {
    const { totalSize: total } = pageOf(0, await call(listCall(0, '', 1)));
    let page: Page = { token: '', first: total - 1, total };
    if (depth === 0) return [page];
    const found: Page[] = [];
    while (found.length < PAGES) {
      const answer = await call(listCall(0, page.token, STRIDE));
      page = { token: pageOf(0, answer).nextPageToken, first: page.first - STRIDE, total };
      if (total - page.first > total * depth) found.push(page);
    }
    return found;
  },

  body: (_work, n, seeds) => listCall(n, seedOf(n, seeds).token, PAGE_SIZE),

  check: (_work, n, answer, seeds) => {
    const { first, total } = seedOf(n, seeds);
    const { tasks, totalSize } = pageOf(n, answer);
    expectJson('total', totalSize, total);
    expectJson(
      'tasks',
      tasks.map(({ id }) => id),
      Array.from({ length: PAGE_SIZE }, (_, i) => listedTaskId(first - i)),
    );
    return 1;
  },
};

/** Whether the servers of a case have many tasks. */
export function hasMany(work: string): boolean {
  return work !== FEW_FIRST;
}

function seedOf(n: number, seeds: readonly Page[]): Page {
  const seed = seeds[n % seeds.length];
  if (seed === undefined) throw new Error('no page to request');
  return seed;
}

function listCall(n: number, pageToken: string, pageSize: number): string {
  return rpcCall(n, 'ListTasks', { pageSize, historyLength: 0, ...(pageToken !== '' && { pageToken }) });
}

interface ListResult {
  readonly tasks: readonly { readonly id: string }[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

function pageOf(n: number, { status, body }: BenchResponse): ListResult {
  expectJson('HTTP status', status, 200);
  return rpcResult(n, body) as unknown as ListResult;
}
