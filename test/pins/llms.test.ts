import { expect, test } from 'vitest';
import { aboutPage, llmsText } from '../../scripts/text/llms.ts';

test('llms.txt lists every page with its first sentence', async () => {
  await expect(llmsText(), 'update it: npm run text').toMatchFileSnapshot('../../llms.txt');
});

test.each([
  [
    '# A `title`\n\nHow [agents](a.md) are\nserved. More.\n\nNext.',
    { title: 'A title', summary: 'How agents are served' },
  ],
  ['<!-- note -->\n# Title\n\nRun `a.b`: it works\n', { title: 'Title', summary: 'Run `a.b`: it works' }],
])('the title and the summary of the page %j are found', (page, about) => {
  expect(aboutPage(page)).toEqual(about);
});
