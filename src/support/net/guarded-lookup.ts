import { isPrivateAddress } from './private-address.ts';

/** An address that a host name resolves to. */
export interface ResolvedAddress {
  /** The IP address. */
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

type Found = (error: Error | null, address: string | ResolvedAddress[], family?: number) => void;

/** The `lookup` function of Node sockets. Node does not call it for IP addresses, so check those before. */
export type Lookup = (hostname: string, options: { readonly all?: boolean | undefined }, found: Found) => void;

/** Thrown for a host name that resolves to a private address. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/**
 * Creates a lookup that rejects private addresses. The checked addresses are the ones that the socket connects to, so a
 * name cannot change in between. A single private address rejects all, because the socket may choose any of them.
 *
 * @param mayCall Returns whether a private address is allowed.
 */
export function guardedLookup(resolve: Resolve, mayCall?: (address: string) => boolean): Lookup {
  return pinnedLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    const blocked = addresses.find(({ address }) => isPrivateAddress(address) && mayCall?.(address) !== true);
    if (blocked === undefined) return addresses;
    throw new PrivateAddressError(`${hostname} resolves to the private address ${blocked.address}`);
  });
}

/** Creates a lookup that uses the given resolver without checks. */
export function pinnedLookup(resolve: Resolve): Lookup {
  return (hostname, { all = false }, found) => void look(resolve, hostname, all, found);
}

async function look(resolve: Resolve, hostname: string, all: boolean, found: Found): Promise<void> {
  let addresses: readonly ResolvedAddress[];
  try {
    addresses = await resolve(hostname);
  } catch (error) {
    found(error instanceof Error ? error : new Error(String(error)), '', 0);
    return;
  }
  const [first] = addresses;
  if (first === undefined) found(new Error(`${hostname} has no address`), '', 0);
  else if (all) found(null, [...addresses]);
  else found(null, first.address, first.family);
}

/** @internal Resolves names like the system does. */
export function systemResolver(node: NodeJS.Process): Resolve {
  return (hostname) =>
    new Promise((resolve, reject) => {
      node.getBuiltinModule('node:dns').lookup(hostname, { all: true }, (error, addresses) => {
        if (error === null) resolve(addresses);
        else reject(error);
      });
    });
}

/** The timeout and the number of tries per name server query. */
const DNS_QUERY = { timeout: 2000, tries: 2 };

/**
 * @internal
 *
 * Creates a resolver for host names from outside, which queries the name servers directly. The system lookup blocks one of
 * four threads for as long as a name server takes, and signatures and file access need the same threads.
 *
 * @param servers The name servers; those of the system if not set.
 */
export function networkResolver(node: NodeJS.Process, servers?: readonly string[]): Resolve {
  return async (hostname) => {
    const resolver = new (node.getBuiltinModule('node:dns').promises.Resolver)(DNS_QUERY);
    if (servers !== undefined) resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  };
}
