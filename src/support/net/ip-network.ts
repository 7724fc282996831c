import { ipv4, ipv6 } from './private-address.ts';

/** A range of IP addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`. An IPv4 address inside IPv6 (`::ffff:10.0.0.1`) counts as IPv4. */
export class IpNetwork {
  readonly #first: bigint;
  readonly #width: number;
  readonly #length: number;

  private constructor(first: bigint, width: number, length: number) {
    this.#first = first;
    this.#width = width;
    this.#length = length;
  }

  /**
   * Parses a network; `undefined` if the text is not one. Bits after the prefix must be zero: `10.0.0.1/8` is rejected as a
   * mistake.
   */
  static parse(text: string): IpNetwork | undefined {
    const [, address = '', digits = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
    const bits = bitsOf(address);
    const length = Number(digits);
    if (bits === undefined || length > bits.width) return undefined;
    const rest = BigInt(bits.width - length);
    if ((bits.value >> rest) << rest !== bits.value) return undefined;
    return new IpNetwork(bits.value, bits.width, length);
  }

  /**
   * Returns whether the network contains an address, as written by DNS or `URL.hostname`. Host names are never contained.
   */
  has(address: string): boolean {
    const bits = bitsOf(address.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
    if (bits?.width !== this.#width) return false;
    const rest = BigInt(this.#width - this.#length);
    return bits.value >> rest === this.#first >> rest;
  }
}

interface AddressBits {
  readonly value: bigint;
  readonly width: 32 | 128;
}

const MAPPED_IPV4 = 0xffffn << 32n;

function bitsOf(address: string): AddressBits | undefined {
  if (!address.includes(':')) {
    const value = ipv4(address);
    return value === undefined ? undefined : { value: BigInt(value), width: 32 };
  }
  const value = ipv6(address)?.reduce((all, group) => (all << 16n) | BigInt(group), 0n);
  if (value === undefined) return undefined;
  return value >> 32n === MAPPED_IPV4 >> 32n ? { value: value & 0xffff_ffffn, width: 32 } : { value, width: 128 };
}
