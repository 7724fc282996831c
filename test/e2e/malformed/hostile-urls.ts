/** URLs of private networks, in every notation of an address. */
import fc from 'fast-check';

const octet = fc.integer({ min: 0, max: 255 });

const privateBytes = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127, 240, 255), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 239 }), octet, octet, octet),
);

const RADIX = [
  (number: number): string => String(number),
  (number: number): string => `0x${number.toString(16)}`,
  (number: number): string => `0X0${number.toString(16).toUpperCase()}`,
  (number: number): string => `0${number.toString(8)}`,
] as const;

/** The last number of an address may stand for all remaining bytes. */
const dotted = fc
  .tuple(
    privateBytes,
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.constantFrom(...RADIX), { minLength: 4, maxLength: 4 }),
  )
  .map(([bytes, pieces, ways]) => {
    const last = bytes.slice(pieces - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    return [...bytes.slice(0, pieces - 1), last].map((number, i) => (ways[i] ?? String)(number)).join('.');
  });

const DISGUISES = [
  (host: string): string => host,
  (host: string): string => `${host}.`,
  (host: string): string => host.replaceAll('.', '。'),
  (host: string): string => host.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (host: string): string => host.replaceAll(/\d/g, (digit) => `%3${digit}`),
] as const;

const hex = (high: number, low: number): string => (high * 256 + low).toString(16);

const inIpv6 = fc
  .tuple(privateBytes, fc.constantFrom('::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'), fc.boolean())
  .map(([[a, b, c, d], prefix, isDotted]) =>
    isDotted ? `[${prefix}${a}.${b}.${c}.${d}]` : `[${prefix}${hex(a, b)}:${hex(c, d)}]`,
  );

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 });

const privateIpv6 = fc
  .tuple(fc.constantFrom(0xfc00, 0xfd12, 0xfe80, 0xfebf, 0xfec0, 0xff02), groups)
  .map(([first, rest]) => `[${[first, ...rest].map((group) => group.toString(16)).join(':')}]`);

const label = fc.stringMatching(/^[a-z][a-z\d]{0,10}$/);

const privateName = fc.oneof(
  fc
    .tuple(
      label,
      fc.constantFrom('localhost', 'local', 'internal', 'lan', 'home.arpa', 'svc.cluster.local', 'localdomain'),
    )
    .map(([name, domain]) => `${name}.${domain}`),
  label,
);

const mixedCase = fc.tuple(privateName, fc.boolean()).map(([name, isUpper]) => (isUpper ? name.toUpperCase() : name));

const host = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(dotted, fc.constantFrom(...DISGUISES)).map(([plain, disguise]) => disguise(plain)) },
  { weight: 2, arbitrary: inIpv6 },
  { weight: 1, arbitrary: privateIpv6 },
  { weight: 1, arbitrary: mixedCase },
);

/** The password in a URL, which must be in no response. */
export const PASSWORD = 'hunter2-in-the-address';

const before = fc.constantFrom(
  'https://',
  'https://',
  'HTTPS://',
  'https:\\\\',
  ' https://',
  'ht\ntps://',
  'https:////',
  'http://',
  `https://user:${PASSWORD}@`,
  'https://hooks.example.com@',
);

const after = fc.constantFrom(
  '/hook',
  '',
  ':443/',
  ':8443/hook?a=b',
  '/?url=https://hooks.example.com',
  '#@hooks.example.com',
);

/** URLs that the server must never call. */
export const hostileUrl = fc.tuple(before, host, after).map(([scheme, where, rest]) => scheme + where + rest);
