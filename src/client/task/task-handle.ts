import { A2AError } from '../../errors.ts';
import { normalizeBase64 } from '../../support/base64.ts';
import { decodeBase64, encodeBase64 } from '../../support/bytes.ts';
import { clientNamesTasks } from '../../wire/client-dialect.ts';
import { parseVersion } from '../../wire/version.ts';
import type { Chosen } from '../request/endpoint.ts';
import { BINDINGS } from '../options.ts';
import { parseUrl } from '../request/trust.ts';

/** The endpoint of a task. */
export type TaskEndpoint = Pick<Chosen, 'url' | 'binding' | 'version' | 'tenant'>;

/** The content of a handle: the task and the endpoint of its agent. */
export interface TaskAddress extends TaskEndpoint {
  readonly taskId: string;
  /** Whether the agent has streams. */
  readonly streaming: boolean;
}

/** URLs do not start like this, even without a scheme: the names of hosts contain no underscores. */
const PREFIX = 'task1_';

export function isHandle(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Removes the query of a URL, which may contain a secret. The question mark stays, to show that there was one. */
function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? url : url.slice(0, at + 1);
}

/** Whether the URL had a query, which only the user can provide again. */
export function hasMissingQuery({ url }: Pick<TaskAddress, 'url'>): boolean {
  return url.endsWith('?');
}

/** Whether task ids have the same meaning at both: the same URL, binding and tenant. */
export function isSameEndpoint(one: TaskEndpoint, other: TaskEndpoint): boolean {
  return (
    withoutQuery(parseUrl(one.url).href) === withoutQuery(parseUrl(other.url).href) &&
    one.binding === other.binding &&
    one.tenant === other.tenant &&
    clientNamesTasks(one) === clientNamesTasks(other)
  );
}

/** Encodes a handle as letters, digits, `-` and `_`, which need no quoting in files, environment variables and shells. */
export function encodeHandle({ url, binding, version, tenant, taskId, streaming }: TaskAddress): string {
  const rest = JSON.stringify(tenant === undefined ? [taskId, streaming] : [taskId, streaming, tenant]);
  return handleStart(url, binding, version) + urlSafeBase64(rest.slice(1));
}

let lastStart = { url: '', binding: '', version: '', text: '' };

/** The common start of all handles of an agent. It is cached because every reply has a handle and this is most of its text. */
function handleStart(url: string, binding: string, version: string): string {
  if (lastStart.url !== url || lastStart.binding !== binding || lastStart.version !== version) {
    const bytes = new TextEncoder().encode(`${JSON.stringify([withoutQuery(url), binding, version]).slice(0, -1)},`);
    // Padded with JSON whitespace to a multiple of 3 bytes (4 characters), so that the rest can be encoded separately.
    const padded = new Uint8Array(Math.ceil(bytes.length / 3) * 3).fill(0x20);
    padded.set(bytes);
    lastStart = { url, binding, version, text: PREFIX + urlSafe(encodeBase64(padded)) };
  }
  return lastStart.text;
}

function urlSafeBase64(text: string): string {
  // eslint-disable-next-line no-control-regex -- all of ASCII
  const isAscii = /^[\x00-\x7f]*$/.test(text);
  return urlSafe(isAscii ? btoa(text) : encodeBase64(new TextEncoder().encode(text)));
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws A2AError `INVALID_PARAMS` */
export function decodeHandle(handle: string): TaskAddress {
  const [url, bindingName, versionText, taskId, streaming, tenant] = membersOf(handle);
  const binding = BINDINGS.find((name) => name === bindingName);
  const version = typeof versionText === 'string' ? parseVersion(versionText) : undefined;
  if (typeof url !== 'string' || typeof taskId !== 'string' || binding === undefined || version === undefined)
    throw broken();
  return {
    url: parseUrl(url).href,
    binding,
    version,
    taskId,
    streaming: streaming === true,
    tenant: typeof tenant === 'string' ? tenant : undefined,
  };
}

function membersOf(handle: string): readonly unknown[] {
  const base64 = normalizeBase64(handle.slice(PREFIX.length));
  if (!isHandle(handle) || base64 === undefined) throw broken();
  try {
    const members: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decodeBase64(base64)));
    return Array.isArray(members) ? members : [];
  } catch (cause) {
    throw broken(cause);
  }
}

function broken(cause?: unknown): A2AError {
  const message = 'Invalid task handle: it is truncated or was not created by this library';
  return new A2AError('INVALID_PARAMS', message, { cause });
}
