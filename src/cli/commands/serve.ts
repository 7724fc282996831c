import { publicBy } from '../../node/reach.ts';
import type { ServeOptions } from '../../node/serve.ts';
import type { Authenticator } from '../../server/auth/authenticator.ts';
import { bearerTokens } from '../../server/auth/bearer-tokens.ts';
import { sharedSecret } from '../../server/auth/shared-secret.ts';
import type { ProfileName } from '../../wire/offer.ts';
import { strangersFor } from '../../server/strangers.ts';
import { CliError } from '../cli-error.ts';
import { CrashWatch } from '../crash-watch.ts';
import { loadAgent } from '../load-agent.ts';
import { defineCommand } from '../option.ts';
import { readAddress, readPort } from '../read-values.ts';
import { isPostgresUrl, openStore, shownStore } from '../open-store.ts';
import { listen, runUntilStopped } from '../serving.ts';
import { LOG_OPTIONS, servingLog } from '../serving-log.ts';

export const command = defineCommand({
  synopsis: 'serve <file>',
  about: `Serves the agent that a file exports, by default or as its only agent, until it gets a signal to stop.
The address of its card is printed on stdout, all else on stderr.`,
  examples: ['tandem serve agent.ts --port 8080', 'TANDEM_TOKEN=… tandem serve agent.ts --host 0.0.0.0'],
  options: {
    port: {
      type: 'string',
      value: '<number>',
      help: 'Where to listen; else PORT from the environment, else 4100. 0: any that is free',
      flagOnly: true,
    },
    host: {
      type: 'string',
      value: '<address>',
      help: 'Where to listen; else BIND_HOST from the environment, else 127.0.0.1. An address that others can reach needs --token, A2A_API_KEY, --api-key-env, A2A_SECRET or --insecure-public',
      flagOnly: true,
    },
    store: {
      type: 'string',
      value: '<file|url>',
      help: 'Where tasks are kept, tandem.db unless set. postgres://…: for many machines. memory: nowhere',
      flagOnly: true,
    },
    schema: {
      type: 'string',
      value: '<name>',
      help: 'Where in a PostgreSQL database the tables are, tandem unless set',
      flagOnly: true,
    },
    'public-url': {
      type: 'string',
      value: '<url>',
      help: 'The address under which the world knows the agent, for its card and for tokens',
      flagOnly: true,
    },
    token: {
      type: 'string',
      value: '<token>',
      help: 'Callers must send it as a bearer token; else TANDEM_TOKEN or A2A_API_KEY from the environment, which others cannot see',
      flagOnly: true,
      secret: true,
    },
    'api-key-env': {
      type: 'string',
      value: '<name>',
      help: 'The environment variable with a bearer token that callers may send, such as A2A_API_KEY',
      flagOnly: true,
    },
    'insecure-public': {
      type: 'boolean',
      help: 'Let everybody call who can reach the agent, without credentials',
      flagOnly: true,
    },
    profile: {
      type: 'string',
      multiple: true,
      value: '<name>',
      help: 'Serve the peers of agent-native, corvid or rxjs too, each at its own path; can be given several times',
      flagOnly: true,
    },
    'rpc-path': {
      type: 'string',
      multiple: true,
      value: '<path>',
      help: 'Where JSON-RPC is served, /a2a and / unless set; the card names the first',
      flagOnly: true,
    },
    ...LOG_OPTIONS,
    metrics: {
      type: 'boolean',
      help: 'Count what happens, and show it at /metrics: to callers with credentials, or to this machine where none are needed',
      flagOnly: true,
    },
    'cors-origin': {
      type: 'string',
      multiple: true,
      value: '<origin>',
      help: 'Let web pages of this origin call, such as https://app.example; give it several times for several. *: every page',
      flagOnly: true,
    },
    push: { type: 'boolean', help: 'Tell callers of their tasks by webhooks, where they ask for it', flagOnly: true },
    'trust-proxy': {
      type: 'boolean',
      help: 'Believe the X-Forwarded headers: only behind a proxy of your own that sets them',
      flagOnly: true,
    },
    role: {
      type: 'string',
      value: '<all|web|worker>',
      help: 'web: take calls and leave the work to others on the same database. worker: the other way round',
      flagOnly: true,
    },
  },
  run: ({ values, positionals }) => serveFile(positionals, values),
});

interface ServeValues {
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly store: string | undefined;
  readonly schema: string | undefined;
  readonly 'public-url': string | undefined;
  readonly profile: readonly string[];
  readonly 'rpc-path': readonly string[];
  readonly log: string | undefined;
  readonly 'log-level': string | undefined;
  readonly metrics: boolean;
  readonly 'cors-origin': readonly string[];
  readonly push: boolean;
  readonly 'trust-proxy': boolean;
  readonly token: string | undefined;
  readonly 'api-key-env': string | undefined;
  readonly 'insecure-public': boolean;
  readonly role: string | undefined;
}

async function serveFile(positionals: readonly string[], values: ServeValues): Promise<void> {
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new CliError('usage', 'Give one file: tandem serve <file>');
  const { store: storeName = 'tandem.db', schema } = values;
  const host = values.host ?? (process.env['BIND_HOST'] || '127.0.0.1');
  if (schema !== undefined && !isPostgresUrl(storeName))
    throw new CliError('usage', '--schema is for PostgreSQL alone: give it with --store postgres://…');
  const insecurePublic = values['insecure-public'];
  const auth = authOf(values.token);
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined) readAddress('--public-url', publicUrl);
  const reached = publicBy({ host, publicUrl, trustProxy: values['trust-proxy'] });
  const apiKeyEnv = values['api-key-env'];
  const hasAuth = auth !== undefined || apiKeyEnv !== undefined;
  if (reached !== undefined && !hasAuth && !insecurePublic) {
    const place = { host: `At ${host}`, publicUrl: `At ${publicUrl}`, trustProxy: 'Through the proxy' }[reached];
    throw new CliError(
      'usage',
      `${place} others can reach the agent: set TANDEM_TOKEN or A2A_SECRET, or give --insecure-public for everybody`,
    );
  }
  const port = readPort(values.port) ?? 4100;

  const { log, tell } = servingLog(values);
  const isAnywhere = values['trust-proxy'] || host === '0.0.0.0' || host === '::';
  if (process.env['A2A_SECRET'] !== undefined && publicUrl === undefined && isAnywhere) {
    log.warn(
      'The agent does not know its own address: without --public-url it refuses tokens that say whom they are for',
    );
  }

  if (strangersFor({ auth, insecurePublic }) === 'refused' && !hasAuth) {
    log.warn(
      'In production nobody may call without credentials: set TANDEM_TOKEN or A2A_SECRET, or give --insecure-public for everybody',
    );
  }

  const role = readRole(values.role);

  const agent = await loadAgent(file);
  const store = await openStore(storeName, log, schema);
  const { metrics } = values;
  const crashes = new CrashWatch(log);
  const server = await listen(agent, {
    port,
    ...(values.host !== undefined && { host: values.host }),
    store,
    role,
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
  const kept = storeName === 'memory' ? 'in memory' : `in ${shownStore(storeName)}`;
  const announce = (): void => {
    tell(`${agent.name} is at ${server.url}, its tasks are kept ${kept}. Ctrl-C stops it. Its card:`);
    process.stdout.write(`${server.url}/.well-known/agent-card.json\n`);
  };
  await runUntilStopped(server, { store, crashes, announce, tell });
}

/** How callers authenticate, by what is set: with a token, with a JWT signed with a secret, or not at all. */
function authOf(flag: string | undefined): readonly Authenticator[] | undefined {
  const [tokenName, token] = tokenOf(flag);
  const secret = process.env['A2A_SECRET'];
  const ways: Authenticator[] = [];
  try {
    if (token !== undefined) ways.push(bearerTokens({ token }));
    if (secret !== undefined) ways.push(sharedSecret({ secret }));
  } catch (cause) {
    const wrong = ways.length > 0 || token === undefined ? 'A2A_SECRET' : tokenName;
    throw new CliError('usage', `${wrong} must be a token that a header can hold, and not empty`, { cause });
  }
  return ways.length === 0 ? undefined : ways;
}

/** The token, and the setting that it comes from. An empty `A2A_API_KEY` counts as not set. */
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
  throw new CliError('usage', `--role must be all, web or worker, not ${role}`);
}
