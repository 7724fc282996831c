import { type AddressOptions, privateRule } from '../../push/address-guard.ts';
import type { Resolve } from '../../support/net/guarded-lookup.ts';
import type { Check } from '../../support/check.ts';

/** Which addresses the server may call on behalf of callers, and how their host names are resolved. */
export interface OutboundOptions extends AddressOptions {
  /** Resolves a host name to all of its IP addresses. Node only. Default: the name servers of the system. */
  readonly resolve?: Resolve;
}

export const ADDRESS_KEYS = ['allowHosts', 'allowPrivate', 'allowHttp', 'allowPorts', 'resolve'] as const;

type Given = Readonly<Record<string, unknown>>;

/** Reports invalid members that `push` and `files` have in common. */
export function checkAddressOptions(check: Check, given: Given, at: string): void {
  check.list(given['allowHosts'], `${at}allowHosts`, 'hosts', (item, path) => {
    const isHost = typeof item === 'string' && /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(item);
    if (!isHost) check.fault(path, 'expected a host such as "hooks.example.com" or "*.example.com"');
  });
  check.list(given['allowPrivate'], `${at}allowPrivate`, 'origins', (item, path) => {
    const isRule = typeof item === 'string' && privateRule(item) !== undefined;
    if (!isRule) {
      check.fault(
        path,
        'expected "http://127.0.0.1:4200", "http://localhost:*" for all ports, or a network: "10.0.0.0/8"',
      );
    }
  });
  check.flag(given['allowHttp'], `${at}allowHttp`);
  check.list(given['allowPorts'], `${at}allowPorts`, 'ports', (item, path) => {
    const isPort = Number.isSafeInteger(item) && Number(item) > 0 && Number(item) < 65_536;
    if (!isPort) check.fault(path, 'expected a number from 1 to 65535');
  });
  check.callback(given['resolve'], `${at}resolve`);
}

/** Reports a number that is out of range. */
export function checkRange(check: Check, value: unknown, path: string, least: number, most: number): void {
  const isFit = Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  if (value !== undefined && !isFit) check.fault(path, `expected a whole number from ${least} to ${most}`);
}
