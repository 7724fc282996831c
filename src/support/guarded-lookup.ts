import { isPrivateAddress } from './private-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses that a name leads to, as of now. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

type Found = (error: Error | null, address: string | ResolvedAddress[], family?: number) => void;

/** As sockets of Node ask for addresses. Never for what is one already: that must be looked at before. */
export type Lookup = (hostname: string, options: { readonly all?: boolean | undefined }, found: Found) => void;

/** A name that leads to where nobody from outside should be led. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/**
 * Looks a name up, once. The addresses that are checked are the ones that are connected to: a name cannot change its mind
 * in between. One private address among them is enough to refuse all, for nobody knows which one the socket takes.
 *
 * @param mayCall Private addresses that may be called nevertheless.
 */
export function guardedLookup(resolve: Resolve, mayCall?: (address: string) => boolean): Lookup {
  return pinnedLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    const refused = addresses.find(({ address }) => isPrivateAddress(address) && mayCall?.(address) !== true);
    if (refused === undefined) return addresses;
    throw new PrivateAddressError(`${hostname} leads to the private address ${refused.address}`);
  });
}

/** Looks a name up by a resolver of one's own, and takes what it says. */
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

/** As the system resolves names. */
export function systemResolver(node: NodeJS.Process): Resolve {
  return (hostname) =>
    new Promise((resolve, reject) => {
      node.getBuiltinModule('node:dns').lookup(hostname, { all: true }, (error, addresses) => {
        if (error === null) resolve(addresses);
        else reject(error);
      });
    });
}

/** One question to a name server may take so long, and is asked so often. */
const NETWORK_QUESTION = { timeout: 2000, tries: 2 };

/**
 * For names that strangers chose: asks the name servers itself. The system's look-up holds one of four threads for as long
 * as a name server likes, and signatures and files wait for the same threads.
 *
 * @param servers Of the system if not given.
 */
export function networkResolver(node: NodeJS.Process, servers?: readonly string[]): Resolve {
  return async (hostname) => {
    const resolver = new (node.getBuiltinModule('node:dns').promises.Resolver)(NETWORK_QUESTION);
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
