import { A2AError } from '../../errors.ts';
import type { AgentCard, AgentInterface } from '../../model/card.ts';
import type { ProtocolVersion } from '../version.ts';

/** An interface of 0.2 and 0.3: the card has the version, and there are no tenants. */
export interface Transport {
  readonly url: string;
  readonly transport: string;
}

interface Addresses {
  readonly url: string;
  readonly preferredTransport?: string;
  readonly additionalInterfaces?: readonly Transport[];
}

/** The main interface first, then the others. Most cards list the main one twice. */
export function interfacesOf(card: Addresses, version: ProtocolVersion): readonly AgentInterface[] {
  const { url, preferredTransport = 'JSONRPC', additionalInterfaces = [] } = card;
  return distinct([{ url, transport: preferredTransport }, ...additionalInterfaces]).map((each) => ({
    url: each.url,
    protocolBinding: each.transport,
    protocolVersion: version,
  }));
}

/**
 * The interfaces of the version, the preferred one first.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION` if there is none, because such a card would offer nothing.
 */
export function transportsOf(card: AgentCard, version: ProtocolVersion): readonly [Transport, ...Transport[]] {
  const own = card.supportedInterfaces.filter(({ protocolVersion }) => isOf(version, protocolVersion));
  const [main, ...others] = distinct(own.map(toTransport));
  if (main !== undefined) return [main, ...others];
  throw new A2AError(
    'UNSUPPORTED_OPERATION',
    `The agent has no interface of A2A ${version}: add one to supportedInterfaces, or do not publish a card of that version`,
    { details: { version } },
  );
}

/** Whether a stated version matches a supported one. Patch numbers are ignored (1.0 §3.6). */
export function isOf(version: ProtocolVersion, stated: string): boolean {
  return stated === version || stated.startsWith(`${version}.`);
}

/** The tenant of a REST interface becomes part of its URL. Other bindings cannot represent it and lose it. */
function toTransport({ url, protocolBinding, tenant }: AgentInterface): Transport {
  const hasTenantPath = protocolBinding === 'HTTP+JSON' && tenant !== undefined && tenant !== '';
  return { url: hasTenantPath ? tenantUrl(url, tenant) : url, transport: protocolBinding };
}

/** `https://host/a2a` → `https://host/a2a/acme`. A final `/v1` is part of the paths of 0.3 and stays at the end. */
function tenantUrl(url: string, tenant: string): string {
  const [, base = url, prefix = '', rest = ''] = /^([^?#]*?)(\/v1)?\/?((?:[?#].*)?)$/s.exec(url) ?? [];
  // A lone surrogate has no UTF-8 form and would make the encoder throw.
  return `${base}/${encodeURIComponent(tenant.replace(/\p{Surrogate}/gu, '\uFFFD'))}${prefix}${rest}`;
}

function distinct(transports: readonly Transport[]): readonly Transport[] {
  return [...new Map(transports.map((each) => [JSON.stringify([each.url, each.transport]), each])).values()];
}
