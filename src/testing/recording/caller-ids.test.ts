import { expect, test } from 'vitest';
import { newId } from '../../support/id.ts';
import { looksMadeUp } from './caller-ids.ts';

test.each([
  newId(),
  crypto.randomUUID(),
  `task-${crypto.randomUUID()}`,
  '5f3b1c9a7e2d4f60',
  'msg_5f3b1c9a7e2d4f605f3b1c9a',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'task-1763278512345',
  'V1StGXR8_Z5jdHi6B-myT',
])('%s looks generated', (id) => {
  expect(looksMadeUp(id)).toBe(true);
});

test.each([
  '',
  'task-1',
  'response',
  'quarterly-report-2024',
  'QuarterlyReport2024Final',
  'a much longer text of 2024',
])('%j does not look generated', (id) => {
  expect(looksMadeUp(id)).toBe(false);
});
