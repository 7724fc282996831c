import { type AgentServer, serve, type ServeOptions } from '../../node/serve.ts';
import type { Agent } from '../../agent/agent.ts';
import type { Store } from '../../store/store.ts';
import { CliError } from '../cli-error.ts';
import type { CrashWatch } from './crash-watch.ts';
import { onStopSignal } from '../interrupt.ts';

const PORT_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use. Choose another port with --port, or pass --port 0 for any free port',
  EACCES: 'requires more privileges. Choose a port above 1023 with --port',
};

/** Like `serve`, with errors in terms of command-line options. */
export async function listen(
  agent: Agent | readonly Agent[],
  options: ServeOptions & { readonly port: number },
): Promise<AgentServer> {
  try {
    return await serve(agent, options);
  } catch (error) {
    const problem = PORT_ERRORS[portErrorCode(error) ?? ''];
    if (problem !== undefined) throw new CliError('failure', `Port ${options.port} ${problem}`, { cause: error });
    const problems = optionProblems(error);
    throw problems === '' ? error : new CliError('usage', problems, { cause: error });
  }
}

/**
 * The problems that `serve` lists with its options, as problems of the flags that set them: `--rpc-path: expected …`. Empty if the
 * error is not about options.
 */
export function optionProblems(error: unknown): string {
  if (!(error instanceof TypeError)) return '';
  const problems = [...error.message.matchAll(/^ {2}- ([\w.]+)(?:\[\d+\])?: (.+)$/gm)];
  return problems.map(([, name = '', problem = '']) => `${flagOf(name)}: ${inFlags(problem)}`).join('; ');
}

/** Flags whose names are not those of their options. They are repeated for each value, so their names have no plural. */
const FLAGS: Readonly<Record<string, string>> = {
  auth: '--token',
  rpcPaths: '--rpc-path',
  'cors.origins': '--cors-origin',
  cors: '--cors-origin',
  pushNotifications: '--push',
};

function flagOf(name: string): string {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag !== undefined) return flag;
  // Environment variables have no flag.
  if (/^[A-Z][A-Z\d_]*$/.test(name)) return name;
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Replaces the options that a problem mentions by their flags. */
function inFlags(problem: string): string {
  return problem
    .replaceAll(/\b(with|set) auth\b/g, '$1 --token')
    .replaceAll(/\binsecurePublic(?:: true)?/g, '--insecure-public')
    .replaceAll(/\bleave cors out\b/g, 'leave --cors-origin out');
}

/** The system's code for a port that cannot be opened, such as `EADDRINUSE`. */
export function portErrorCode(error: unknown): string | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (cause as NodeJS.ErrnoException | undefined)?.code;
}

/** After an uncaught error: how long runs may take to finish, and when the process exits in any case. */
const CRASH_FINISH_MS = 2000;
const CRASH_CUT_MS = 500;
const CRASH_EXIT_MS = 5000;

export interface ServingOptions {
  readonly store: Store;
  readonly crashes: CrashWatch;
  /** Prints the address of the server. */
  readonly announce: () => void;
  /** Prints a message for the user. Default: to stderr. */
  readonly print?: (text: string) => void;
}

/**
 * Waits for SIGINT or SIGTERM, lets runs finish and exits with 0. It listens for signals before it announces the server, because a
 * program that reads the announcement may stop the server at once. After an uncaught error it drains briefly and exits with 1.
 */
export async function runUntilStopped(server: AgentServer, options: ServingOptions): Promise<void> {
  const { store, crashes, announce, print = (text) => void process.stderr.write(`${text}\n`) } = options;
  crashes.attach(server);
  const stopped = new Promise<void>((resolve) => onStopSignal(['SIGINT', 'SIGTERM'], resolve));
  announce();
  await Promise.race([stopped, crashes.crashed]);
  if (crashes.hasCrashed) {
    setTimeout(() => process.exit(1), CRASH_EXIT_MS);
    await server.close({ finishMs: CRASH_FINISH_MS, cutMs: CRASH_CUT_MS, afterCrash: true });
  } else {
    print('Stopping. Running tasks have 10 s to finish. A second signal stops them at once.');
    await server.close();
  }
  await store.close();
  // The file of the user may have opened resources that would keep the process alive.
  process.exit(crashes.hasCrashed ? 1 : undefined);
}
