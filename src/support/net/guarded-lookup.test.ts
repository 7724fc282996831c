import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { guardedLookup, networkResolver, pinnedLookup, PrivateAddressError, type Resolve } from './guarded-lookup.ts';

const A = 1;
const AAAA = 28;

/** A name server with these address bytes by query type. */
async function startNameServer(records: Readonly<Record<number, readonly number[][]>>): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    // A header of 12 bytes, the name up to a zero, type and class.
    const end = question.indexOf(0, 12) + 5;
    const answers = records[question.readUInt16BE(end - 4)] ?? [];
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    const type = question.subarray(end - 4, end - 2);
    const bodies = answers.map((bytes) =>
      Buffer.from([0xc0, 12, ...type, 0, 1, 0, 0, 0, 1, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, question.subarray(12, end), ...bodies]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function look(lookup: ReturnType<typeof pinnedLookup>, all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) =>
    lookup('a.example', { all }, (error, ...found) => (error === null ? resolve(found) : reject(error))),
  );
}

const V6_LOOPBACK = [...Array.from({ length: 15 }, () => 0), 1];

test('the resolver returns IPv4 and IPv6 addresses', async () => {
  const server = await startNameServer({ [A]: [[93, 184, 216, 34]], [AAAA]: [V6_LOOPBACK] });
  expect(await networkResolver(process, [server])('a.example')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '::1', family: 6 },
  ]);
});

test('the resolver returns addresses of one family, and fails without any', async () => {
  const server = await startNameServer({ [AAAA]: [V6_LOOPBACK] });
  expect(await networkResolver(process, [server])('a.example')).toEqual([{ address: '::1', family: 6 }]);
  const empty = await startNameServer({});
  await expect(networkResolver(process, [empty])('a.example')).rejects.toThrow('ENODATA');
});

test('the lookup fails if one of the resolved addresses is private', async () => {
  const server = await startNameServer({ [A]: [[93, 184, 216, 34]], [AAAA]: [V6_LOOPBACK] });
  await expect(look(guardedLookup(networkResolver(process, [server])), true)).rejects.toThrow(PrivateAddressError);
});

const one: Resolve = async () => [
  { address: '1.1.1.1', family: 4 },
  { address: '1.0.0.1', family: 4 },
];

test.each([
  [true, [await one('')]],
  [false, ['1.1.1.1', 4]],
])('a lookup with all: %s returns the resolved addresses', async (all, expected) => {
  expect(await look(guardedLookup(one), all)).toEqual(expected);
  expect(await look(pinnedLookup(one), all)).toEqual(expected);
});

test.each([
  ['no address', async () => [], 'a.example has no address'],
  ['an error of the resolver', () => Promise.reject(new Error('no network')), 'no network'],
])('a lookup fails with %s', async (_, resolve, message) => {
  await expect(look(pinnedLookup(resolve), false)).rejects.toThrow(message);
});
