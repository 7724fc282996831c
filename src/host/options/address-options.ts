import { type AddressOptions, privateRule } from '../../push/address-guard.ts';
import type { Resolve } from '../../support/net/guarded-lookup.ts';
import { callback, flag, listOf, type OptionTable } from '../../support/options.ts';

/** Which addresses the server may call on behalf of callers, and how their host names are resolved. */
export interface OutboundOptions extends AddressOptions {
  /** Resolves a host name to all of its IP addresses. Node only. Default: the name servers of the system. */
  readonly resolve?: Resolve;
}

/** The members that `push` and `files` have in common. */
export const ADDRESSES = {
  allowHosts: listOf('hosts', (check, item, path) => {
    const isHost = typeof item === 'string' && /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(item);
    if (!isHost) check.fault(path, 'expected a host such as "hooks.example.com" or "*.example.com"');
    return String(item);
  }),
  allowPrivate: listOf('origins', (check, item, path) => {
    const isRule = typeof item === 'string' && privateRule(item) !== undefined;
    const like = '"http://127.0.0.1:4200", "http://localhost:*" for all ports, or a network: "10.0.0.0/8"';
    if (!isRule) check.fault(path, `expected ${like}`);
    return String(item);
  }),
  allowHttp: flag(false),
  allowPorts: listOf('ports', (check, item, path) => {
    const isPort = Number.isSafeInteger(item) && Number(item) > 0 && Number(item) < 65_536;
    if (!isPort) check.fault(path, 'expected a number from 1 to 65535');
    return Number(item);
  }),
  resolve: callback<Resolve>(),
} as const satisfies OptionTable<OutboundOptions>;
