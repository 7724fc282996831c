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

test.each(FORMATS)(
  'the facts known about $binding $version before loading match the loaded dialect',
  async (format) => {
    const { binding, version } = format;
    const dialect = clientDialect(binding, version);

    expect(hasClientDialect(format)).toBe(dialect !== undefined);
    expect(clientNamesTasks(format)).toBe(dialect?.clientNamesTasks === true);
    if (dialect === undefined) await expect(loadClientDialect(format)).rejects.toThrow('is not available over');
    else expect(await loadClientDialect(format)).toBe(dialect);
  },
);

test('only the 1.0 dialect is bundled', () => {
  expect(PROTOCOL_VERSIONS.filter((version) => bundledDialect({ version }) !== undefined)).toEqual(['1.0']);
});

test.each(PROTOCOL_VERSIONS)('a %s card is decoded by the dialect of its version', async (version) => {
  expect(await loadCardDialect(version)).toBe(dialectOf(version));
});
