/**
 * The table of each group of options, the interface that users read in their editor, and the table on a page have the same options
 * with the same defaults.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT } from '../../src/agent/agent-options.ts';
import { agent } from '../../src/agent/agent.ts';
import { CLIENT_LIMITS } from '../../src/client/settings.ts';
import { RUN_LIMITS } from '../../src/engine/runnable.ts';
import { RETENTION } from '../../src/engine/schedule/retention.ts';
import { JWKS } from '../../src/host/auth/jwt/jwks.ts';
import { OIDC } from '../../src/host/auth/jwt/oidc.ts';
import { SHARED_SECRET } from '../../src/host/auth/jwt/shared-secret.ts';
import { LIMITS } from '../../src/host/limits/limit-settings.ts';
import { ACCESS } from '../../src/host/options/access-options.ts';
import { FILES } from '../../src/host/options/file-options.ts';
import { PUSH } from '../../src/host/options/push-options.ts';
import { SERVE } from '../../src/node/serve.ts';
import { CORS } from '../../src/server/http/cors.ts';
import { HANDLER, readHandlerOptions, STREAMING } from '../../src/server/options/handler-options.ts';
import { SERVERLESS } from '../../src/server/serverless/serverless-options.ts';
import { type AnyTable, defaultsOf } from '../../src/support/options.ts';
import { membersOf, ROOT } from '../helpers/source.ts';

/** An interface: its file and its name. */
type Source = readonly [path: string, name: string];

interface Group {
  readonly name: string;
  readonly table: AnyTable;
  /** The interfaces that have the options, in the order of the page. */
  readonly types: readonly Source[];
  /** A page and the text before its table, if it lists the whole group. */
  readonly page?: readonly [path: string, heading: string];
}

const ADDRESSES: readonly Source[] = [
  ['src/push/address-guard.ts', 'AddressOptions'],
  ['src/host/options/address-options.ts', 'OutboundOptions'],
];
const RUNS: Source = ['src/engine/runnable.ts', 'RunLimits'];

const RULES: Source = ['src/host/auth/jwt/verify-jwt.ts', 'TokenRules'];

const GROUPS: readonly Group[] = [
  { name: 'agent', table: AGENT, types: [['src/agent/agent-options.ts', 'AgentOptions'], RUNS] },
  { name: 'runs', table: RUN_LIMITS, types: [RUNS], page: ['docs/durability.md', '## Limits of an agent'] },
  {
    name: 'createHandler',
    table: HANDLER,
    types: [['src/server/options/handler-options.ts', 'HandlerOptions']],
    page: ['docs/server.md', '\nBoth:\n'],
  },
  {
    name: 'serve',
    table: SERVE,
    types: [['src/node/serve.ts', 'ServeOptions']],
    page: ['docs/server.md', '\nOnly `serve`:\n'],
  },
  { name: 'streaming', table: STREAMING, types: [['src/server/options/handler-options.ts', 'StreamingOptions']] },
  { name: 'retention', table: RETENTION, types: [['src/engine/schedule/retention.ts', 'Retention']] },
  {
    name: 'limits',
    table: LIMITS,
    types: [['src/host/limits/limit-settings.ts', 'Limits']],
    page: ['docs/limits.md', '## Limits that you can set'],
  },
  {
    name: 'access',
    table: ACCESS,
    types: [['src/host/options/access-options.ts', 'AccessOptions']],
    page: ['docs/security.md', '## Access rules'],
  },
  {
    name: 'jwks',
    table: JWKS,
    types: [['src/host/auth/jwt/jwks.ts', 'JwksOptions'], ['src/host/auth/jwt/issuer.ts', 'IssuerOptions'], RULES],
  },
  {
    name: 'oidc',
    table: OIDC,
    types: [['src/host/auth/jwt/oidc.ts', 'OidcOptions'], ['src/host/auth/jwt/issuer.ts', 'IssuerOptions'], RULES],
  },
  {
    name: 'sharedSecret',
    table: SHARED_SECRET,
    types: [['src/host/auth/jwt/shared-secret.ts', 'SharedSecretOptions'], RULES],
  },
  { name: 'cors', table: CORS, types: [['src/server/http/cors.ts', 'CorsOptions']] },
  { name: 'files', table: FILES, types: [...ADDRESSES, ['src/host/options/file-options.ts', 'FileOptions']] },
  {
    name: 'push',
    table: PUSH,
    types: [...ADDRESSES, ['src/host/options/push-options.ts', 'PushOptions']],
    page: ['docs/push.md', '| member of `push` |'],
  },
  {
    name: 'serverless',
    table: SERVERLESS,
    types: [['src/server/serverless/serverless-options.ts', 'ServerlessOptions']],
    page: ['docs/serverless.md', '## Options'],
  },
  { name: 'limits of the client', table: CLIENT_LIMITS, types: [['src/client/options.ts', 'ClientLimits']] },
];

const NESTED = ['retention', 'files'];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The documentation of each member, on one line. */
function documentedMembers([path, name]: Source): readonly (readonly [name: string, doc: string])[] {
  const body = read(path).split(`export interface ${name} `)[1]?.split('\n}\n')[0] ?? '';
  return [...body.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s+readonly (\w+)\??:/g)].map(([, doc = '', member = '']) => [
    member,
    doc.replaceAll(/\s*\n\s*\* ?/g, ' ').trim(),
  ]);
}

/** The options and defaults of the first table below a heading. */
function rowsOf([path, heading]: readonly [string, string]): readonly (readonly [name: string, byDefault: string])[] {
  const table =
    read(path)
      .split(heading)[1]
      ?.match(/^\|(?:.*\n\|)*.*$/m)?.[0] ?? '';
  return [...table.matchAll(/^\| `(\w+)`[^|]*\| (.*?) +\|/gm)].map(([, name = '', value = '']) => [name, value]);
}

const UNITS: Readonly<Record<string, readonly (readonly [factor: number, unit: string])[]>> = {
  Ms: [
    [1, 'ms'],
    [1000, 's'],
    [60_000, 'min'],
    [60_000, 'minute'],
    [60_000, 'minutes'],
    [3_600_000, 'hour'],
    [3_600_000, 'hours'],
    [86_400_000, 'days'],
  ],
  Seconds: [[1, 's']],
  Bytes: [
    [2 ** 10, 'KiB'],
    [2 ** 20, 'MiB'],
  ],
};

/** The ways in which a default may be written. */
function spellings(name: string, value: unknown): readonly string[] {
  if (value === Number.POSITIVE_INFINITY) return ['any number', 'unlimited'];
  if (typeof value === 'number') {
    const [, units = []] = Object.entries(UNITS).find(([part]) => name.includes(part)) ?? [];
    const scaled = units
      .filter(([factor]) => value % factor === 0)
      .map(([factor, unit]) => `${value / factor} ${unit}`);
    const plain = [value.toLocaleString('en-US'), String(value), `\`${value}\``];
    const day = value === 86_400_000 ? ['one day'] : [];
    return [...scaled, ...plain, ...day, ...(value === 4 * 2 ** 20 ? ['4 Mi'] : [])];
  }
  if (typeof value === 'object' && value !== null && 'burst' in value && 'perMinute' in value)
    return [
      `${String(value.perMinute)} per minute, burst ${String(value.burst)}`,
      `${String(value.perMinute)} a minute, ${String(value.burst)} at once`,
    ];
  if (Array.isArray(value)) return value.length === 0 ? ['none', '`[]`'] : [value.join(', ')];
  if (value === '') return ["`''`", 'none'];
  return [`\`${String(value)}\``, `\`'${String(value)}'\``];
}

describe.each(GROUPS)('the options of $name', ({ table, types, page }) => {
  // Groups in a group are compared by themselves.
  const defaults = Object.entries<unknown>(defaultsOf(table)).filter(([name]) => !NESTED.includes(name));

  test('are those of the documented types', () => {
    const members = types.flatMap((type) => membersOf(...type));
    expect(Object.keys(table).toSorted()).toEqual(members.toSorted());
    expect(members.length).toBeGreaterThan(0);
  });

  test('have the defaults that the types document', () => {
    const docs = new Map(types.flatMap(documentedMembers));
    const wrong = defaults.filter(([name, value]) => {
      const doc = docs.get(name) ?? '';
      return !/\bdefault\b/i.test(doc) || !spellings(name, value).some((text) => doc.includes(text));
    });
    expect(wrong.map(([name, value]) => [name, value, docs.get(name)])).toEqual([]);
  });

  if (page === undefined) return;
  test('have the same names and defaults on the page', () => {
    const rows = rowsOf(page);
    expect(rows.map(([name]) => name)).toEqual(types.flatMap((type) => membersOf(...type)));
    const documented = new Map(rows);
    const wrong = defaults.filter(([name, value]) => !spellings(name, value).includes(documented.get(name) ?? ''));
    expect(wrong.map(([name, value]) => [name, value, documented.get(name)])).toEqual([]);
  });
});

test('the options that are read together have the defaults of docs/server.md', () => {
  const subject = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
  const { offer, rpcPaths, cardForm, streaming, enforceOutputModes } = readHandlerOptions('serve()', subject, {});
  const documented = new Map(rowsOf(['docs/server.md', '\nBoth:\n']));
  const all = { versions: offer.versions, rpcPaths, cardForm, streaming, enforceOutputModes };
  for (const [name, value] of Object.entries(all))
    expect([name, documented.get(name)]).toEqual([
      name,
      `\`${JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ')}\``,
    ]);
});

test('docs/limits.md has the defaults of the options outside of limits', () => {
  const all: AnyTable = { ...HANDLER, ...SERVE, ...RUN_LIMITS };
  const rows = rowsOf(['docs/limits.md', 'Options outside of `limits`:']);
  expect(rows.length).toBeGreaterThan(5);
  for (const [name, text] of rows) {
    const value = all[name]?.byDefault;
    expect([name, value === undefined ? ['none'] : spellings(name, value)]).toEqual([
      name,
      expect.arrayContaining([text]),
    ]);
  }
});

test('pages have the defaults of the groups that they list in a sentence', () => {
  const [server, client] = ['docs/server.md', 'docs/client.md'].map((path) => read(path).replaceAll(/\s*\n/g, ' '));
  for (const [name, value] of Object.entries(defaultsOf(RETENTION)))
    expect(spellings(name, value).filter((text) => server?.includes(`\`${name}\` (${text}`))).not.toEqual([]);
  for (const [name, value] of Object.entries(defaultsOf(CLIENT_LIMITS)))
    expect(spellings(name, value).filter((text) => client?.includes(`\`${name}\` ${text}`))).not.toEqual([]);
});
