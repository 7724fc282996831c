import type { Resolve } from '../support/guarded-lookup.ts';
import { nodeProcess } from '../support/node-process.ts';
import type { AddressGuard } from './address-guard.ts';
import { FetchOutboundTransport } from './fetch-transport.ts';
import { NodeOutboundTransport } from './node-transport.ts';
import type { OutboundTransport } from './transport.ts';

/** The one that sees where names lead to, on Node; elsewhere `fetch`, which resolves names as it likes. */
export function chooseOutboundTransport(resolve: Resolve | undefined, guard: AddressGuard): OutboundTransport {
  const node = nodeProcess();
  return node === undefined ? new FetchOutboundTransport() : new NodeOutboundTransport(node, guard, resolve);
}
