import { environmentVariable } from '../host/auth/hosted.ts';
import { Check } from '../support/check.ts';

export interface ListenOptions {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  /** The setting that chose the host, for error messages. */
  readonly hostSetting: 'host' | 'BIND_HOST';
}

const DEFAULT_PORT = 4100;
const DEFAULT_HOST = '127.0.0.1';

/**
 * The address of the options, otherwise of the environment variables `PORT` and `BIND_HOST`, otherwise the default. An empty variable
 * counts as not set.
 *
 * @throws TypeError if a variable that is used has an invalid value.
 */
export function listenAddress(options: ListenOptions): ListenAddress {
  const check = new Check();
  const port = options.port ?? portOf(check, environmentVariable('PORT')) ?? DEFAULT_PORT;
  const bindHost = options.host === undefined ? environmentVariable('BIND_HOST') || undefined : undefined;
  if (bindHost !== undefined && !isListenHost(bindHost)) check.fault('BIND_HOST', LISTEN_HOST);
  check.finish('Invalid options for serve():');
  return {
    port,
    host: options.host ?? bindHost ?? DEFAULT_HOST,
    hostSetting: bindHost === undefined ? 'host' : 'BIND_HOST',
  };
}

export const LISTEN_HOST = 'expected an address or a name to listen at, such as "0.0.0.0"';

export function isListenHost(host: unknown): boolean {
  return typeof host === 'string' && /^[\w.:%-]+$/.test(host);
}

function portOf(check: Check, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  check.fault('PORT', `expected a number from 0 to 65535, got ${JSON.stringify(text.slice(0, 20))}`);
  return undefined;
}
