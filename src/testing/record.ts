import { listenOnLoopback } from './loopback-server.ts';
import { Addresses } from './recording/addresses.ts';
import { RecordingProxy } from './recording/proxy.ts';
import { writeRecording } from './recording/recording.ts';
import { toRecording } from './recording/taking-down.ts';
import { trimEndOf } from '../support/trim-end.ts';

export interface RecordOptions {
  /** Texts to remove wherever they occur. Tokens, keys and members named like secrets are removed without being listed. */
  readonly secrets?: readonly string[];
  /** Other origins that the agent's card may send its callers to; they are recorded too. */
  readonly origins?: readonly string[];
}

/** Stands in front of an agent and writes down what is said. */
export interface Recorder {
  /** What to give to `connect` instead of the agent's own address. */
  readonly url: string;
  /** Writes the file, in place of one that was there. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Records a conversation with a real agent, to be served again by `replay`. Everything that is sent to `url` goes to the
 * agent, and its responses are passed back at once. Recording the same conversation again gives the same file. Secrets with a
 * known name or form are removed, and those in `secrets`; a secret that looks like an ordinary word is not recognised. The file
 * is therefore readable for its owner only (mode 600). Read it before you commit it.
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
