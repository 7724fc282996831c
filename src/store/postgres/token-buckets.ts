import type { TokenTake, TokenTaken } from '../store.ts';
import type { Database } from './database.ts';

/** Takes a token from a bucket that all nodes share, in one statement, which locks the row. */
export async function takeTokens(database: Database, take: TokenTake): Promise<TokenTaken> {
  const { schema, now } = database;
  const [row] = await database.read(
    `INSERT INTO ${schema}.token_bucket AS b (name, tokens, taken, at, full_at)
     SELECT $1, $2::float8 - 1, true, n.now, n.now + ceil(60000 / $3::float8) FROM (SELECT ${now} AS now) AS n
     ON CONFLICT (name) DO UPDATE SET (tokens, taken, at, full_at) = (
       SELECT a.tokens - (a.tokens >= 1)::int, a.tokens >= 1, excluded.at,
         excluded.at + ceil(($2::float8 - a.tokens + (a.tokens >= 1)::int) * 60000 / $3::float8)
       FROM (SELECT least($2::float8, b.tokens + greatest(0, excluded.at - b.at) * $3::float8 / 60000) AS tokens) AS a)
     RETURNING b.taken, b.tokens`,
    [take.bucket, take.burst, take.perMinute],
  );
  return { isTaken: row?.[0] === true, left: Number(row?.[1]) };
}

/** A full bucket is equivalent to no bucket. */
export async function dropFullBuckets({ schema, now, pool }: Database): Promise<void> {
  await pool.query(`DELETE FROM ${schema}.token_bucket WHERE full_at < ${now}`);
}
