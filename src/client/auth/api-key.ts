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

interface Place {
  readonly location: 'header' | 'cookie' | 'query';
  readonly name: string;
}

/** In order of preference. The query comes last because servers log URLs. */
const LOCATIONS = ['header', 'cookie', 'query'] as const;

const DEFAULT_PLACE: Place = { location: 'header', name: 'x-api-key' };

export function apiKey({ apiKey: key, header }: ApiKey): BuiltInStrategy {
  const placeFor = (card: AgentCard | undefined): Place =>
    header === undefined ? placeOf(card) : { location: 'header', name: header };
  return {
    headers({ card }) {
      const { location, name } = placeFor(card);
      if (location === 'header') return plainHeaders({ [name]: key });
      return location === 'cookie' ? { cookie: cookie(name, key) } : {};
    },
    query({ card }) {
      const { location, name } = placeFor(card);
      return location === 'query' ? { [name]: key } : {};
    },
  };
}

function placeOf(card: AgentCard | undefined): Place {
  const places = Object.values(card?.securitySchemes ?? {}).flatMap((scheme) =>
    'apiKeySecurityScheme' in scheme ? scheme.apiKeySecurityScheme : [],
  );
  for (const location of LOCATIONS) {
    const place = places.find((each) => each.location === location);
    if (place !== undefined) return { location, name: place.name };
  }
  return DEFAULT_PLACE;
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
