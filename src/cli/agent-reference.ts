import { fileURLToPath } from 'node:url';
import type { ConnectTarget } from '../client/connect.ts';
import { decodeHandle, isHandle } from '../client/task-handle.ts';
import type { JsonObject } from '../model/json.ts';
import type { AgentOptions } from './agent-options.ts';
import { CliError } from './cli-error.ts';
import { readIfThere } from './environment.ts';
import type { Arguments } from './option.ts';
import { type Peer, peerNamed, readPeers } from './peers-file.ts';
import { readJson } from './read-values.ts';

/** An agent, as somebody named it. */
export interface AgentReference {
  readonly name: string;
  readonly target: ConnectTarget;
  readonly peer: Peer | undefined;
  /** The task that a handle leads to. */
  readonly taskId: string | undefined;
  /** The words that name it in another command. */
  readonly again: readonly string[];
}

export type AgentArguments = Pick<Arguments<AgentOptions>, 'values' | 'sources'>;

/** Which agent is meant, and which of the words were not needed to say so. */
export interface TakenAgent {
  readonly reference: AgentReference;
  readonly rest: readonly string[];
}

/**
 * By `--agent-card`, else by the first word. Where the environment names an agent, words are something else, unless the
 * first one can only be an agent.
 *
 * @throws CliError if nothing names one.
 */
export function takeAgent(given: AgentArguments, words: readonly string[], synopsis: string): TakenAgent {
  const { 'agent-card': named, peers } = given.values;
  const [first, ...rest] = words;
  const isFlag = given.sources['agent-card'] === 'flag';
  if (named !== undefined && (isFlag || first === undefined || !isUnmistakable(first))) {
    return { reference: referenceTo(named, isFlag ? ['-a', named] : [], peers), rest: words };
  }
  if (first !== undefined) return { reference: referenceTo(first, [first], peers), rest };
  throw new CliError('usage', `Name an agent: tandem ${synopsis}`, {
    hint: 'An agent is an address, the name of a peer, or what A2ACLI_AGENT_CARD says.',
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
    throw new CliError('usage', `${word} is no address`);
  }
  if (word.startsWith('file://') || word.endsWith('.json')) {
    const file = word.startsWith('file://') ? fileURLToPath(word) : word;
    const text = readIfThere(file);
    if (text !== undefined) return { ...plain, target: readJson(file, text) as JsonObject };
    throw new CliError('unreachable', `There is no card in the file ${file}`, { code: 'A2ACLI_ERR_CARD_NOT_FOUND' });
  }
  const file = readPeers(peers);
  const isHost = /[.:/]/.test(word) || word === 'localhost';
  if (isHost && !Object.hasOwn(file.peers, word)) {
    if (URL.canParse(`https://${word}`)) return plain;
    throw new CliError('usage', `${word} is neither an address nor the name of a peer`);
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
