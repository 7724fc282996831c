import { existsSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../test/postgres/server.ts';

/** Commits wait for the disk, as in production. */
const SETTINGS = ['max_connections=300'];
/** The unit of CPU time in `/proc`. */
const TICK_US = 10_000;

/** The database server of this run: the one in `TEST_POSTGRES_URL`, or a new one that is stopped at the end. */
export class DatabaseServer {
  readonly #url: string;
  readonly #pid: number | undefined;
  readonly #pool: pg.Pool;
  readonly #names: string[] = [];
  readonly #end: () => Promise<void>;

  private constructor(url: string, pid: number | undefined, end: () => Promise<void>) {
    this.#url = url;
    this.#pid = pid;
    this.#pool = new pg.Pool({ connectionString: url, max: 2 });
    this.#end = end;
  }

  static async open(): Promise<DatabaseServer> {
    const given = process.env['TEST_POSTGRES_URL'] ?? '';
    if (given !== '') return new DatabaseServer(given, undefined, async () => {});
    const server = await startPostgres(SETTINGS);
    const kill = (): void => void process.kill(server.pid, 'SIGINT');
    process.once('exit', kill);
    return new DatabaseServer(server.url, server.pid, async () => {
      process.off('exit', kill);
      await server.stop();
    });
  }

  /** A separate database for each contender, because notifications reach all listeners of a database. */
  async create(name: string): Promise<string> {
    const own = `bench_${process.pid}_${name}`;
    await this.#pool.query(`CREATE DATABASE "${own}"`);
    this.#names.push(own);
    const url = new URL(this.#url);
    url.pathname = `/${own}`;
    return url.href;
  }

  /** CPU time of all processes of the server. Undefined if they are not visible. */
  cpuUs(): number | undefined {
    if (this.#pid === undefined || !existsSync('/proc/self/stat')) return undefined;
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.reduce((sum, pid) => sum + ticksOf(pid, this.#pid ?? 0), 0) * TICK_US;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#names) await this.#pool.query(`DROP DATABASE "${name}" WITH (FORCE)`);
    await this.#pool.end();
    await this.#end();
  }
}

/** CPU time of a process if it belongs to this server. The main process includes the time of those that have ended. */
function ticksOf(pid: string, server: number): number {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  // The name in parentheses can contain spaces. The parent is the second field after it.
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((n) => fields[n]);
  if (Number(pid) === server) return user + system + endedUser + endedSystem;
  return parent === server ? user + system : 0;
}
