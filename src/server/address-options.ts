import { type AddressOptions, privateRule } from '../push/address-guard.ts';
import type { Resolve } from '../support/guarded-lookup.ts';
import { type Check, kindOf } from './check.ts';

/** Which addresses may be called, and who is asked where their names lead to. */
export interface OutboundOptions extends AddressOptions {
  /** All addresses of a host, for who has a name service of his own; the system's name servers if not set. On Node only. */
  readonly resolve?: Resolve;
}

export const ADDRESS_KEYS = ['allowHosts', 'allowPrivate', 'allowHttp', 'allowPorts', 'resolve'] as const;

type Given = Readonly<Record<string, unknown>>;

/** Notes what is wrong with the members that webhooks and files have in common. */
export function checkAddressOptions(check: Check, given: Given, at: string): void {
  check.list(given['allowHosts'], `${at}allowHosts`, 'hosts', (item, path) => {
    const isHost = typeof item === 'string' && /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(item);
    if (!isHost) check.fault(path, 'must be a host such as "hooks.example.com" or "*.example.com"');
  });
  check.list(given['allowPrivate'], `${at}allowPrivate`, 'origins', (item, path) => {
    const isRule = typeof item === 'string' && privateRule(item) !== undefined;
    if (!isRule) {
      check.fault(
        path,
        'must be "http://127.0.0.1:4200", "http://localhost:*" for all ports, or a network: "10.0.0.0/8"',
      );
    }
  });
  if (given['allowHttp'] !== undefined && typeof given['allowHttp'] !== 'boolean')
    check.fault(`${at}allowHttp`, `must be true or false, not ${kindOf(given['allowHttp'])}`);
  check.list(given['allowPorts'], `${at}allowPorts`, 'ports', (item, path) => {
    const isPort = Number.isSafeInteger(item) && Number(item) > 0 && Number(item) < 65_536;
    if (!isPort) check.fault(path, 'must be a number from 1 to 65535');
  });
  if (given['resolve'] !== undefined && typeof given['resolve'] !== 'function')
    check.fault(`${at}resolve`, `must be a function, not ${kindOf(given['resolve'])}`);
}

/** Notes a number that is not within its bounds. */
export function checkRange(check: Check, value: unknown, path: string, least: number, most: number): void {
  const isFit = Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  if (value !== undefined && !isFit) check.fault(path, `must be a whole number from ${least} to ${most}`);
}
