import { expect, test } from 'vitest';
import { PROTOCOL_VERSIONS } from './dialect.ts';
import { dialectOf, spokenDialect } from './select.ts';
import { clientNamesTasks, isSpoken, loadCardDialect, loadSpoken, spokenAtOnce } from './spoken.ts';

const MANNERS = (['JSONRPC', 'HTTP+JSON'] as const).flatMap((binding) =>
  PROTOCOL_VERSIONS.map((version) => ({ binding, version })),
);

test.each(MANNERS)('what is said of $binding $version without loading it is true', async (manner) => {
  const { binding, version } = manner;
  const dialect = spokenDialect(binding, version);

  expect(isSpoken(manner)).toBe(dialect !== undefined);
  expect(clientNamesTasks(manner)).toBe(dialect?.clientNamesTasks === true);
  if (dialect === undefined) await expect(loadSpoken(manner)).rejects.toThrow('is not spoken by');
  else expect(await loadSpoken(manner)).toBe(dialect);
});

test('only 1.0 is there at once', () => {
  expect(PROTOCOL_VERSIONS.filter((version) => spokenAtOnce({ version }) !== undefined)).toEqual(['1.0']);
});

test.each(PROTOCOL_VERSIONS)('a card of %s is read by its own dialect', async (version) => {
  expect(await loadCardDialect(version)).toBe(dialectOf(version));
});
