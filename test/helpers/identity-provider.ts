/** An issuer of tokens with a discovery document, key rotation and failures. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

/** The claims of a token. Members that are `undefined` are left out. */
export type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
  readonly jwk: JWK;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The requested paths, in order. */
  readonly asked: readonly string[];
  /** If set, all responses have this status. */
  status: number | undefined;
  /** Members that replace those of the discovery document. */
  document: Readonly<Record<string, unknown>>;
  /** Publishes a new key and signs with it from now on. With `alone`, the old keys are removed. */
  rotate(options?: { readonly alone?: boolean }): Promise<void>;
  /** Signs a token with the default claims and these. */
  sign(claims?: Claims, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

export async function startIdentityProvider(now: () => number = Date.now): Promise<IdentityProvider> {
  let keys = [await newKey('key-1')];
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { issuer, jwksUrl, status = 200, document } = provider;
    const found =
      request.url === '/keys' ? { keys: keys.map(({ jwk }) => jwk) } : { issuer, jwks_uri: jwksUrl, ...document };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const provider: IdentityProvider = {
    issuer,
    jwksUrl: `${issuer}/keys`,
    asked,
    status: undefined,
    document: {},
    async rotate({ alone = false } = {}) {
      keys = [await newKey(`key-${keys.length + 1}`), ...(alone ? [] : keys)];
    },
    async sign(claims = {}, header = {}) {
      const [{ key, kid } = await newKey('none')] = keys;
      const seconds = Math.floor(now() / 1000);
      const all = { iss: issuer, sub: 'alice', iat: seconds, exp: seconds + 300, ...claims };
      return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(key);
    },
  };
  return provider;
}

async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' } };
}
