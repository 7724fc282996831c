import { expect, test } from 'vitest';
import { type AuditRecord, AuditTrail } from './audit.ts';
import { type LogFields, silentLog } from './log.ts';

test('actions of operators and rejected requests have different outcomes', () => {
  const records: AuditRecord[] = [];
  const trail = new AuditTrail(
    (record) => void records.push(record),
    silentLog,
    () => 0,
  );

  trail.done('redelivery', { taskId: 't' });
  trail.rejected('PERMISSION_DENIED', { caller: 'ann' });

  const time = '1970-01-01T00:00:00.000Z';
  expect(records).toEqual([
    { time, outcome: 'done', reason: 'redelivery', taskId: 't' },
    { time, outcome: 'rejected', reason: 'PERMISSION_DENIED', caller: 'ann' },
  ]);
});

interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function logging(now: () => number): { readonly trail: AuditTrail; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: Line['level']) =>
    (message: string, fields?: LogFields): void =>
      void lines.push({ level, message, fields });
  const trail = new AuditTrail(undefined, { info: at('info'), warn: at('warn'), error: at('warn') }, now);
  return { trail, lines };
}

const guess = (trail: AuditTrail, address: string | undefined, times: number, reason = 'UNAUTHENTICATED'): void => {
  for (let i = 0; i < times; i++) {
    trail.rejected(reason, { detail: 'invalid_token', ...(address !== undefined && { address }) });
  }
};

test('the log gets ten rejections per minute for one address, and one line with the number of the others', () => {
  let now = 0;
  const { trail, lines } = logging(() => now);

  guess(trail, '203.0.113.7', 1000);
  guess(trail, '203.0.113.7', 5, 'RATE_LIMIT_EXCEEDED');
  guess(trail, '203.0.113.8', 1);
  expect(lines.map(({ message }) => message)).toEqual(Array.from({ length: 11 }, () => 'Request rejected'));

  now = 60_000;
  guess(trail, '203.0.113.8', 1);
  const since = '1970-01-01T00:00:00.000Z';
  const reasons = { UNAUTHENTICATED: 990, RATE_LIMIT_EXCEEDED: 5 };
  expect(lines.slice(11)).toMatchObject([
    {
      level: 'warn',
      message: 'Further rejections',
      fields: { address: '203.0.113.7', count: 995, reasons, since },
    },
    { level: 'warn', message: 'Request rejected', fields: { address: '203.0.113.8' } },
  ]);

  guess(trail, '203.0.113.7', 11);
  expect(lines).toHaveLength(23);
});

test('close() logs the number of rejections that were not logged', () => {
  const { trail, lines } = logging(() => 0);
  guess(trail, undefined, 12);
  trail.close();

  expect(lines.at(-1)?.fields).toMatchObject({ count: 2 });
  expect(lines).toHaveLength(11);
});

test('all addresses of one IPv6 /64 network share the ten lines', () => {
  const { trail, lines } = logging(() => 0);
  for (let i = 0; i < 20; i++) guess(trail, `2001:db8:1:2::${i}`, 1);

  expect(lines).toHaveLength(10);
});

test('requests without credentials do not use up the lines for wrong credentials', () => {
  const { trail, lines } = logging(() => 0);
  for (let i = 0; i < 20; i++) trail.rejected('UNAUTHENTICATED', { address: '203.0.113.7' });
  guess(trail, '203.0.113.7', 1);

  expect(lines.filter(({ level }) => level === 'info')).toHaveLength(10);
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('a custom audit function gets every record', () => {
  const records: AuditRecord[] = [];
  const trail = new AuditTrail(
    (record) => void records.push(record),
    silentLog,
    () => 0,
  );
  guess(trail, '203.0.113.7', 100);

  expect(records).toHaveLength(100);
});

test('the number of lines is bounded however many addresses are used', () => {
  const { trail, lines } = logging(() => 0);
  for (let i = 0; i < 20_000; i++) guess(trail, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1);

  expect(lines.length).toBeLessThanOrEqual(10_010);
});
