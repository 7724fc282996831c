import { listenOnLoopback } from './loopback-server.ts';
import { Addresses } from './recording/addresses.ts';
import { RecordingProxy } from './recording/proxy.ts';
import { writeRecording } from './recording/recording.ts';
import { toRecording } from './recording/transcriber.ts';
import { trimEndOf } from '../support/trim-end.ts';

/** Options of `record()`. */
export interface RecordOptions {
  /** Texts to remove wherever they occur. Tokens, keys and members named like secrets are removed without being listed. */
  readonly secrets?: readonly string[];
  /** Other origins that the card of the agent names. Requests to them are recorded too. */
  readonly origins?: readonly string[];
}

/** A proxy in front of an agent that records its requests and responses. */
export interface Recorder {
  /** The address to pass to `connect()` instead of the agent's own. */
  readonly url: string;
  /** Stops the proxy and writes the file. Replaces an existing file. */
  close(): Promise<void>;
  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Records a conversation with a real agent for `replay()`. The recorder forwards every request to the agent and returns its
 * responses at once. Recording the same conversation again produces the same file.
 *
 * Secrets with a known name or format are removed, and those in `secrets`; a secret that looks like an ordinary word is not
 * recognised. The file is therefore readable for its owner only (mode 600). Read it before you commit it.
 *
 * @example
 * const recorder = await record('https://clerk.example.com', 'test/recordings/clerk.json');
 * const agent = await connect(recorder.url);
 * await agent.ask('Rome');
 * await recorder.close();
 */
export async function record(
  target: string | URL,
  file: string | URL,
  { secrets = [], origins = [] }: RecordOptions = {},
): Promise<Recorder> {
  const agent = new URL(target);
  const path = trimEndOf(agent.pathname, '/');
  const proxy = new RecordingProxy(new Addresses(agent, origins));
  const server = await listenOnLoopback((request, url) => proxy.answer(request, url));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= server.close().then(() => writeRecording(file, toRecording(proxy.taken, server.url, path, secrets))));
  return { url: server.url + path, close, [Symbol.asyncDispose]: close };
}
