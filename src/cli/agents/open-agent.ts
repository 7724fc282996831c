import type { Auth } from '../../client/auth/auth.ts';
import type { AgentClient } from '../../client/client.ts';
import { connect } from '../../client/connect.ts';
import type { Interceptor } from '../../client/request/interceptor.ts';
import type { InternalCallOptions } from '../../client/request/call-scope.ts';
import type { BindingName, ConnectOptions } from '../../client/options.ts';
import { defined } from '../../support/defined.ts';
import { parseVersion } from '../../wire/version.ts';
import type { CallOptions } from './call-options.ts';
import type { AgentReference } from './agent-reference.ts';
import { CliError } from '../cli-error.ts';
import { explained } from './error-report.ts';
import { now } from '../now.ts';
import type { Values } from '../option.ts';
import { readAddress, readDuration } from '../read-values.ts';
import { screen } from '../output/screen.ts';

/** The options of a call that may use all of the remaining time. */
export type RemainingTime = Pick<InternalCallOptions, 'timeoutMs' | 'statedTimeoutMs'>;

export type AgentValues = Values<CallOptions> & { readonly debug?: boolean };

/** Connects to an agent, runs a function with it and closes it. Errors become errors of the command line. */
export async function withAgent<T>(
  values: AgentValues,
  reference: AgentReference,
  run: (agent: AgentClient, within: RemainingTime) => Promise<T>,
): Promise<T> {
  const options = connectOptions(values, reference);
  const start = now();
  let agent: AgentClient | undefined;
  try {
    screen.showProgress(`Connecting to ${reference.name}`);
    agent = await connectByPreference(reference, options, preferences(values, reference));
    if (values.verbose) introduce(agent);
    const { timeoutMs } = options;
    // One limit covers the whole command, so the time of the discovery is subtracted.
    if (timeoutMs === undefined) return await run(agent, {});
    return await run(agent, { timeoutMs: timeoutMs - (now() - start), statedTimeoutMs: timeoutMs });
  } catch (error) {
    const { timeout } = values;
    throw explained(error, { agent: reference.again, hasCredentials: options.auth !== undefined, timeout });
  } finally {
    screen.hideProgress();
    await agent?.close();
  }
}

/** Builds the options of `connect` from flags, settings and the file of peers. */
export function connectOptions(values: AgentValues, { peer }: AgentReference): ConnectOptions {
  const version = values['a2a-version'] ?? peer?.version;
  const timeoutMs = readDuration('timeout', values.timeout);
  const credentials = credentialsOf(values, peer);
  if (values.insecure) trustAnyCertificate();
  return defined({
    version: version === undefined ? undefined : knownVersion(version),
    url: values.endpoint === undefined ? undefined : readAddress('--endpoint', values.endpoint),
    auth: authOf(credentials),
    allowOrigins: [...values['allow-origin'], ...(peer?.allowOrigins ?? [])],
    headers: values['svc-param'].length === 0 ? undefined : headers(values['svc-param']),
    timeoutMs,
    userAgent: 'tandem-cli',
    interceptors: values.debug === true ? [tracing(secretsOf(values, credentials))] : undefined,
  });
}

function knownVersion(text: string): NonNullable<ConnectOptions['version']> {
  const version = parseVersion(text);
  if (version !== undefined) return version;
  throw new CliError('usage', `--a2a-version must be 1.0, 0.3, 0.2 or 0.1, not ${JSON.stringify(text)}`);
}

interface Credentials {
  readonly bearer: string | undefined;
  readonly apiKey: string | undefined;
}

function credentialsOf(values: AgentValues, peer: AgentReference['peer']): Credentials {
  return {
    bearer: values.bearer ?? secretIn(peer?.bearerEnv),
    apiKey: values['api-key'] ?? secretIn(peer?.apiKeyEnv),
  };
}

function authOf({ bearer, apiKey }: Credentials): Auth | undefined {
  const all = [...(bearer === undefined ? [] : [bearer]), ...(apiKey === undefined ? [] : [{ apiKey }])];
  return all.length === 0 ? undefined : all;
}

function secretIn(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const secret = process.env[variable];
  if (secret !== undefined && secret !== '') return secret;
  throw new CliError('auth', `The peer needs a credential in ${variable}, which is not set`, {
    code: 'A2ACLI_ERR_CREDENTIALS_MISSING',
  });
}

function headers(params: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    params.map((param) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(param) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new CliError('usage', '--svc-param must be a name and a value separated by a colon, such as x-team:blue');
    }),
  );
}

const BINDINGS: Readonly<Record<string, BindingName>> = {
  jsonrpc: 'JSONRPC',
  'json-rpc': 'JSONRPC',
  rest: 'HTTP+JSON',
  http: 'HTTP+JSON',
  'http+json': 'HTTP+JSON',
};

function preferences({ transport }: AgentValues, { peer }: AgentReference): readonly BindingName[] {
  const names = transport.length > 0 ? transport : peer?.transport === undefined ? [] : [peer.transport];
  return names.flatMap((name) => {
    const binding = BINDINGS[name.toLowerCase()];
    if (binding !== undefined) return binding;
    if (name.toLowerCase() !== 'grpc') throw new CliError('usage', `--transport must be jsonrpc or rest, not ${name}`);
    screen.notice('tandem does not support gRPC yet; --transport grpc is ignored.', 'yellow');
    return [];
  });
}

/** Connects with the first preferred binding that the card offers, otherwise with the preference of the card. */
async function connectByPreference(
  { target }: AgentReference,
  options: ConnectOptions,
  preferred: readonly BindingName[],
): Promise<AgentClient> {
  const agent = await connect(target, options);
  const offered = agent.card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding);
  const binding = preferred.find((name) => offered.includes(name));
  if (binding === undefined || binding === agent.chosen.binding) return agent;
  await agent.close();
  return connect(target, { ...options, binding });
}

function introduce({ card, chosen, warnings }: AgentClient): void {
  screen.notice(`Agent: ${card.name} ${card.version}`, 'dim');
  screen.notice(`Interface: ${chosen.binding} ${chosen.version} at ${chosen.url}`, 'dim');
  screen.notice(`Reason: ${chosen.why}`, 'dim');
  for (const { field, description } of warnings) screen.notice(`Deviation: ${field}: ${description}`, 'yellow');
}

/** Turns off certificate checks. Replaces the warning of Node, which names a variable that the user has not set. */
function trustAnyCertificate(): void {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  process.removeAllListeners('warning');
  screen.notice(
    'TLS certificates are not verified (--insecure): anyone on the network path can read and change the traffic.',
    'yellow',
  );
}

function secretsOf(values: AgentValues, { bearer, apiKey }: Credentials): readonly string[] {
  const params = values['svc-param'].map((param) => param.slice(param.indexOf(':') + 1).trim());
  return [bearer ?? '', apiKey ?? '', ...params].filter((text) => text !== '');
}

/** Prints every request. Credentials are added later; they are still removed from the output, because texts can contain them. */
function tracing(secrets: readonly string[]): Interceptor {
  const clean = (text: string): string => secrets.reduce((result, secret) => result.replaceAll(secret, '***'), text);
  return async (request, next) => {
    const start = now();
    const { operation, method, url, body } = request;
    screen.notice(clean(`→ ${operation} ${method} ${url}${body === undefined ? '' : ` ${body}`}`), 'dim');
    const response = await next(request);
    const type = response.header('content-type') ?? '';
    screen.notice(clean(`← ${response.status} ${type} after ${Math.round(now() - start)} ms`), 'dim');
    return response;
  };
}
