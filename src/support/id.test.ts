import { expect, test } from 'vitest';
import { newId } from './id.ts';

test('ids are UUIDs of version 7, never the same twice', () => {
  const ids = Array.from({ length: 1000 }, newId);
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('an id begins with its time, so that later ones sort after earlier ones', () => {
  const before = Date.now();
  const id = newId();
  const time = Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});
