import { expect, test } from 'vitest';
import { dialectOf, clientDialect } from './select.ts';
import {
  clientNamesTasks,
  hasClientDialect,
  loadCardDialect,
  loadClientDialect,
  bundledDialect,
} from './client-dialect.ts';
import { PROTOCOL_VERSIONS } from './version.ts';

const FORMATS = (['JSONRPC', 'HTTP+JSON'] as const).flatMap((binding) =>
  PROTOCOL_VERSIONS.map((version) => ({ binding, version })),
);

test.each(FORMATS)('what is said of $binding $version without loading it is true', async (format) => {
  const { binding, version } = format;
  const dialect = clientDialect(binding, version);

  expect(hasClientDialect(format)).toBe(dialect !== undefined);
  expect(clientNamesTasks(format)).toBe(dialect?.clientNamesTasks === true);
  if (dialect === undefined) await expect(loadClientDialect(format)).rejects.toThrow('is not available over');
  else expect(await loadClientDialect(format)).toBe(dialect);
});

test('only 1.0 is there at once', () => {
  expect(PROTOCOL_VERSIONS.filter((version) => bundledDialect({ version }) !== undefined)).toEqual(['1.0']);
});

test.each(PROTOCOL_VERSIONS)('a card of %s is read by its own dialect', async (version) => {
  expect(await loadCardDialect(version)).toBe(dialectOf(version));
});
