import { expect, test } from 'vitest';
import { newRecord } from '../../store/guard.ts';
import type { TaskRecord } from '../../store/store.ts';
import { PendingClaims } from './pending-claims.ts';

function claimed(fence: number, id = 'task'): TaskRecord {
  const status = { state: 'TASK_STATE_WORKING' as const };
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [] };
  const task = { id, contextId: 'c', tenant: '', owner: '', agent: 'a', status, origin: {}, message };
  return { ...newRecord({ ...task, createdAt: 0, wakeAt: 0 }), fence };
}

test('a write during a claim is reported at its end', () => {
  const takings = new PendingClaims();
  takings.begin(claimed(1));
  takings.begin(claimed(1, 'other'));
  takings.noteNews('task');
  takings.noteNews('unknown');
  expect(takings.end(claimed(1))).toBe(true);
  expect(takings.end(claimed(1, 'other'))).toBe(false);
  expect(takings.end(claimed(1))).toBe(false);
});

test('a slow one is overtaken by the next, even if that is done first', () => {
  const takings = new PendingClaims();
  takings.begin(claimed(2));
  expect(takings.isOvertaken(claimed(2))).toBe(false);
  takings.begin(claimed(5));
  takings.end(claimed(5));
  expect(takings.isOvertaken(claimed(2))).toBe(true);
  takings.end(claimed(2));
  takings.begin(claimed(6));
  expect(takings.isOvertaken(claimed(6))).toBe(false);
});
