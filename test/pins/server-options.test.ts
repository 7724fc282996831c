import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { readHandlerOptions } from '../../src/server/options/handler-options.ts';
import { DEFAULT_RETENTION } from '../../src/engine/schedule/retention.ts';
import { membersOf, ROOT } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/server.md'), 'utf8');
const SUBJECT = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
const SERVE_ONLY = { port() {}, host() {}, maxConnections() {}, maxHeaderBytes() {}, middleware() {} };

/** The tables under `## Options`: name → default. */
const DOCUMENTED = new Map(
  [...(PAGE.split('## Options')[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` +\| (.*?) +\|/gm)].map(
    ([, name = '', byDefault = '']) => [name, byDefault],
  ),
);

const OPTIONS = [
  ...membersOf('src/node/serve.ts', 'ServeOptions'),
  ...membersOf('src/server/options/handler-options.ts', 'HandlerOptions'),
];

test('docs/server.md lists every option, and no other', () => {
  expect([...DOCUMENTED.keys()]).toEqual(OPTIONS);
  expect(OPTIONS.length).toBeGreaterThan(10);
});

test('the server accepts every option of its types', () => {
  const given = Object.fromEntries(OPTIONS.map((name) => [name, undefined]));
  expect(readHandlerOptions('serve()', SUBJECT, given, SERVE_ONLY)).toBeDefined();
});

/** A value in the format of the page. */
function written(name: string, value: unknown): string {
  if (name.endsWith('Bytes')) return `${Number(value) / 2 ** 20} MiB`;
  if (name.endsWith('Ms')) return `${Number(value) / 1000} s`;
  return `\`${JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ')}\``;
}

test('docs/server.md has the defaults of the code', () => {
  const { offer, limits: _, selfPaths: _paths, ...settings } = readHandlerOptions('serve()', SUBJECT, {});
  const all = { ...settings, versions: offer.versions, strict: offer.strict };
  const literal = Object.entries(all).filter(([, value]) => value !== undefined);
  expect(literal.length).toBeGreaterThan(8);
  for (const [name, value] of literal) expect([name, DOCUMENTED.get(name)]).toEqual([name, written(name, value)]);
});

test('docs/server.md names the members of retention', () => {
  for (const name of Object.keys(DEFAULT_RETENTION)) expect(PAGE).toContain(`\`${name}\``);
});
