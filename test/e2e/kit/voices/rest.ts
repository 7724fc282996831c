import type { Answer, Ask } from '../exchange.ts';
import { factsOf, params03, params1, wrappedSend } from './rpc.ts';
import type { Said, Voice } from './voice.ts';
import type { WireDetail, WireTask, WireWrapped } from './wire.ts';
import { words03Kind, words03Proto, words1, type Words } from './words.ts';

interface Speech {
  readonly version: '1.0' | '0.3';
  readonly prefix: '' | '/v1';
  readonly words: Words<WireWrapped>;
  params(said: Said): unknown;
  readonly error: Voice['error'];
}

function restVoice({ version, prefix, words, params, error }: Speech): Voice {
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
    send: (said) => call('POST', '/message:send', params(said)),
    stream: (said) => call('POST', '/message:stream', params(said)),
    get: (id, length) => call('GET', `${taskPath(id)}${length === undefined ? '' : `?historyLength=${length}`}`),
    cancel: (id) => call('POST', `${taskPath(id)}:cancel`),
    subscribe: (id) => call('POST', `${taskPath(id)}:subscribe`),
    sent: (answer) => wrappedSend(bodyOf(answer), words),
    task: (answer) => words.readTask(bodyOf(answer) as WireTask),
    event: ({ json }) => words.readEvent(json as WireWrapped),
    error,
  };
}

function bodyOf({ status, json }: Answer): unknown {
  if (status !== 200) throw new Error(`Expected an answer, got ${status} ${JSON.stringify(json)}`);
  return json;
}

export const rest1: Voice = restVoice({
  version: '1.0',
  prefix: '',
  words: words1,
  params: params1,
  error({ status, json }) {
    const { error } = json as { error: { message: string; details: readonly WireDetail[] } };
    return { status, code: undefined, message: error.message, ...factsOf(error.details) };
  },
});

const error03: Voice['error'] = ({ status, json }) => {
  const { code, message, error } = json as { code: number; message: string; error: { data: WireDetail } };
  return { status, code, message, ...factsOf([error.data]) };
};

export const rest03: Voice = restVoice({
  version: '0.3',
  prefix: '/v1',
  words: words03Proto,
  // There `blocking` is false unless it is said, so this voice says it.
  params: (said) => params03({ returnImmediately: false, ...said }, words03Proto),
  error: error03,
});

/** For servers whose `restStyle` is `kind`. */
export const rest03Kind: Voice = restVoice({
  version: '0.3',
  prefix: '/v1',
  words: words03Kind,
  params: (said) => params03(said, words03Kind),
  error: error03,
});
