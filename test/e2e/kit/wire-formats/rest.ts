import type { Answer, Ask } from '../exchange.ts';
import { factsOf, params03, params1, wrappedSend } from './rpc.ts';
import type { MessageInput, WireFormat } from './wire-format.ts';
import type { WireDetail, WireTask, WireWrapped } from './wire-objects.ts';
import { objects03Kind, objects03Proto, objects1, type ObjectCodec } from './objects.ts';

interface RestOptions {
  readonly version: '1.0' | '0.3';
  readonly prefix: '' | '/v1';
  readonly objects: ObjectCodec<WireWrapped>;
  params(input: MessageInput): unknown;
  readonly error: WireFormat['error'];
}

function restFormat({ version, prefix, objects, params, error }: RestOptions): WireFormat {
  const headers = { 'a2a-version': version };
  const call = (method: string, path: string, body?: unknown): Ask => ({
    method,
    path: `${prefix}${path}`,
    headers,
    ...(body !== undefined && { body }),
  });
  const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`;
  return {
    name: `${version} REST`,
    version,
    binding: 'REST',
    send: (input) => call('POST', '/message:send', params(input)),
    stream: (input) => call('POST', '/message:stream', params(input)),
    get: (id, length) => call('GET', `${taskPath(id)}${length === undefined ? '' : `?historyLength=${length}`}`),
    cancel: (id) => call('POST', `${taskPath(id)}:cancel`),
    subscribe: (id) => call('POST', `${taskPath(id)}:subscribe`),
    sent: (answer) => wrappedSend(bodyOf(answer), objects),
    task: (answer) => objects.readTask(bodyOf(answer) as WireTask),
    event: ({ json }) => objects.readEvent(json as WireWrapped),
    error,
  };
}

function bodyOf({ status, json }: Answer): unknown {
  if (status !== 200) throw new Error(`Expected a response with status 200, got ${status} ${JSON.stringify(json)}`);
  return json;
}

export const rest1: WireFormat = restFormat({
  version: '1.0',
  prefix: '',
  objects: objects1,
  params: params1,
  error({ status, json }) {
    const { error } = json as { error: { message: string; details: readonly WireDetail[] } };
    return { status, code: undefined, message: error.message, ...factsOf(error.details) };
  },
});

const error03: WireFormat['error'] = ({ status, json }) => {
  const { code, message, error } = json as { code: number; message: string; error: { data: WireDetail } };
  return { status, code, message, ...factsOf([error.data]) };
};

export const rest03: WireFormat = restFormat({
  version: '0.3',
  prefix: '/v1',
  objects: objects03Proto,
  // The default of `blocking` is false in this format, so it is always set.
  params: (input) => params03({ returnImmediately: false, ...input }, objects03Proto),
  error: error03,
});

/** For servers with `restStyle: 'kind'`. */
export const rest03Kind: WireFormat = restFormat({
  version: '0.3',
  prefix: '/v1',
  objects: objects03Kind,
  params: (input) => params03(input, objects03Kind),
  error: error03,
});
