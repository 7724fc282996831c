import { expect, test } from 'vitest';
import { decodeParams } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { getAsStream } from './request-params.ts';

const repairs = getAsStream.repairs ?? [];
const OPERATIONS = ['GetTask', 'CancelTask', 'SubscribeToTask'] as const;

test.each(OPERATIONS)('%s accepts taskId as id', (operation) => {
  const { value, warnings } = decodeParams(v03, operation, { taskId: 'task-123' }, { repairs });
  expect(value).toEqual({ id: 'task-123' });
  expect(warnings).toEqual([
    { code: 'task-id-misnamed', field: '', description: 'expected the member id; read taskId instead' },
  ]);
});

test('other members are kept beside taskId', () => {
  const { value } = decodeParams(v03, 'GetTask', { taskId: 'task-123', id: null, historyLength: 2 }, { repairs });
  expect(value).toEqual({ id: 'task-123', historyLength: 2 });
});

test('the member id takes precedence over taskId', () => {
  const { value, warnings } = decodeParams(v03, 'GetTask', { id: 't1', taskId: 't2' }, { repairs });
  expect(value).toEqual({ id: 't1' });
  expect(warnings).toEqual([]);
});

test('a taskId that is not a string is ignored', () => {
  expect(() => decodeParams(v03, 'GetTask', { taskId: 7 }, { repairs })).toThrow('id: expected the member id');
});

test.each(OPERATIONS)('strict decoding of %s rejects taskId', (operation) => {
  expect(() => decodeParams(v03, operation, { taskId: 'task-123' }, { repairs, strict: true })).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      violations: [{ field: 'id', description: 'expected the member id' }],
    }),
  );
});

test('only an agent mounted with this profile responds to GetTask with a stream', () => {
  expect(v03.getTaskMayStream).toBeUndefined();
  expect(getAsStream.forServer?.(v03)).toEqual({ ...v03, getTaskMayStream: true });
});
