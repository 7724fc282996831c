import { Buffer } from 'node:buffer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../src/node/index.ts';
import { silentLog } from '../../../src/observe/log.ts';
import { type Agent, agent, memoryStore } from '../../../src/server/index.ts';
import { officialClientBehaviours } from '../official-client-behaviours.ts';
import { serveTestAgent } from '../test-agent.ts';
import { SAMPLES, wrapByKind } from '../kind-objects.ts';
import {
  all,
  type Peer,
  type PeerEvent,
  type PeerPart,
  type PeerResult,
  type PeerTask,
  type ClientMessage,
  taskOf,
  textsOf,
} from '../peer.ts';
import type { Program } from './program.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON';

export interface ClientSubject {
  readonly name: string;
  readonly program: Program;
  readonly binding: Binding;
  readonly version: '1.0' | '0.3';
  /** Whether the objects of the SDK have the 1.0 format, or the 0.3 format with a `kind` member. */
  readonly form: '1.0' | 'kind';
  /** Files and a JSON value that the client can send and read, if it cannot read those of the SDK's objects. */
  readonly samples?: readonly PeerPart[];
  /** The class of the error for a task that does not exist. */
  readonly notFound: string;
  /** The result of a subscription to a task that has ended: `the task`, `nothing`, or the class of an error. */
  readonly endedSubscription: string;
  /** Whether the client can delete a push configuration. */
  readonly deletesPushConfigs?: boolean;
}

/** The bytes of a file that is not text. */
export const IMAGE: readonly number[] = [0x89, 0x50, 0x4e, 0x47, 1, 2, 3];

/** An address without a listener, to which nothing is sent. */
const HOOK = 'http://127.0.0.1:9';

const SAMPLES_1: readonly PeerPart[] = [
  { raw: 'SGVsbG8=', filename: 'hello.bin', mediaType: 'application/octet-stream' },
  { url: 'https://example.com/plan.pdf', filename: 'plan.pdf', mediaType: 'application/pdf' },
  { data: { nested: [1, 'two', null] } },
];

/** The behaviour of our server that the client of an SDK in another language relies on. */
export function foreignClientBehaviours(subject: ClientSubject): void {
  const { deletesPushConfigs = true } = subject;
  const connect = async (url: string) => (await connectPeer(subject, url)).peer;
  officialClientBehaviours({ name: subject.name, connect });

  describe(subject.name, () => {
    test('it throws its own error class for a task that does not exist', async () => {
      const { url } = await serveTestAgent();
      const peer = await connect(url);
      await expect(peer.get('unknown')).rejects.toMatchObject({ name: subject.notFound });
    });

    test(`it creates ${deletesPushConfigs ? 'and deletes ' : ''}a push configuration`, async () => {
      const server = await serveTestAgent({ pushNotifications: true, push: { allowPrivate: [HOOK] } });
      const { peer, client } = await connectPeer(subject, server.url);
      const { id } = taskOf(await peer.send({ text: 'report' }));
      const url = `${HOOK}/hook`;
      expect(await subject.program.call('setPushConfig', { client, id, url })).toBe(url);
      if (deletesPushConfigs) await subject.program.call('deletePushConfig', { client, id });
    });

    test('the server reads the bytes of a file that it sends', async () => {
      const received: (readonly number[])[] = [];
      const { url } = await serveAgent(fileReader((bytes) => void received.push(bytes)));
      const peer = await connect(url);
      const parts = [filePart(subject.form, Buffer.from(IMAGE).toString('base64'))];
      // Over REST of 0.3 the Python SDK cannot read the history of the task, which has the file; see docs/protocol-versions.md.
      await Promise.allSettled([peer.send({ parts })]);
      expect(received).toEqual([IMAGE]);
    });

    test('it gets a text, although it accepts only application/json', async () => {
      const { url } = await serveAgent(agent({ name: 'Greeter', description: 'Greets.', run: async () => 'Hello' }));
      const { client, requestOf, eventOf } = await connectPeer(subject, url);
      const configuration = { acceptedOutputModes: ['application/json'] };
      const sent = await subject.program.call('send', {
        client,
        request: { ...requestOf({ text: 'hi' }), configuration },
      });
      expect(textsOf(taskOf(eventOf(sent) as PeerResult))).toEqual({ response: 'Hello' });
    });

    test(`it gets ${subject.endedSubscription} when it subscribes to a task that has ended`, async () => {
      const { url } = await serveTestAgent();
      const peer = await connect(url);
      const task = taskOf(await peer.send({ text: 'report' }));
      const events = all(peer.resubscribe(task.id));
      if (subject.endedSubscription === 'the task') expect(await events).toEqual([{ task }]);
      else if (subject.endedSubscription === 'nothing') expect(await events).toEqual([]);
      else await expect(events).rejects.toMatchObject({ name: subject.endedSubscription });
    });
  });
}

function fileReader(report: (bytes: readonly number[]) => void) {
  return agent({
    name: 'File reader',
    description: 'Reads files.',
    inputModes: ['*/*'],
    run: async ({ parts }) => {
      for (const part of parts) if ('raw' in part) report([...Buffer.from(part.raw, 'base64')]);
      return 'Read';
    },
  });
}

async function serveAgent(served: Agent) {
  const server = await serve(served, { port: 0, store: memoryStore(), log: silentLog });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return server;
}

function filePart(form: ClientSubject['form'], base64: string): PeerPart {
  if (form === '1.0') return { raw: base64, filename: 'image.png', mediaType: 'image/png' };
  return { kind: 'file', file: { bytes: base64, name: 'image.png', mimeType: 'image/png' } };
}

type Connection = Pick<ClientSubject, 'program' | 'binding' | 'version' | 'form' | 'samples'>;

export async function connectPeer({ program, binding, version, form, samples }: Connection, url: string) {
  const { client, agentName } = (await program.call('connect', { url, binding, version })) as {
    readonly client: number;
    readonly agentName: string;
  };
  const requestOf = form === '1.0' ? request1 : requestOfKind;
  const eventOf = (event: unknown) =>
    form === '1.0' ? (event as PeerEvent) : wrapByKind(event as { readonly kind: string });
  const events = async function* (call: string, args: object): AsyncGenerator<PeerEvent, void> {
    for await (const event of program.stream(call, { client, ...args })) yield eventOf(event);
  };
  const peer: Peer = {
    agentName,
    samples: samples ?? (form === '1.0' ? SAMPLES_1 : SAMPLES),
    send: async (message) => eventOf(await program.call('send', { client, request: requestOf(message) })) as PeerResult,
    stream: (message) => events('stream', { request: requestOf(message) }),
    get: async (id) => (await program.call('get', { client, id })) as PeerTask,
    cancel: async (id) => (await program.call('cancel', { client, id })) as PeerTask,
    resubscribe: (id) => events('subscribe', { id }),
  };
  return { peer, client, requestOf, eventOf };
}

let messages = 0;

function request1({ text, parts = [{ text }], returnImmediately, ...ids }: ClientMessage) {
  const message = { messageId: `m-${++messages}`, role: 'ROLE_USER', parts, ...ids };
  return { message, ...(returnImmediately === true && { configuration: { returnImmediately: true } }) };
}

function requestOfKind({ text, parts = [{ kind: 'text', text }], returnImmediately, ...ids }: ClientMessage) {
  const message = { kind: 'message', messageId: `m-${++messages}`, role: 'user', parts, ...ids };
  return { message, ...(returnImmediately === true && { configuration: { blocking: false } }) };
}
