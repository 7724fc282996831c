import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { type BuiltInStrategy, plainHeaders } from './strategy.ts';

/** An API key. It is sent in the header, cookie or query parameter that the card declares, else in the header `x-api-key`. */
export interface ApiKey {
  /** The key. */
  readonly apiKey: string;
  /** The name of the header to send it in, whatever the card declares. */
  readonly header?: string;
}

interface KeyPlacement {
  readonly location: 'header' | 'cookie' | 'query';
  readonly name: string;
}

/** In order of preference. The query comes last because servers log URLs. */
const LOCATIONS = ['header', 'cookie', 'query'] as const;

const DEFAULT_PLACEMENT: KeyPlacement = { location: 'header', name: 'x-api-key' };

export function apiKey({ apiKey: key, header }: ApiKey): BuiltInStrategy {
  const placementFor = (card: AgentCard | undefined): KeyPlacement =>
    header === undefined ? placementOf(card) : { location: 'header', name: header };
  return {
    headers({ card }) {
      const { location, name } = placementFor(card);
      if (location === 'header') return plainHeaders({ [name]: key });
      return location === 'cookie' ? { cookie: cookie(name, key) } : {};
    },
    query({ card }) {
      const { location, name } = placementFor(card);
      return location === 'query' ? { [name]: key } : {};
    },
  };
}

function placementOf(card: AgentCard | undefined): KeyPlacement {
  const placements = Object.values(card?.securitySchemes ?? {}).flatMap((scheme) =>
    'apiKeySecurityScheme' in scheme ? scheme.apiKeySecurityScheme : [],
  );
  for (const location of LOCATIONS) {
    const placement = placements.find((each) => each.location === location);
    if (placement !== undefined) return { location, name: placement.name };
  }
  return DEFAULT_PLACEMENT;
}

/** RFC 6265 §4.1.1. @throws A2AError for characters that would end the cookie or start another one. */
function cookie(name: string, value: string): string {
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(value))
    return `${name}=${value}`;
  throw new A2AError(
    'UNAUTHENTICATED',
    `The API key for the cookie ${JSON.stringify(name)} is empty or contains characters that cookies cannot contain`,
  );
}
