import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../../support/check.ts';
import { nearest } from '../../support/nearest.ts';
import { CliError } from '../cli-error.ts';
import { configFile, nearestFile, readIfThere } from '../environment.ts';
import { readAddress, readJson } from '../read-values.ts';

/** An agent with a name. Secrets are in the environment; the file contains only the names of their variables. */
export interface Peer {
  readonly url: string;
  readonly description?: string;
  readonly bearerEnv?: string;
  readonly apiKeyEnv?: string;
  readonly version?: string;
  readonly transport?: string;
  readonly allowOrigins?: readonly string[];
}

export interface PeersFile {
  readonly file: string;
  readonly peers: Readonly<Record<string, Peer>>;
}

const NAME = 'tandem.peers.json';
const MEMBERS = ['url', 'description', 'bearerEnv', 'apiKeyEnv', 'version', 'transport', 'allowOrigins'];

/** Reads the file of the option, otherwise the nearest one, otherwise the user's own. Only the first must exist. */
export function readPeers(option: string | undefined): PeersFile {
  const file = option ?? nearestFile(NAME) ?? configFile('tandem', 'peers.json');
  const text = readIfThere(file);
  if (text === undefined && option !== undefined) throw new CliError('usage', `The peers file ${file} does not exist`);
  return { file, peers: text === undefined ? {} : peersOf(file, readJson(file, text)) };
}

function peersOf(file: string, json: unknown): Readonly<Record<string, Peer>> {
  if (!isObject(json)) throw new CliError('usage', `${file} must contain an object: { "name": "https://…" }`);
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, peerOf(`${file}: ${name}`, value)]));
}

function peerOf(what: string, value: unknown): Peer {
  const peer = typeof value === 'string' ? { url: value } : value;
  if (!isObject(peer) || typeof peer['url'] !== 'string') {
    throw new CliError('usage', `${what} must be a URL, or an object with a member url`);
  }
  readAddress(what, peer['url']);
  for (const [member, content] of Object.entries(peer)) {
    if (member === 'bearer' || member === 'apiKey') {
      const hint = `Put the secret into an environment variable, and the name of the variable here as ${member}Env.`;
      throw new CliError('usage', `${what} contains a secret`, { hint });
    }
    if (!MEMBERS.includes(member)) {
      const meant = nearest(member, MEMBERS);
      const advice = meant === undefined ? `known members: ${MEMBERS.join(', ')}` : `did you mean ${meant}?`;
      throw new CliError('usage', `${what} has the unknown member ${member}; ${advice}`);
    }
    const isRight = member === 'allowOrigins' ? isTexts(content) : typeof content === 'string';
    if (!isRight)
      throw new CliError(
        'usage',
        `${what}: ${member} must be ${member === 'allowOrigins' ? 'a list of strings' : 'a string'}`,
      );
  }
  return peer as unknown as Peer;
}

/** @throws CliError that suggests the closest name. */
export function peerNamed(name: string, { file, peers }: PeersFile): Peer {
  const peer = Object.hasOwn(peers, name) ? peers[name] : undefined;
  if (peer !== undefined) return peer;
  const known = Object.keys(peers);
  const meant = nearest(name, known);
  const others = known.length === 0 ? `${file} has no peers` : `known peers: ${known.join(', ')} (${file})`;
  throw new CliError('usage', `Unknown peer ${name}; ${meant === undefined ? others : `did you mean ${meant}?`}`, {
    hint: 'Pass a URL such as http://localhost:4100, or add the peer: tandem peers add <name> <url>',
  });
}

export function writePeers({ file, peers }: PeersFile): void {
  const short = Object.entries(peers).map(([name, peer]) => [name, Object.keys(peer).length === 1 ? peer.url : peer]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(short), undefined, 2)}\n`);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
