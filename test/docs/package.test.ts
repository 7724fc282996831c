/** The tarball that users install: its links work, and its command runs. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { REPOSITORY, withProject } from '../../scripts/project.mjs';
import { ROOT } from '../helpers/source.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
}

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest & Record<string, unknown>;
const ADDRESS = 'https://github.com/owner/tandem-a2a';
const FACTS = {
  homepage: `${ADDRESS}#readme`,
  bugs: `${ADDRESS}/issues`,
  repository: { type: 'git', url: `git+${ADDRESS}.git` },
};

let folder = '';
/** The folder of the package in a project. */
const packed = (...path: readonly string[]): string => join(folder, 'project/node_modules/tandem-a2a', ...path);

/** Packs the files of the checkout with the build of this run, and a manifest with a repository URL. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tandem-pack-'));
  const source = join(folder, 'source');
  mkdirSync(source);
  for (const name of ['README.md', 'LICENSE', ...MANIFEST.files.filter((file) => file !== 'dist')]) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    cpSync(join(ROOT, name), join(source, name), { recursive: true });
  }
  cpSync(join(inject('installed'), 'dist'), join(source, 'dist'), { recursive: true });
  writeFileSync(join(source, 'package.json'), JSON.stringify(withProject(MANIFEST, ADDRESS)));
  mkdirSync(packed(), { recursive: true });
  const run = promisify(execFile);
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source, env: plainEnvironment() });
  const tarball = join(folder, `${MANIFEST.name}-${MANIFEST.version}.tgz`);
  await run('tar', ['-xzf', tarball, '-C', packed(), '--strip-components=1']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environment without the variables that `npm test` sets. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^VITEST|^NODE_OPTIONS$/i.test(name));
  return { ...Object.fromEntries(own), npm_config_offline: 'true', npm_config_update_notifier: 'false' };
}

test('the links on the packed pages lead to files and headings in the package', () => {
  const pages = readdirSync(packed(), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') || path === 'llms.txt',
  );
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/server.md', 'llms.txt']));
  const dead = pages.flatMap((page) => {
    const text = readFileSync(packed(page), 'utf8').replaceAll(/^(```+)[^]*?^\1/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    return links.filter((link) => !/^[a-z]+:/.test(link) && !isValidLink(page, link)).map((link) => `${page}: ${link}`);
  });
  expect(dead).toEqual([]);
});

function isValidLink(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? packed(page) : packed(dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).has(anchor);
}

/** The anchors that GitHub generates for headings, and explicit ones. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set([...page.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
  const seen = new Map<string, number>();
  for (const [, heading = ''] of page.replaceAll(/^(```+)[^]*?^\1/gm, '').matchAll(/^#{1,6} (.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const id = plain
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    anchors.add(count === 0 ? id : `${id}-${count}`);
  }
  return anchors;
}

test('the package contains no tests and no sources', () => {
  const names = readdirSync(packed(), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /\.test\.|^(?:src|test|scripts)\b/.test(name))).toEqual([]);
});

test('npx runs the command by the name of the package', async () => {
  const { bin } = JSON.parse(readFileSync(packed('package.json'), 'utf8')) as Manifest;
  const modules = join(folder, 'project/node_modules');
  // Like an installation by npm: a link for each command, and the dependencies beside the package.
  mkdirSync(join(modules, '.bin'));
  for (const [name, path] of Object.entries(bin)) symlinkSync(join('../tandem-a2a', path), join(modules, '.bin', name));
  for (const name of ['jose', 'canonicalize'])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
  writeFileSync(join(folder, 'project/package.json'), '{}');
  const options = { cwd: join(folder, 'project'), env: plainEnvironment() };
  const { stdout } = await promisify(execFile)('npx', ['--no-install', MANIFEST.name, '--version'], options);
  expect(stdout.trim()).toContain(MANIFEST.version);
});

test('tandem init of the package creates a project that compiles under strict and whose test passes', async () => {
  const modules = join(folder, 'project/node_modules');
  // Without the registry: the tools of this checkout stand for those that npm would install.
  for (const name of [
    'tsx',
    'typescript',
    '@types',
    'undici-types',
    'esbuild',
    'get-tsconfig',
    'jose',
    'canonicalize',
  ]) {
    const target = join(ROOT, 'node_modules', name);
    if (existsSync(target) && !existsSync(join(modules, name))) symlinkSync(target, join(modules, name), 'junction');
  }
  const run = promisify(execFile);
  const options = { cwd: join(folder, 'project'), env: plainEnvironment() };
  const bin = packed('dist/cli/main.js');
  const made = await run(process.execPath, [bin, 'init', 'my-agent', '--yes', '--name', "Ann's clerk"], options);
  expect(made.stdout.trim().split('\n')).toEqual(
    ['package.json', 'tsconfig.json', 'agent.ts', 'agent.test.ts', '.gitignore'].map((file) => join('my-agent', file)),
  );

  const inside = { ...options, cwd: join(options.cwd, 'my-agent') };
  const { scripts } = JSON.parse(readFileSync(join(inside.cwd, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  expect(scripts['typecheck']).toBe('tsc');
  await run(process.execPath, [join(modules, 'typescript/bin/tsc')], inside);
  const tested = await run('npm', ['test'], inside);
  expect(tested.stdout).toMatch(/^(?:#|ℹ) pass 2$/m);
  const again = await run(process.execPath, [bin, 'init', '--yes'], inside);
  expect([again.stdout, again.stderr]).toEqual([
    '',
    expect.stringContaining('Kept the existing package.json') as string,
  ]);
});

test('the packed manifest contains the repository if its URL is set', () => {
  expect(JSON.parse(readFileSync(packed('package.json'), 'utf8'))).toMatchObject(FACTS);
});

test('the manifest of the checkout follows scripts/project.mjs', () => {
  expect(MANIFEST, 'update it: node scripts/project.mjs').toEqual(withProject(MANIFEST, REPOSITORY));
  const without = withProject({ ...MANIFEST, ...FACTS }, undefined);
  for (const member of Object.keys(FACTS)) expect(without).not.toHaveProperty(member);
});
