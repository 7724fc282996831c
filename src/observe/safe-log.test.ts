import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { jsonLog } from './json-log.ts';
import type { Log } from './log.ts';
import { safeLog } from './safe-log.ts';

test('a pino logger gets the fields first, errors as err, and no secrets', () => {
  const lines: string[] = [];
  const { log: pino } = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
  const log = safeLog(pino);

  log.warn('Look', { taskId: 't', token: 'abc', error: new Error('Broken') });
  log.info('Nothing more');

  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, msg: 'Look', taskId: 't', token: '[redacted]', err: { type: 'Error', message: 'Broken' } },
    { level: 30, msg: 'Nothing more' },
  ]);
});

test('a log that is not pino gets the message first', () => {
  const warn = vi.fn<Log['warn']>();

  safeLog({ info() {}, warn, error() {} }).warn('Look', { password: 'p' });

  expect(warn.mock.calls).toEqual([['Look', { password: '[redacted]' }]]);
});

test('errors of a log are ignored', () => {
  const broken = (): never => {
    throw new Error('The disk is full');
  };

  expect(() => safeLog({ info: broken, warn: broken, error: broken }).error('Look')).not.toThrow('The disk is full');
});

test('JSON lines keep level, time and msg, even if fields have these names', () => {
  const lines: string[] = [];
  const log = jsonLog(
    (line) => void lines.push(line),
    () => 0,
  );
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  log.error('Broken', { taskId: 't', level: 'mine', error: new Error('No', { cause: new Error('Why') }) });
  log.warn('Round', { circular });

  expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: 'error',
      time: '1970-01-01T00:00:00.000Z',
      msg: 'Broken',
      taskId: 't',
      err: { type: 'Error', message: 'Error: No, caused by Error: Why', stack: expect.stringContaining('Error: No') },
    },
    { level: 'warn', time: '1970-01-01T00:00:00.000Z', msg: 'Round', fields: 'unreadable' },
  ]);
});
