import { documented, may, must, mustNot, should, shouldNot } from './define.ts';
import type { Requirement } from './define.ts';

export const VERSIONS = {
  'V-01': must(4, 'client', '§3.6.1', 'sends A2A-Version with each request; a 0.3 client sends none'),
  'V-02': may(4, 'client', '§3.6.1', 'sends the version as a query parameter instead'),
  'V-03': must(3, 'server', '§3.6.2', 'responds with the semantics of the requested Major.Minor'),
  'V-04': must(3, 'server', '§3.6.2', 'rejects an unsupported version with VersionNotSupported'),
  'V-05': must(3, 'server', '§3.6.2', 'treats an empty version as 0.3'),
  'V-06': mustNot(1, 'both', '§3.6', 'considers the patch number of a version'),
  'V-07': shouldNot(3, 'both', '§3.6', 'writes patch numbers into requests, responses or cards'),
  'V-08': may(3, 'server', '§3.6.2', 'offers one binding in several versions, at one URL or several'),
  'V-09': must(4, 'sdk', '§3.6.3', 'lets its user choose version and transport'),
  'V-10': should(4, 'client', '§3.6.3', 'pinned to a version, does not fall back silently'),
  'V-11': must(1, 'both', '§14.2.1', 'the header has the form Major.Minor'),
} as const satisfies Record<string, Requirement>;

export const CARDS = {
  'D-01': must(3, 'server', '§8.1', 'makes a card available'),
  'D-02': must(3, 'server', '§14.3', 'serves a card at the well-known path'),
  'D-03': must(3, 'server', '§5.2, §8.3.1', 'lists all its interfaces, each with its correct binding and URL'),
  'D-04': should(3, 'server', '§8.3.1', 'lists all combinations, the preferred one first'),
  'D-05': may(3, 'server', '§8.3.1', 'uses one URL for several bindings'),
  'D-06': must(4, 'client', '§8.3.2', 'uses the first entry that it supports, and its URL'),
  'D-07': must(4, 'client', '§8.3.2', "sends exactly the entry's tenant with each request, or none"),
  'D-08': should(4, 'client', '§5.2', 'falls back to another protocol of the card'),
  'D-09': should(3, 'server', '§8.6.1', 'sends Cache-Control with max-age with a card'),
  'D-10': should(3, 'server', '§8.6.1', 'sends an ETag of the version or content with a card'),
  'D-11': may(3, 'server', '§8.6.1', 'sends Last-Modified with a card'),
  'D-12': should(4, 'client', '§8.6.2', 'caches cards by the rules of HTTP'),
  'D-13': should(4, 'client', '§8.6.2', 'revalidates an expired card by a conditional request'),
  'D-14': may(4, 'client', '§8.6.2', 'has a default lifetime for cards without caching headers'),
  'D-15': shouldNot(5, 'server', '§14.3', 'has credentials or internals in the public card'),
  // The proxy in front of the server has the certificate.
  'D-16': documented(
    'docs/security.md',
    should(5, 'server', '§14.3', 'serves the card over https'),
    'Cards then contain https addresses',
  ),
  'D-17': must(5, 'server', 'guide', 'protects a card with sensitive content by authentication'),
  'D-18': should(3, 'server', 'guide', 'has a card for each agent behind a shared domain'),
  'D-19': should(3, 'server', '§5.8', 'names a custom binding by a URI, and by a new one after a breaking change'),
  // The rule requires a document about custom bindings; Tandem has none.
  'D-20': documented(
    'docs/protocol-versions.md',
    must(3, 'server', '§12.7', 'a custom binding is documented, and declared with its URI and full URL'),
    'Tandem has no binding of its own that a card would have to declare',
  ),
} as const satisfies Record<string, Requirement>;

export const SIGNATURES = {
  'J-01': may(1, 'server', '§8.4', 'signs its card as a JWS'),
  'J-02': must(1, 'server', '§8.4.1', 'signs the RFC 8785 form'),
  'J-03': must(1, 'both', '§8.4.1', 'drops unset optional members and other defaults, keeps set and required ones'),
  'J-04': must(1, 'both', '§8.4.1', 'excludes the signatures from the signed content'),
  'J-05': must(1, 'server', '§8.4.2', 'the protected header has alg, kid and typ; jku optional'),
  'J-06': must(5, 'client', '§8.4.3', 'verifies: picks a signature, finds its key, canonicalises, checks'),
  'J-07': should(5, 'client', '§8.4.3, §14.3', 'verifies at least one signature before it trusts a signed card'),
  'J-08': should(5, 'client', '§8.4.3', 'fetches keys over a secure channel only'),
  'J-09': mustNot(5, 'client', '§8.4.3', 'uses expired or revoked keys'),
  'J-10': may(5, 'server', '§8.4.3', 'signs with several keys, so that keys can be rotated'),
} as const satisfies Record<string, Requirement>;
