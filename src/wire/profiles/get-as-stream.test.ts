import { expect, test } from 'vitest';
import { decodeParams } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { getAsStream } from './request-params.ts';

const repairs = getAsStream.repairs ?? [];
const OPERATIONS = ['GetTask', 'CancelTask', 'SubscribeToTask'] as const;

test.each(OPERATIONS)('%s reads taskId as id', (operation) => {
  const { value, warnings } = decodeParams(v03, operation, { taskId: 'task-123' }, { repairs });
  expect(value).toEqual({ id: 'task-123' });
  expect(warnings).toEqual([
    { code: 'task-id-misnamed', field: '', description: 'expected the member id; read taskId instead' },
  ]);
});

test('the other members stay', () => {
  const { value } = decodeParams(v03, 'GetTask', { taskId: 'task-123', id: null, historyLength: 2 }, { repairs });
  expect(value).toEqual({ id: 'task-123', historyLength: 2 });
});

test('id wins, if it is there', () => {
  const { value, warnings } = decodeParams(v03, 'GetTask', { id: 't1', taskId: 't2' }, { repairs });
  expect(value).toEqual({ id: 't1' });
  expect(warnings).toEqual([]);
});

test('a taskId that is no text is no id', () => {
  expect(() => decodeParams(v03, 'GetTask', { taskId: 7 }, { repairs })).toThrow('id: expected the member id');
});

test.each(OPERATIONS)('strict reading of %s refuses it', (operation) => {
  expect(() => decodeParams(v03, operation, { taskId: 'task-123' }, { repairs, strict: true })).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      violations: [{ field: 'id', description: 'expected the member id' }],
    }),
  );
});

test('only a mount with this profile answers GetTask with a stream', () => {
  expect(v03.getTaskMayStream).toBeUndefined();
  expect(getAsStream.forServer?.(v03)).toEqual({ ...v03, getTaskMayStream: true });
});
