import { existsSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../test/postgres/server.ts';

/** The disk is waited for, as it is in earnest. */
const SETTINGS = ['max_connections=300'];
/** What `/proc` counts CPU time in. */
const TICK_US = 10_000;

/** The server of this run: the one that `TEST_POSTGRES_URL` names, or one of its own, which ends with it. */
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

  /** A database of its own for one contender: hints are heard in all of a database. */
  async create(name: string): Promise<string> {
    const own = `bench_${process.pid}_${name}`;
    await this.#pool.query(`CREATE DATABASE "${own}"`);
    this.#names.push(own);
    const url = new URL(this.#url);
    url.pathname = `/${own}`;
    return url.href;
  }

  /** CPU time of all its processes; nothing where they cannot be seen. */
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

/** Of a process if it belongs to this server; those that have ended are on the account of the first. */
function ticksOf(pid: string, server: number): number {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  // The name, in brackets, may hold spaces; the parent comes second after it.
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((n) => fields[n]);
  if (Number(pid) === server) return user + system + endedUser + endedSystem;
  return parent === server ? user + system : 0;
}
