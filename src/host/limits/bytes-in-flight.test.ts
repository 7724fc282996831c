import { expect, onTestFinished, test } from 'vitest';
import { BytesInFlight, type Holder } from './bytes-in-flight.ts';
import { DEFAULT_LIMITS, type LimitName, type LimitSettings } from './limit-settings.ts';

const LIMITS: LimitSettings = {
  ...DEFAULT_LIMITS,
  responseBytesPerCaller: 100,
  responseBytesPerProcess: 300,
  given: new Set<LimitName>(),
};

function caller(id: string): Holder {
  return { caller: { id, isVerified: true }, remoteAddress: '127.0.0.1', isLocal: true };
}

function address(remoteAddress: string | undefined, isLocal = false): Holder {
  return { remoteAddress, isLocal };
}

/** All tests share the counts of the process. */
function counted(limits: LimitSettings = LIMITS) {
  const bytes = new BytesInFlight('response', limits);
  const before = bytes.total;
  onTestFinished(() => expect(bytes.total).toBe(before));
  const hold = (holder: Holder, size: number): string | undefined => {
    const one = bytes.open(holder);
    onTestFinished(() => one.release());
    return one.take(size)?.code;
  };
  return { bytes, hold };
}

test('a caller at its limit is rejected, and other callers are not affected', () => {
  const { bytes, hold } = counted();

  expect([hold(caller('alice'), 60), hold(caller('alice'), 40)]).toEqual([undefined, undefined]);
  expect(hold(caller('alice'), 1)).toBe('RATE_LIMIT_EXCEEDED');
  expect(bytes.rejection(caller('alice'))).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message:
      'Your unread responses exceed 100 bytes in total: ' +
      'read them, or close their connections, before you send more requests',
    details: { limit: 'responseBytesPerCaller' },
    retryAfterMs: 2000,
  });
  expect(bytes.rejection(caller('bob'))).toBeUndefined();
  expect(hold(caller('bob'), 100)).toBeUndefined();
});

test('released bytes can be held again', () => {
  const { bytes } = counted();
  const [first, second] = [bytes.open(caller('alice')), bytes.open(caller('alice'))];
  first.take(100);
  expect(second.take(1)?.code).toBe('RATE_LIMIT_EXCEEDED');

  first.release();
  first.release();

  expect(bytes.rejection(caller('alice'))).toBeUndefined();
  expect(second.take(100)).toBeUndefined();
  second.release();
});

test('a single response may exceed the limit of its caller, and then the caller can hold nothing else', () => {
  const { bytes } = counted();
  const large = bytes.open(caller('alice'));

  expect([large.take(80), large.take(80)]).toEqual([undefined, undefined]);

  expect(bytes.open(caller('alice')).take(1)?.code).toBe('RATE_LIMIT_EXCEEDED');
  large.release();
});

test('a full process rejects large bodies of all callers, and all requests of callers that hold bytes', () => {
  const { bytes, hold } = counted();
  for (const id of ['a', 'b', 'c']) expect(hold(caller(id), 99)).toBeUndefined();
  expect(hold(caller('d'), 3)).toBeUndefined();

  expect(hold(caller('bob'), 1)).toBe('UNAVAILABLE');
  expect(bytes.rejection(caller('d'))).toMatchObject({
    code: 'UNAVAILABLE',
    details: { limit: 'responseBytesPerProcess' },
    retryAfterMs: 2000,
  });
  expect(bytes.rejection(caller('bob'))).toBeUndefined();
});

test('all handlers of a process share its limit', () => {
  const [one, other] = [counted(), counted()];
  expect(one.hold(caller('alice'), 299)).toBeUndefined();

  expect(other.hold(caller('alice'), 2)).toBe('UNAVAILABLE');
});

test('anonymous callers are counted by address, and an IPv6 /64 network counts as one address', () => {
  const { hold } = counted();
  expect(hold(address('203.0.113.7'), 100)).toBeUndefined();
  expect(hold(address('203.0.113.7'), 1)).toBe('RATE_LIMIT_EXCEEDED');
  expect(hold(address('203.0.113.8'), 1)).toBeUndefined();

  expect(hold(address('2001:db8::1'), 100)).toBeUndefined();
  expect(hold(address('2001:db8::2'), 1)).toBe('RATE_LIMIT_EXCEEDED');
});

test.each([
  ['calls from the same machine', address('127.0.0.1', true)],
  ['has no address', address(undefined)],
])('an anonymous caller that %s is subject only to the limit of the process by default', (_who, holder) => {
  const { hold } = counted();
  expect([hold(holder, 100), hold(holder, 200), hold(holder, 1)]).toEqual([undefined, undefined, 'UNAVAILABLE']);
});

test('a configured limit per caller also applies to callers on the same machine', () => {
  const { hold } = counted({ ...LIMITS, given: new Set<LimitName>(['responseBytesPerCaller']) });
  expect([hold(address('127.0.0.1', true), 100), hold(address('127.0.0.1', true), 1)]).toEqual([
    undefined,
    'RATE_LIMIT_EXCEEDED',
  ]);
});

test('resize() corrects an estimate even above the limit', () => {
  const { bytes } = counted();
  const hold = bytes.open(caller('alice'));
  hold.take(90);

  hold.resize(180);
  expect(bytes.rejection(caller('alice'))?.code).toBe('RATE_LIMIT_EXCEEDED');
  hold.resize(10);

  expect(bytes.rejection(caller('alice'))).toBeUndefined();
  hold.release();
});
