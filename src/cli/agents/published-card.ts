import { cardSourceOf } from '../../client/card/card-locations.ts';
import { tryDiscover } from '../../client/connect.ts';
import type { ConnectOptions } from '../../client/options.ts';
import { fetchJson } from '../../support/http-client/fetch-json.ts';
import type { AgentReference } from './agent-reference.ts';

/** A card as the agent publishes it, before it is converted to the 1.0 format. */
interface PublishedCard {
  readonly json: unknown;
  /** Null for the card of a file. */
  readonly url: string | null;
}

/** Finds the card of an agent, also one that clients cannot decode. Undefined if there is none, or if the agent rejects the caller. */
export async function publishedCard(
  reference: AgentReference,
  options: ConnectOptions,
): Promise<PublishedCard | undefined> {
  const found = await originalCard(reference, options);
  if (found !== undefined) return found;
  const { name } = reference;
  const address = reference.peer?.url ?? (/^https?:/i.test(name) ? name : `https://${name}`);
  return URL.canParse(address) ? jsonAt(address) : undefined;
}

/** Finds the card of an agent as clients do. Undefined if they cannot use it. */
export async function originalCard(
  { target }: AgentReference,
  options: ConnectOptions,
): Promise<PublishedCard | undefined> {
  if (typeof target !== 'string') return { json: target, url: null };
  const found = await tryDiscover(target, options).catch(() => null);
  return found === null ? undefined : { json: found.raw, url: found.url };
}

const LOOK_MS = 10_000;

/** The first JSON document at the usual URLs of a card. */
export async function jsonAt(address: string | undefined): Promise<PublishedCard | undefined> {
  if (address === undefined) return undefined;
  for (const { url } of cardSourceOf(new URL(address), undefined).cards) {
    try {
      return { json: await fetchJson(url, LOOK_MS), url };
    } catch {
      // Not JSON, so it is not a card.
    }
  }
  return undefined;
}
