/** Counts the rows that claims read, with the plans of their statements. */
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { postgres } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestSchema } from './schemas.ts';

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

/** The rows of a table that a plan has read, with those that it discarded. */
function rowsRead(plan: Plan, table: string): number {
  const own =
    plan['Relation Name'] === table
      ? (plan['Actual Rows'] ?? 0) +
        (plan['Rows Removed by Filter'] ?? 0) +
        (plan['Rows Removed by Index Recheck'] ?? 0)
      : 0;
  return (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each, table), own * (plan['Actual Loops'] ?? 1));
}

/** A store, and a function that counts the rows of a table that the statements of a claim read. */
export function explainedStore(
  schema: TestSchema,
  table: string,
): {
  readonly store: Store;
  readonly reads: (claim: () => Promise<unknown>) => Promise<number>;
} {
  const pool = new pg.Pool({ connectionString: schema.url, max: 2 });
  let statements: { readonly text: string; readonly values?: unknown[] }[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const spied = (...args: [(typeof statements)[number] | string, ...unknown[]]): unknown => {
      if (typeof args[0] === 'object') statements.push(args[0]);
      return query(...args);
    };
    Object.assign(client, { query: spied });
  });
  const store = postgres(pool, { schema: schema.name });
  onTestFinished(async () => {
    await store.close();
    await pool.end();
  });
  const reads = async (claim: () => Promise<unknown>): Promise<number> => {
    statements = [];
    await claim();
    const ofTable = statements.filter(({ text }) => text.includes(`.${table} `));
    expect(ofTable.length).toBeGreaterThan(1);
    const settings = statements.find(({ text }) => text.includes('enable_seqscan'));
    const client = await schema.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(settings?.text ?? '', settings?.values);
      let rows = 0;
      for (const { text, values } of ofTable) {
        const [explained] = (
          await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
        ).rows;
        rows += explained === undefined ? 0 : rowsRead(explained['QUERY PLAN'][0].Plan, table);
      }
      await client.query('ROLLBACK');
      return rows;
    } finally {
      client.release();
    }
  };
  return { store, reads };
}
