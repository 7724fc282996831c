import { expect, test } from 'vitest';
import { apiPage } from '../../scripts/text/api-page.ts';
import { publicEntries } from '../../scripts/text/public-api.ts';

const PAGE = apiPage();

test('docs/api.md lists every export with its first sentence', async () => {
  await expect(PAGE, 'update it: npm run text').toMatchFileSnapshot('../../docs/api.md');
});

test('docs/api.md names every export, and each has a declaration in the sources', () => {
  for (const { name, exports } of publicEntries()) {
    for (const [exported, declarations] of exports) {
      expect(declarations, `${exported} of ${name}`).not.toEqual([]);
      expect(PAGE).toMatch(new RegExp(`^(?:### |- \`|\\| \`)${exported}\\b`, 'm'));
    }
  }
});
