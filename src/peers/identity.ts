import type { Auth } from '../client/auth/auth.ts';
import { Credentials } from '../client/auth/credentials.ts';
import type { SignedToken } from '../client/auth/signed-token.ts';
import type { ClientContext } from '../client/request/exchange.ts';
import { PeerError, type PeerCall } from '../engine/calls/peers.ts';
import type { JsonObject } from '../model/json.ts';
import { newId } from '../support/id.ts';
import { isPeerSecret, type PeerOptions, type PeerSecret } from './peer-options.ts';

/** How long a token is valid. Each attempt has its own. */
const LIFETIME_SECONDS = 60;

/** The name under which a card is requested, before it is known which agent calls. */
const HOST_SUBJECT = 'host';

/** The credentials of the client, with which the card is fetched, too. */
export function clientAuth(auth: PeerOptions['auth']): Auth | undefined {
  return isPeerSecret(auth) ? signed(auth, auth.subject ?? HOST_SUBJECT) : auth;
}

/**
 * The credentials of one attempt, if they are not those of the client. With a shared secret a call presents the caller of the root task
 * with the chain of agents, or the calling agent if the call asks for that.
 *
 * @throws PeerError `rejected` if the call must be made as the caller and there is no shared secret.
 */
export function credentialsFor(
  peer: string,
  auth: PeerOptions['auth'],
  call: PeerCall,
  { settings: { clock }, trust, http }: ClientContext,
): Credentials | undefined {
  if (isPeerSecret(auth)) return new Credentials(tokenFor(auth, call), { clock, trust, http });
  if (call.as !== 'caller') return undefined;
  const why = `${peer} cannot be called as the caller, because no shared secret is configured for it`;
  throw new PeerError('rejected', `${why}: peers: { ${peer}: { url, auth: { secret } } }`, { isUnsent: true });
}

function tokenFor(auth: PeerSecret, { as, caller, lineage }: PeerCall): SignedToken {
  // The id makes tokens of the same second differ.
  if (as === 'agent') return signed(auth, auth.subject ?? lineage.path.at(-1) ?? HOST_SUBJECT, { jti: newId() });
  const { subject, orgDomain } = subjectOf(caller.id, auth.orgDomain);
  const act = lineage.path.reduce<JsonObject | undefined>(
    (act, sub) => (act === undefined ? { sub } : { sub, act }),
    undefined,
  );
  const token = signed(auth, subject, { ...(act !== undefined && { act }), jti: newId() });
  return orgDomain === undefined ? token : { ...token, orgDomain };
}

function signed(
  { secret, orgDomain, issuer, audience }: PeerSecret,
  subject: string,
  claims: JsonObject = {},
): SignedToken {
  return {
    secret,
    subject,
    lifetimeSeconds: LIFETIME_SECONDS,
    claims,
    ...(orgDomain !== undefined && { orgDomain }),
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
  };
}

/**
 * The claims that make the peer derive the same id for a caller. The id of a caller with a token of a shared secret starts with
 * `shared#` or `org:<domain>#` (see `sharedSecret()`), and the peer adds that again. Other ids are passed on as they are.
 */
function subjectOf(
  id: string,
  ownDomain: string | undefined,
): { readonly subject: string; readonly orgDomain?: string } {
  const prefix = ownDomain === undefined ? 'shared#' : `org:${ownDomain.toLowerCase()}#`;
  if (id.startsWith(prefix)) return { subject: id.slice(prefix.length) };
  const [, orgDomain, subject] = ownDomain === undefined ? (/^org:([^#]+)#(.+)$/.exec(id) ?? []) : [];
  return orgDomain === undefined || subject === undefined ? { subject: id } : { subject, orgDomain };
}
