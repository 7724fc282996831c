import { documented, may, must, mustNot, onceThereIs, should, shouldNot } from './define.ts';
import type { Requirement } from './define.ts';

export const AUTHENTICATION = {
  // The proxy in front of the process decides about TLS.
  'H-01': documented(
    'docs/security.md',
    must(5, 'both', '§7.1, §13.4', 'uses TLS in production'),
    'Put a proxy that terminates TLS in front of it',
  ),
  // Version and ciphers are those of the proxy, or of Node's defaults.
  'H-02': documented(
    'docs/security.md',
    should(5, 'both', '§7.1, §13.4', 'TLS 1.3, strong ciphers, nothing old'),
    'Use TLS 1.3 where possible, nothing older than 1.2',
  ),
  'H-03': should(4, 'client', '§7.2', "checks the server's certificate"),
  'H-04': must(5, 'server', '§7.4', 'authenticates each request by a declared scheme'),
  'H-05': must(5, 'server', '§3.3.2', 'rejects missing and invalid credentials'),
  'H-06': should(5, 'server', '§3.3.2, §7.4', 'names the scheme in the rejection (WWW-Authenticate)'),
  'H-07': must(5, 'server', '§3.3.2', 'rejects a request without permission with an authorization error'),
  'H-08': should(5, 'server', '§3.3.2', 'names the missing scope, and leaks nothing else'),
  'H-09': mustNot(5, 'server', '§3.3.2', 'reveals that something exists which the caller may not see'),
  'H-10': must(4, 'client', '§7.3', "sends credentials with each request, in the binding's headers or metadata"),
  'H-11': should(5, 'server', '§13.4', 'sends HSTS on HTTP bindings'),
  'H-12': must(5, 'both', '§13.4', 'treats keys and tokens as secrets'),
  'H-13': mustNot(5, 'both', '§13.4', 'logs credentials or personal data in the clear'),
  'H-14': should(5, 'server', '§13.4', 'logs failed logins, slows down guessing, can revoke'),
  'H-15': should(5, 'both', '§13.4', 'can change credentials: the old and the new one are valid together'),
  'H-16': must(5, 'server', '§5.1', 'has the same schemes on all bindings'),
  'H-17': shouldNot(5, 'server', '§3.3.2', 'distinguishes a missing resource from a forbidden one'),
} as const satisfies Record<string, Requirement>;

export const AUTHORIZATION = {
  'Z-01': must(5, 'server', '§13.1', 'checks authorization in each operation'),
  'Z-02': must(5, 'server', '§13.1', "limits results to the caller's, with or without a filter"),
  'Z-03': must(5, 'server', '§3.1.4, §13.1', 'lists visible tasks only'),
  'Z-04': must(5, 'server', '§13.1', 'get, cancel, subscribe and push operations check access to the task'),
  'Z-05': must(5, 'server', '§13.1', 'checks before any query that could leak existence'),
  // The rule requires documentation.
  'Z-06': documented(
    'docs/security.md',
    should(5, 'server', '§13.1', 'documents its authorization model'),
    '**Authorization model.**',
  ),
  'Z-07': must(5, 'server', '§3.3.2', 'responds to missing and inaccessible resources with not found'),
} as const satisfies Record<string, Requirement>;

export const IN_TASK_AUTHORIZATION = {
  'I-01': must(
    5,
    'server',
    '§7.6.1',
    'requests a credential by the state AUTH_REQUIRED with an explaining status message',
  ),
  'I-02': must(5, 'server', '§7.6.1', 'receives credentials out of band, unless another way was agreed'),
  'I-03': may(5, 'server', '§7.6.1', 'resumes the task by itself once it has the credential'),
  'I-04': should(5, 'server', '§7.6.1', 'accepts messages to a task in AUTH_REQUIRED'),
  'I-05': should(4, 'client', '§7.6.2', 'stays informed, by stream, webhook or polling'),
  // A handler that calls another agent decides itself which credentials it passes on.
  'I-06': onceThereIs(
    'src/engine/call.ts',
    should(5, 'client', '§7.6.2', 'as an agent itself, passes AUTH_REQUIRED upward by the same rules'),
  ),
  'I-07': should(5, 'server', '§7.6.3', 'in-band credentials can be read by the requesting agent only'),
  'I-08': mustNot(5, 'server', '§7.6.4', 'treats the change of state as an authorization'),
} as const satisfies Record<string, Requirement>;

export const EXTENDED_CARD = {
  'X-01': must(5, 'server', '§3.1.11, §13.3', 'returns it only after authentication by a declared scheme'),
  'X-02': must(5, 'server', '§13.3', 'checks permissions before it shows privileged content'),
  'X-03': may(5, 'server', '§13.3', 'shows each caller another card'),
  'X-04': should(4, 'client', '§3.1.11', 'uses it in place of the cached public card for the session'),
  'X-05': shouldNot(5, 'server', '§13.3', 'has secrets in it that could be exploited'),
  'X-06': should(5, 'server', '§13.3', 'sends caching headers with it'),
} as const satisfies Record<string, Requirement>;
