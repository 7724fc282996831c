import { A2AError } from '../errors.ts';
import { normalizeBase64 } from '../support/base64.ts';
import { decodeBase64, encodeBase64 } from '../support/bytes.ts';
import { clientNamesTasks } from '../wire/spoken.ts';
import { parseVersion } from '../wire/version.ts';
import type { Chosen } from './endpoint.ts';
import { BINDINGS } from './options.ts';
import { parseUrl } from './trust.ts';

/** Where tasks are. */
export type TaskPlace = Pick<Chosen, 'url' | 'binding' | 'version' | 'tenant'>;

/** What a handle says: which task, and how to reach its agent. */
export interface TaskAddress extends TaskPlace {
  readonly taskId: string;
  /** Whether the agent has streams. */
  readonly streaming: boolean;
}

/** Not even without a scheme can an address begin like this. */
const PREFIX = 'task1_';

export function isHandle(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * The address as a handle says it. What a query holds may be a secret, so that all that is told of it is that there is one.
 */
function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? url : url.slice(0, at + 1);
}

/** Whether the address had a query, which only its user can say again. */
export function lacksQuery({ url }: Pick<TaskAddress, 'url'>): boolean {
  return url.endsWith('?');
}

/** Whether the ids of tasks mean the same at both: the same place, asked for the same tenant in the same way. */
export function isSamePlace(one: TaskPlace, other: TaskPlace): boolean {
  return (
    withoutQuery(parseUrl(one.url).href) === withoutQuery(parseUrl(other.url).href) &&
    one.binding === other.binding &&
    one.tenant === other.tenant &&
    clientNamesTasks(one) === clientNamesTasks(other)
  );
}

/** One word of letters, digits, `-` and `_`, for files, environments and shells. */
export function encodeHandle({ url, binding, version, tenant, taskId, streaming }: TaskAddress): string {
  const rest = JSON.stringify(tenant === undefined ? [taskId, streaming] : [taskId, streaming, tenant]);
  return handleStart(url, binding, version) + urlSafeBase64(rest.slice(1));
}

let lastStart = { url: '', binding: '', version: '', text: '' };

/** What the handles of all tasks of an agent begin with: every reply has one, and this is most of its text. */
function handleStart(url: string, binding: string, version: string): string {
  if (lastStart.url !== url || lastStart.binding !== binding || lastStart.version !== version) {
    const bytes = new TextEncoder().encode(`${JSON.stringify([withoutQuery(url), binding, version]).slice(0, -1)},`);
    // Blanks between members mean nothing, and three bytes are four characters: what follows can be encoded alone.
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
  return new A2AError('INVALID_PARAMS', 'This is no task handle: it is cut off, or was made by something else', {
    cause,
  });
}
