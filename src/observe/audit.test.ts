import { expect, test } from 'vitest';
import { type AuditRecord, AuditTrail } from './audit.ts';
import { silentLog } from './log.ts';

test('what an operator does is told from what was refused', () => {
  const records: AuditRecord[] = [];
  const trail = new AuditTrail(
    (record) => void records.push(record),
    silentLog,
    () => 0,
  );

  trail.done('redelivery', { taskId: 't' });
  trail.refused('PERMISSION_DENIED', { caller: 'ann' });

  const time = '1970-01-01T00:00:00.000Z';
  expect(records).toEqual([
    { time, outcome: 'done', reason: 'redelivery', taskId: 't' },
    { time, outcome: 'refused', reason: 'PERMISSION_DENIED', caller: 'ann' },
  ]);
});
