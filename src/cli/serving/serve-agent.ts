import { publicBy } from '../../node/exposure.ts';
import type { AgentServer, ServeOptions } from '../../node/serve.ts';
import type { Agent } from '../../agent/agent.ts';
import type { Authenticator } from '../../host/auth/authenticator.ts';
import { bearerTokens } from '../../host/auth/bearer-tokens.ts';
import { sharedSecret } from '../../host/auth/jwt/shared-secret.ts';
import { anonymousAccessFor } from '../../host/options/anonymous-access.ts';
import type { Store } from '../../store/store.ts';
import type { ProfileName } from '../../wire/offer.ts';
import { readAddress, readPort } from '../read-values.ts';
import { CliError } from '../cli-error.ts';
import { mountOf } from '../../server/http/own-paths.ts';
import type { Announcement } from './announcement.ts';
import type { Options, Values } from '../option.ts';
import { CrashWatch } from './crash-watch.ts';
import { loadAgent } from './load-agent.ts';
import { isPostgresUrl, openStoreOf } from './open-store.ts';
import { listen } from './serving.ts';
import { LOG_OPTIONS, servingLog } from './serving-log.ts';

/** The options of commands that serve the agents of files. */
export const SERVE_OPTIONS = {
  port: {
    value: '<number>',
    help: 'The port. Default: the environment variable PORT, otherwise 4100. 0 selects any free port',
    flagOnly: true,
  },
  host: {
    value: '<address>',
    help: 'The address to listen on. Default: the environment variable BIND_HOST, otherwise 127.0.0.1. An address that other machines can reach requires --token, A2A_API_KEY, --api-key-env, A2A_SECRET or --insecure-public',
    flagOnly: true,
  },
  store: {
    value: '<file|url>',
    help: 'Where tasks are stored: a SQLite file, postgres://… for several processes, or memory. Default: .tandem/<agent id>.db, or .tandem/_agents.db for several agents',
    flagOnly: true,
  },
  schema: { value: '<name>', help: 'The PostgreSQL schema of the tables. Default: tandem', flagOnly: true },
  'public-url': {
    value: '<url>',
    help: 'The URL at which callers reach the agent. The card lists it, and tokens must be issued for it',
    flagOnly: true,
  },
  token: {
    value: '<token>',
    help: 'The bearer token that callers must send. Prefer TANDEM_TOKEN or A2A_API_KEY: other users of this machine can read flags',
    flagOnly: true,
    secret: true,
  },
  'api-key-env': {
    value: '<name>',
    help: 'The name of an environment variable with a bearer token that callers may send, such as A2A_API_KEY',
    flagOnly: true,
  },
  'insecure-public': {
    help: 'Accept calls without credentials from every machine that can reach the agent',
    flagOnly: true,
  },
  profile: {
    multiple: true,
    value: '<name>',
    help: 'Also serve peers of agent-native, corvid or rxjs, each at its own path. Repeat it for several profiles',
    flagOnly: true,
  },
  'rpc-path': {
    multiple: true,
    value: '<path>',
    help: 'The path of JSON-RPC. Repeat it for several paths; the card lists the first. Default: /a2a and /',
    flagOnly: true,
  },
  ...LOG_OPTIONS,
  metrics: {
    help: 'Serve Prometheus metrics at /metrics, to callers with credentials; without authentication, to this machine only',
    flagOnly: true,
  },
  'cors-origin': {
    multiple: true,
    value: '<origin>',
    help: 'Accept calls from web pages of this origin, such as https://app.example. Repeat it for several origins. * accepts every origin',
    flagOnly: true,
  },
  push: { help: 'Let callers register webhooks for push notifications', flagOnly: true },
  'trust-proxy': {
    help: 'Trust the X-Forwarded-* headers. Only behind a proxy of your own that sets them',
    flagOnly: true,
  },
  role: {
    value: '<all|web|worker>',
    help: 'web accepts calls and leaves the work to other processes on the same database; worker does the opposite. Default: all',
    flagOnly: true,
  },
} as const satisfies Options;

export type ServeValues = Values<typeof SERVE_OPTIONS>;

/** Additions of `tandem dev`. */
export interface ServingHooks {
  readonly middleware?: ServeOptions['middleware'];
  readonly tracing?: ServeOptions['tracing'];
  /** Observes the writes to the store. */
  readonly observe?: (store: Store) => Store;
}

export interface Serving {
  readonly announcement: Announcement;
  readonly server: AgentServer;
  readonly store: Store;
  readonly crashes: CrashWatch;
  /** Prints a message for the user in the format of the log. */
  readonly print: (text: string) => void;
}

/** Serves the agents of files, one of each. @throws CliError if an option is invalid, or the agent cannot be served. */
export async function startServing(
  files: readonly string[],
  values: ServeValues,
  hooks: ServingHooks = {},
): Promise<Serving> {
  const { store: storeName, schema } = values;
  const host = values.host ?? (process.env['BIND_HOST'] || '127.0.0.1');
  if (schema !== undefined && (storeName === undefined || !isPostgresUrl(storeName)))
    throw new CliError('usage', '--schema requires a PostgreSQL store: add --store postgres://…');
  const insecurePublic = values['insecure-public'];
  const auth = authOf(values.token);
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined) readAddress('--public-url', publicUrl);
  const reached = publicBy({ host, publicUrl, trustProxy: values['trust-proxy'] });
  const apiKeyEnv = values['api-key-env'];
  const hasAuth = auth !== undefined || apiKeyEnv !== undefined;
  if (reached !== undefined && !hasAuth && !insecurePublic) {
    const at = { host: `at ${host}`, publicUrl: `at ${publicUrl}`, trustProxy: 'through the proxy' }[reached];
    throw new CliError(
      'usage',
      `Other machines can reach the agent ${at}: set TANDEM_TOKEN or A2A_SECRET, or pass --insecure-public to accept anonymous callers`,
    );
  }
  const port = readPort(values.port) ?? 4100;

  const { log, announce: print } = servingLog(values);
  const isAnywhere = values['trust-proxy'] || host === '0.0.0.0' || host === '::';
  if (process.env['A2A_SECRET'] !== undefined && publicUrl === undefined && isAnywhere) {
    log.warn(
      'The agent rejects tokens with an audience, because it does not know its public URL. Set it with --public-url',
    );
  }

  if (anonymousAccessFor({ auth, insecurePublic }) === 'denied' && !hasAuth) {
    log.warn(
      'In production the agent rejects every call without credentials. Set TANDEM_TOKEN or A2A_SECRET, or pass --insecure-public to accept anonymous callers',
    );
  }

  const role = readRole(values.role);

  const agents: Agent[] = [];
  for (const file of files) agents.push(await loadAgent(file));
  ensureDifferentIds(files, agents);
  const { store, place } = await openStoreOf(agents, storeName, log, schema);
  const { middleware, tracing, observe = (given: Store) => given } = hooks;
  const { metrics } = values;
  const crashes = new CrashWatch(log);
  const server = await listen(agents, {
    port,
    ...(values.host !== undefined && { host: values.host }),
    store: observe(store),
    role,
    ...(middleware !== undefined && { middleware }),
    ...(tracing !== undefined && { tracing }),
    log,
    metrics,
    pushNotifications: values.push,
    ...corsOf(values['cors-origin']),
    trustProxy: values['trust-proxy'],
    insecurePublic,
    ...(values.profile.length > 0 && { profile: values.profile as readonly ProfileName[] }),
    ...(values['rpc-path'].length > 0 && { rpcPaths: values['rpc-path'] }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(auth !== undefined && { auth }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
  });
  return { announcement: announcementOf(agents, server.url, place), server, store, crashes, print };
}

/** The default id is the name, which two files may have copied from the same example. */
function ensureDifferentIds(files: readonly string[], agents: readonly Agent[]): void {
  const ids = agents.map(({ id }) => id);
  const second = ids.findIndex((id, i) => ids.indexOf(id) < i);
  if (second < 0) return;
  const id = ids[second] ?? '';
  const both = `${files[ids.indexOf(id)]} and ${files[second]}`;
  throw new CliError('usage', `The agents of ${both} have the same id, ${id}: give one another name, or set its id`);
}

function announcementOf(agents: readonly Agent[], url: string, place: string): Announcement {
  const mounts = agents.map(({ id }) => (agents.length === 1 ? '' : mountOf(id)));
  return {
    names: agents.map(({ name }) => name),
    url,
    place,
    cards: mounts.map((mount) => `${url}${mount}/.well-known/agent-card.json`),
  };
}

/** The authenticators that the settings ask for: a token, a JWT signed with a secret, both, or none. */
function authOf(flag: string | undefined): readonly Authenticator[] | undefined {
  const [tokenName, token] = tokenOf(flag);
  const secret = process.env['A2A_SECRET'];
  const ways: Authenticator[] = [];
  try {
    if (token !== undefined) ways.push(bearerTokens({ token }));
    if (secret !== undefined) ways.push(sharedSecret({ secret }));
  } catch (cause) {
    const wrong = ways.length > 0 || token === undefined ? 'A2A_SECRET' : tokenName;
    throw new CliError(
      'usage',
      `${wrong} must not be empty, and must contain only characters that an HTTP header can hold`,
      { cause },
    );
  }
  return ways.length === 0 ? undefined : ways;
}

/** The token and the setting that it comes from. An empty `A2A_API_KEY` counts as not set. */
function tokenOf(flag: string | undefined): readonly [name: string, token: string | undefined] {
  const own = flag ?? process.env['TANDEM_TOKEN'];
  return own === undefined
    ? ['A2A_API_KEY', process.env['A2A_API_KEY'] || undefined]
    : ['--token or TANDEM_TOKEN', own];
}

function corsOf(origins: readonly string[]): Pick<ServeOptions, 'cors'> {
  if (origins.length === 0) return {};
  return { cors: { origins: origins.length === 1 && origins[0] === '*' ? '*' : origins } };
}

function readRole(role = 'all'): 'all' | 'web' | 'worker' {
  if (role === 'all' || role === 'web' || role === 'worker') return role;
  throw new CliError('usage', `--role must be all, web or worker, not ${JSON.stringify(role)}`);
}
