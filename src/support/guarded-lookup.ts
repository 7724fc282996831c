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
 */
export function guardedLookup(resolve: Resolve): Lookup {
  return pinnedLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    const refused = addresses.find(({ address }) => isPrivateAddress(address));
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
