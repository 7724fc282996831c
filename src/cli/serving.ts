import { type AgentServer, serve, type ServeOptions } from '../node/serve.ts';
import type { Agent } from '../server/agent.ts';
import type { Store } from '../store/store.ts';
import { CliError } from './cli-error.ts';
import type { CrashWatch } from './crash-watch.ts';
import { onStopSignal } from './interrupt.ts';

const PORT_TROUBLES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: choose another with --port, or --port 0 for any that is free',
  EACCES: 'is not for everybody: choose one above 1023 with --port',
};

/** Like `serve`, with errors that speak of options of the command line. */
export async function listen(agent: Agent, options: ServeOptions & { readonly port: number }): Promise<AgentServer> {
  try {
    return await serve(agent, options);
  } catch (error) {
    const trouble = PORT_TROUBLES[portTrouble(error) ?? ''];
    if (trouble !== undefined) throw new CliError('failure', `Port ${options.port} ${trouble}`, { cause: error });
    const faults = optionFaults(error);
    throw faults === '' ? error : new CliError('usage', faults, { cause: error });
  }
}

/** What `serve` finds wrong with its options, a line each, as one sentence about those of the command line. */
function optionFaults(error: unknown): string {
  if (!(error instanceof TypeError)) return '';
  const faults = [...error.message.matchAll(/^ {2}- ([\w.]+)(?:\[\d+\])?: (.+)$/gm)];
  return faults.map(([, name = '', fault = '']) => `${flagOf(name)} ${fault}`).join('; ');
}

function flagOf(name: string): string {
  // Flags are given once for each value, so their names have no plural.
  if (name === 'rpcPaths') return '--rpc-path';
  if (name === 'cors.origins') return '--cors-origin';
  // A variable of the environment has no flag.
  if (/^[A-Z_]+$/.test(name)) return name;
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Why a port cannot be had, in the word of the system. */
export function portTrouble(error: unknown): string | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (cause as NodeJS.ErrnoException | undefined)?.code;
}

/** After an error that no code has caught: how long runs may take to finish, and when the process exits in any case. */
const CRASH_FINISH_MS = 2000;
const CRASH_CUT_MS = 500;
const CRASH_EXIT_MS = 5000;

export interface ServingOptions {
  readonly store: Store;
  readonly crashes: CrashWatch;
  /** Prints where the server is. */
  readonly announce: () => void;
  readonly tell?: (text: string) => void;
}

/**
 * Waits for a signal to stop, lets what runs finish and exits with 0. The server is announced in between: a program
 * that reads the announcement may stop it at once. After an error that no code has caught it drains briefly and exits with 1.
 */
export async function runUntilStopped(server: AgentServer, options: ServingOptions): Promise<void> {
  const { store, crashes, announce, tell = (text) => void process.stderr.write(`${text}\n`) } = options;
  crashes.attach(server);
  const stopped = new Promise<void>((resolve) => onStopSignal(['SIGINT', 'SIGTERM'], resolve));
  announce();
  await Promise.race([stopped, crashes.crashed]);
  if (crashes.hasCrashed) {
    setTimeout(() => process.exit(1), CRASH_EXIT_MS);
    await server.close({ finishMs: CRASH_FINISH_MS, cutMs: CRASH_CUT_MS, afterCrash: true });
  } else {
    tell('Stopping. What runs has 10 s to finish; another signal stops it at once.');
    await server.close();
  }
  await store.close();
  // Not by itself: what the file of a user has opened would keep the process alive.
  process.exit(crashes.hasCrashed ? 1 : undefined);
}
