import { fileURLToPath } from 'node:url';
import type { ConnectTarget } from '../../client/connect.ts';
import { decodeHandle, isHandle } from '../../client/task/task-handle.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CallOptions } from './call-options.ts';
import { CliError } from '../cli-error.ts';
import { readIfThere } from '../environment.ts';
import type { Arguments } from '../option.ts';
import { type Peer, peerNamed, readPeers } from './peers-file.ts';
import { readJson } from '../read-values.ts';

/** The agent of a command, as the user named it. */
export interface AgentReference {
  readonly name: string;
  readonly target: ConnectTarget;
  readonly peer: Peer | undefined;
  /** The task of the handle, if a handle names the agent. */
  readonly taskId: string | undefined;
  /** The arguments that name the agent in another command. */
  readonly again: readonly string[];
}

export type AgentArguments = Pick<Arguments<CallOptions>, 'values' | 'sources'>;

/** The agent of a command, and the words that are left. */
export interface TakenAgent {
  readonly reference: AgentReference;
  readonly rest: readonly string[];
}

/**
 * Takes the agent from `--agent-card`, otherwise from the first word. If the environment names an agent, all words are for the
 * command, unless the first one can only be an agent.
 *
 * @throws CliError if no agent is named.
 */
export function takeAgent(given: AgentArguments, words: readonly string[], synopsis: string): TakenAgent {
  const { 'agent-card': named, peers } = given.values;
  const [first, ...rest] = words;
  const isFlag = given.sources['agent-card'] === 'flag';
  if (named !== undefined && (isFlag || first === undefined || !isUnmistakable(first))) {
    return { reference: referenceTo(named, isFlag ? ['-a', named] : [], peers), rest: words };
  }
  if (first !== undefined) return { reference: referenceTo(first, [first], peers), rest };
  throw new CliError('usage', `Pass an agent: tandem ${synopsis}`, {
    hint: 'An agent is a URL, the name of a peer, or the value of A2ACLI_AGENT_CARD.',
  });
}

function isUnmistakable(word: string): boolean {
  return isHandle(word) || /^(?:https?|file):\/\//i.test(word);
}

function referenceTo(word: string, again: readonly string[], peers: string | undefined): AgentReference {
  const plain = { name: word, target: word, peer: undefined, taskId: undefined, again };
  if (isHandle(word)) {
    const { url, taskId } = readHandle(word);
    return { ...plain, name: url, taskId };
  }
  if (/^https?:\/\//i.test(word)) {
    if (URL.canParse(word)) return plain;
    throw new CliError('usage', `${word} is not a valid URL`);
  }
  if (word.startsWith('file://') || word.endsWith('.json')) {
    const file = word.startsWith('file://') ? fileURLToPath(word) : word;
    const text = readIfThere(file);
    if (text !== undefined) return { ...plain, target: readJson(file, text) as JsonObject };
    throw new CliError('unreachable', `Card file ${file} does not exist`, { code: 'A2ACLI_ERR_CARD_NOT_FOUND' });
  }
  const file = readPeers(peers);
  const isHost = /[.:/]/.test(word) || word === 'localhost';
  if (isHost && !Object.hasOwn(file.peers, word)) {
    if (URL.canParse(`https://${word}`)) return plain;
    throw new CliError('usage', `${word} is neither a URL nor the name of a peer`);
  }
  const peer = peerNamed(word, file);
  return { ...plain, target: peer.url, peer };
}

function readHandle(word: string): ReturnType<typeof decodeHandle> {
  try {
    return decodeHandle(word);
  } catch (cause) {
    throw new CliError('usage', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
