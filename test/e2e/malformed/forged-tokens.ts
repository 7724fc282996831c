/** Forged bearer tokens. */
import fc from 'fast-check';
import { base64url } from 'jose';
import { arbitraryJson } from '../../helpers/arbitrary-model.ts';

const part = (json: unknown): string => base64url.encode(JSON.stringify(json) ?? '');

const TRICKS = [
  '../../../../etc/passwd',
  '/dev/null',
  '..\\..\\windows\\win.ini',
  "' UNION SELECT 'secret' --",
  'http://127.0.0.1:1/keys',
  'file:///etc/passwd',
  '| cat /etc/passwd',
  '__proto__',
  'constructor',
  'key-1',
  'key-1\0',
  '',
  'k'.repeat(4000),
] as const;

const ALGORITHMS = ['none', 'None', 'NONE', '', 'HS256', 'HS512', 'RS256', 'ES256', 'EdDSA', 'dir', 'RSA1_5', 'A128KW'];

const arbitraryHeader = fc.oneof(
  fc.record(
    {
      alg: fc.oneof(fc.constantFrom(...ALGORITHMS), arbitraryJson),
      kid: fc.oneof(fc.constantFrom(...TRICKS), arbitraryJson),
      typ: fc.constantFrom('JWT', 'at+jwt', 'JOSE'),
      cty: fc.constantFrom('JWT', 'text/plain'),
      jku: fc.constantFrom(...TRICKS),
      x5u: fc.constantFrom(...TRICKS),
      jwk: fc.oneof(fc.constant({ kty: 'oct', k: 'AAAA' }), arbitraryJson),
      crit: fc.oneof(fc.constantFrom(['b64'], ['exp'], []), arbitraryJson),
      b64: fc.boolean(),
      enc: fc.constantFrom('A256GCM', 'A128CBC-HS256'),
      zip: fc.constant('DEF'),
    },
    { requiredKeys: ['alg'] },
  ),
  arbitraryJson,
);

const arbitraryClaims = fc.oneof(
  fc.record(
    {
      sub: fc.oneof(fc.constantFrom('alice', 'shared#alice', ''), arbitraryJson),
      exp: fc.oneof(fc.constantFrom(9e9, 0, -1, 1e300), arbitraryJson),
      iss: fc.oneof(fc.constantFrom('https://agent.example', ...TRICKS), arbitraryJson),
      aud: fc.oneof(fc.constantFrom('https://agent.example'), arbitraryJson),
      org_domain: fc.oneof(fc.constantFrom('acme.example', ...TRICKS), arbitraryJson),
      scope: arbitraryJson,
    },
    { requiredKeys: [] },
  ),
  arbitraryJson,
);

const signature = fc.oneof(
  fc.constantFrom('', 'AA', 'AAAA'.repeat(16), '====', 'ÿþ'),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => base64url.encode(bytes)),
);

const jwt = fc
  .tuple(arbitraryHeader, arbitraryClaims, signature)
  .map(([header, claims, signed]) => `${part(header)}.${part(claims)}.${signed}`);

/** A token as the claims of another token, several times. */
const nested = fc
  .tuple(jwt, fc.integer({ min: 1, max: 5 }))
  .map(([inner, times]) =>
    Array.from({ length: times }).reduce<string>(
      (token) => `${part({ alg: 'HS256', cty: 'JWT' })}.${base64url.encode(token)}.AAAA`,
      inner,
    ),
  );

/** Longer than the head that `serve` accepts, or just below it. */
const huge = fc
  .constantFrom(3000, 15_000, 20_000, 60_000)
  .map((length) => `eyJhbGciOiJIUzI1NiJ9.${'A'.repeat(length)}.AA`);

const broken = fc
  .tuple(jwt, fc.constantFrom('', '.', '..', '...', ' ', ',', '\t', '"', 'ÿ'), fc.nat({ max: 200 }))
  .map(([token, piece, at]) => token.slice(0, at) + piece + token.slice(at));

export const forgedToken = fc.oneof(
  { weight: 4, arbitrary: jwt },
  { weight: 2, arbitrary: nested },
  { weight: 2, arbitrary: broken },
  { weight: 1, arbitrary: huge },
);
