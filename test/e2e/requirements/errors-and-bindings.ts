import { documented, must, mustNot, note, onceThereIs, should, shouldNot } from './define.ts';
import type { Requirement } from './define.ts';

export const ERRORS = {
  'E-01': must(3, 'server', '§3.3.2, §13.4', 'validates all parameters before it processes a request'),
  'E-02': should(3, 'server', '§3.3.2', 'an error names the parameter, the fault and the expected value'),
  'E-03': must(3, 'both', '§3.3.2', 'an error has a code and a message'),
  'E-04': must(1, 'server', '§3.3.2, §9.5, §11.6', 'each detail of an error has @type'),
  'E-05': should(1, 'server', '§3.3.2', 'details are google.rpc types such as ErrorInfo and BadRequest'),
  'E-06': must(3, 'server', '§5.4', 'maps the errors of A2A as specified in the table'),
  'E-07': onceThereIs('src/grpc', must(7, 'server', '§10.6', 'gRPC: ErrorInfo with reason and domain')),
  'E-08': must(3, 'server', '§11.6', 'REST: ErrorInfo with @type, reason and domain'),
  'E-09': should(1, 'server', '§9.5', 'JSON-RPC: ErrorInfo in data'),
  'E-10': should(3, 'server', '§3.3.2', 'distinguishes temporary from lasting failures, with Retry-After if it helps'),
  'E-11': should(5, 'server', '§3.3.2', 'logs system errors'),
  'E-12': should(1, 'both', '§5.7', 'ignores unknown members'),
  'E-13': must(1, 'both', '§5.7', 'sends required members, and rejects a message that lacks them'),
  'E-14': must(1, 'both', '§5.7', 'a required array has an element'),
  'E-15': should(3, 'server', '§13.4', 'limits the size of messages and files, and their complexity'),
  'E-16': should(3, 'server', '§13.4', 'rejects media types it does not expect'),
  'E-17': must(5, 'both', '§14.1.1', 'checks content against the schema, and lets none of it inject anything'),
  'E-18': must(5, 'both', '§14.1.1', 'checks the URL of a file for private addresses before it fetches it'),
  'E-19': should(5, 'server', '§13.4', 'limits the rate of all operations, with a proper error'),
} as const satisfies Record<string, Requirement>;

export const CAPABILITIES = {
  'K-01': must(3, 'server', '§3.3.4', 'without push: each push operation gets PushNotificationNotSupported'),
  'K-02': must(3, 'server', '§3.3.4', 'without streaming: stream and subscribe get UnsupportedOperation'),
  'K-03': must(3, 'server', '§3.3.4, §13.3', 'without an extended card: UnsupportedOperation'),
  // Extended cards need callers with credentials, so step 5 implements them.
  'K-04': must(5, 'server', '§3.3.4', 'extended card declared but not available: ExtendedAgentCardNotConfigured'),
  'K-05': must(3, 'server', '§3.3.4', 'required extension not requested: ExtensionSupportRequired'),
  'K-06': should(4, 'client', '§3.3.4', 'reads the card before it uses an optional capability'),
} as const satisfies Record<string, Requirement>;

export const EXTENSIONS = {
  'N-01': note(4, 'client', '§3.2.6, §4.6.1', 'requests extensions by A2A-Extensions, comma separated'),
  'N-02': should(3, 'server', '§4.6.3', 'ignores an unknown version of an extension, unless it is required'),
  'N-03': must(3, 'server', '§4.6.3, §3.3.4', 'a required extension that was not requested is an error'),
  'N-04': mustNot(3, 'server', '§4.6.3', 'falls back to another version of an extension'),
  'N-05': should(3, 'extension', '§4.6.3', 'has its version in its URI, and a new URI after a breaking change'),
  'N-06': should(3, 'server', 'guide', 'lists the active extensions in A2A-Extensions of the response'),
  'N-07': note(3, 'both', 'guide', 'extensions are off until requested; unknown ones may be ignored'),
  'N-08': mustNot(3, 'extension', 'guide', 'adds members or enum values to core objects: metadata is the place'),
  'N-09': must(5, 'extension', 'guide', 'has the same checks on its methods as the core has'),
  'N-10': note(3, 'both', '§4.6.2', 'has its data in metadata under its URI, and the URI in extensions'),
  'N-11': shouldNot(3, 'server', 'guide', 'requires an extension that only carries data'),
} as const satisfies Record<string, Requirement>;

export const BINDINGS = {
  'B-01': must(3, 'server', '§5.1', 'does the same on all bindings: operations, behaviour, errors, auth'),
  'B-02': must(1, 'both', '§5.5', 'JSON names in camelCase, enums by their proto names'),
  'B-03': must(1, 'both', '§5.6.1', 'timestamps in ISO 8601, UTC with Z, milliseconds, no other offset'),
  'B-04': must(1, 'both', '§9.3', 'JSON-RPC 2.0 requests'),
  'B-05': note(3, 'both', '§9.1', 'JSON-RPC travels as application/json'),
  'B-06': must(4, 'client', '§9.2, §10.2, §11.2', 'service parameters as headers or metadata, several values joined'),
  'B-07': onceThereIs('src/grpc', must(7, 'server', '§10.2', 'takes service parameters from the gRPC metadata')),
  'B-08': should(3, 'both', '§11.1, §14.1.1', 'REST travels as application/a2a+json, in UTF-8'),
  'B-09': must(4, 'client', '§11.5', 'GET and DELETE parameters in path or query, camelCase, URL-encoded'),
  'B-10': must(4, 'both', '§11.5', 'nested objects travel in POST bodies only'),
  // The rule requires a document about custom bindings; Tandem has none.
  'B-11': documented(
    'docs/protocol-versions.md',
    must(3, 'binding', '§12', 'a custom binding documents operations, data, meaning, errors, parameters, auth'),
    'Tandem has no binding of its own that a card would have to declare',
  ),
} as const satisfies Record<string, Requirement>;

export const OPERATION = {
  'O-01': should(5, 'server', '§13.4', 'keeps an audit log for security'),
  // No test can verify compliance with a law; the options for deletion, retention and logs are documented.
  'O-02': documented(
    'docs/security.md',
    must(5, 'server', '§13.4', 'complies with data protection law: deletion, retention'),
    '**Delete the data of one caller**',
  ),
  'O-03': should(5, 'both', 'guide', 'traces with W3C headers; logs carry task, context and trace id'),
  'O-04': should(5, 'server', 'guide', 'counts requests, errors and latency; records what matters'),
} as const satisfies Record<string, Requirement>;
