import { type Clock, systemClock } from '../../../src/support/time/clock.ts';
import { type Responder, failure, json, type Peer, result, startPeer, task } from './peer.ts';

/** A server that issues tokens `t1`, `t2`, … to clients with the right secret. */
export interface TokenServer {
  readonly url: string;
  /** The forms that it has received, in order. */
  forms(): readonly Record<string, string>[];
  /** The peer behind it, with all its requests. */
  readonly peer: Peer;
}

export const CLIENT = { clientId: 'my client', clientSecret: 's3cret:/?&+%' } as const;
const BASIC = `Basic ${btoa('my+client:s3cret%3A%2F%3F%26%2B%25')}`;

export async function startTokenServer(answer: Responder = tokens()): Promise<TokenServer> {
  const peer = await startPeer(answer);
  return {
    url: `${peer.url}/token`,
    forms: () => peer.got.map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
    peer,
  };
}

export function tokens(expiresIn: number | string | undefined = 3600): Responder {
  return ({ headers, body, method }, response, { got }) => {
    const form = new URLSearchParams(body);
    const isClient =
      headers['authorization'] === BASIC ||
      (form.get('client_id') === CLIENT.clientId && form.get('client_secret') === CLIENT.clientSecret);
    const isForm = method === 'POST' && headers['content-type'] === 'application/x-www-form-urlencoded';
    if (!isForm || form.get('grant_type') !== 'client_credentials') json(response, { error: 'invalid_request' }, 400);
    else if (!isClient)
      json(response, { error: 'invalid_client', error_description: 'Unknown client or wrong secret' }, 401);
    else json(response, { access_token: `t${got.length}`, token_type: 'bearer', expires_in: expiresIn });
  };
}

/** An agent that accepts or rejects requests by their `Authorization` header. */
export function acceptsIf(isAccepted: (authorization: string) => boolean): Responder {
  return ({ headers }, response) =>
    isAccepted(headers['authorization'] as string)
      ? result(response, { task: task() })
      : failure(response, -32000, 'UNAUTHENTICATED', 401, { 'www-authenticate': 'Bearer' });
}

export function authorizationsOf({ got }: Pick<Peer, 'got'>): readonly unknown[] {
  return got.map(({ headers }) => headers['authorization']);
}

/** Real time that can be moved forward. */
export function movableClock(): Clock & { move(ms: number): void } {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    callAt: (time, run) => systemClock.callAt(time - ahead, run),
    move: (ms) => void (ahead += ms),
  };
}
