/** Calls to peers over sockets, with a scripted caller in place of the engine. */
import { onTestFinished } from 'vitest';
import {
  type Peer,
  type PeerAnswer,
  type PeerCall,
  PeerError,
  type PeerState,
  type PeerUpdate,
} from '../../../src/engine/calls/peers.ts';
import { isSettled } from '../../../src/peers/updates.ts';
import { textOfParts } from '../../../src/model/part-text.ts';
import type { Part } from '../../../src/model/part.ts';
import type { Task } from '../../../src/model/task.ts';
import { silentLog } from '../../../src/observe/log.ts';
import type { PeerTarget } from '../../../src/peers/peer-options.ts';
import { createPeers, type OpenPeers, type PeersSettings } from '../../../src/peers/peers.ts';
import { newId } from '../../../src/support/id.ts';

/** A signal that never aborts. */
export const NEVER = new AbortController().signal;

/** The directory of a node. Several of them are several nodes of one host. */
export function openPeers(peers: Readonly<Record<string, PeerTarget>>, more: Partial<PeersSettings> = {}): OpenPeers {
  const admit = (): never => {
    throw new Error('is not allowed');
  };
  const opened = createPeers({
    peers,
    admit,
    isProduction: false,
    hintUrl: undefined,
    log: silentLog,
    now: Date.now,
    ...more,
  });
  onTestFinished(() => opened.close());
  return opened;
}

/** The peer `crm` at this address. */
export function peerAt(target: PeerTarget, more: Partial<PeersSettings> = {}): Peer {
  const peer = openPeers({ crm: target }, more).find('crm');
  if (peer === undefined) throw new Error('The peer was ignored');
  return peer;
}

export function callOf(text: string, more: Partial<PeerCall> = {}): PeerCall {
  const id = newId();
  return {
    id,
    message: { messageId: `m-${id}`, contextId: `c-${id}`, role: 'ROLE_USER', parts: [{ text }] },
    as: undefined,
    caller: { id: 'alice', isVerified: true },
    lineage: { root: 't-root', parent: 't-parent', depth: 2, path: ['front-desk', 'analytics'], marks: ['k1', 'k2'] },
    trace: undefined,
    ...more,
  };
}

export function taskOf(state: PeerState | undefined): Task {
  if (state?.kind !== 'task') throw new Error(`Expected a task, got ${JSON.stringify(state)}`);
  return state.task;
}

/** Gets the task until it has ended or asks a question, and not the one with this id. */
export async function settledTask(peer: Peer, call: PeerCall, taskId: string, answered?: string): Promise<Task> {
  for (;;) {
    const task = taskOf(await peer.get(call, taskId, NEVER));
    if (isSettled(task.status) && (answered === undefined || task.status.message?.messageId !== answered)) return task;
  }
}

export async function followed(
  peer: Peer,
  call: PeerCall,
  taskId: string,
  after?: number,
  signal: AbortSignal = NEVER,
): Promise<AsyncIterable<PeerUpdate>> {
  const updates = await peer.follow(call, taskId, after, signal);
  if (updates === undefined) throw new Error('The peer has no streams');
  return updates;
}

export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The texts of the artifacts that updates add up to, by name. */
export function artifactsOf(updates: readonly PeerUpdate[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const update of updates) {
    if (update.kind !== 'artifact') continue;
    const text = textOf(update.parts);
    texts[update.name] = update.append ? (texts[update.name] ?? '') + text : text;
  }
  return texts;
}

/** The text of chunks, which a peer may store separately or joined. */
function textOf(parts: readonly Part[]): string {
  return parts.map((part) => textOfParts([part])).join('');
}

export function artifactTexts({ artifacts = [] }: Task): Readonly<Record<string, string>> {
  return Object.fromEntries(artifacts.map(({ name = '', parts }) => [name, textOf(parts)]));
}

/** Sends an answer until the peer accepts it, as the engine does. */
export async function answered(peer: Peer, call: PeerCall, taskId: string, answer: PeerAnswer): Promise<Task> {
  for (;;) {
    try {
      return taskOf(await peer.answer(call, taskId, answer, NEVER));
    } catch (error) {
      if (!(error instanceof PeerError) || error.kind !== 'unreachable') throw error;
    }
  }
}

export async function failureOf(work: Promise<unknown>): Promise<PeerError> {
  return work.then(
    (value) => {
      throw new Error(`Expected an error, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error as PeerError,
  );
}
