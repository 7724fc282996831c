/** `llms.txt`: the pages of the package with a line about each, for programs that look for the right one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './root.ts';

export function llmsText(): string {
  const { description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly description: string;
  };
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const pages = readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  // In the order of the list at the end of the README; others after it.
  const place = (page: string): number => (readme.includes(`(${page})`) ? readme.lastIndexOf(`(${page})`) : Infinity);
  const sorted = pages.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  const lines = sorted.map((page) => {
    const { title, summary } = aboutPage(readFileSync(join(ROOT, page), 'utf8'));
    return `- [${title}](${page}): ${summary}`;
  });
  return `# Tandem\n\n> ${description}\n\n## Docs\n\n- [README](README.md): install it, write an agent, call one\n${lines.join('\n')}\n`;
}

/** The title of a page and the first sentence of its first paragraph. */
export function aboutPage(page: string): { readonly title: string; readonly summary: string } {
  const [, title = ''] = /^# (.*)$/m.exec(page) ?? [];
  const text = page
    .replaceAll(/^<!--[^]*?-->\n*/gm, '')
    .replaceAll(/^(```+)[^]*?^\1\n*/gm, '')
    .replace(/^[^]*?^# .*\n+/m, '');
  const [paragraph = ''] = text.split(/\n\s*\n/);
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return {
    title: title.replaceAll('`', ''),
    summary: /^.*?[.:](?= [A-Z`]|$)/.exec(plain)?.[0].replace(/[.:]$/, '') ?? plain,
  };
}
