/**
 * Installs the peers of `test/peers/live`: npm, Python and Go packages, pinned by the lock files there. Only changed
 * ones are installed again. Shared by `npm run test:peers` and `npm run test:long`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const live = fileURLToPath(new URL('../test/peers/live', import.meta.url));
const cache = join(live, '.cache');

/** Peers in JavaScript: name of the test file → program. */
const JS = {
  'js/adk': 'js/adk.mjs',
  'js/ai-provider': 'js/ai-provider.mjs',
  'js/aimock': 'js/aimock.mjs',
  'js/mastra': 'js/mastra.mjs',
};
/** Peers in Python, each with its own environment, because a process can load only one a2a-sdk. */
const PYTHON = {
  'python/sdk-1': { program: 'python/sdk_1.py', requirements: 'python/sdk-1.txt', packages: 'a2a-sdk 1.3' },
  'python/sdk-0.3': { program: 'python/sdk_03.py', requirements: 'python/sdk-0.3.txt', packages: 'a2a-sdk 0.3' },
  'python/adk': { program: 'python/adk.py', requirements: 'python/adk.txt', packages: 'google-adk 2.13' },
  'python/selectools': {
    program: 'python/selectools_peer.py',
    requirements: 'python/selectools.txt',
    packages: 'selectools 1.3',
  },
};
const GO = 'go/sdk-2';
/** Unpacked without its dependencies, one of which is missing from the registry. Its client needs only `jose`. */
const AGENT_NATIVE = {
  spec: '@agent-native/core@0.133.3',
  integrity: 'sha512-eG3KyEFsrqULQe92kARZGnDSphqBG2FWyI6Sk36WhbW/zwlkxD869U4P9gd4jr763GMep3zoi7VBkTm99tDSqQ==',
};

/**
 * @typedef {object} Prepared
 * @property {Record<string, string[]>} commands Name of a peer → the command that starts its program.
 * @property {string[]} notices One for each group of peers that cannot run here: which, why, and what to install.
 */

/** Installs missing peers and prints their names. */
export function prepareLivePeers() {
  /** @type {Prepared} */
  const prepared = { commands: {}, notices: [] };
  for (const folder of ['.', 'frameworks']) installPackages(folder);
  for (const [name, program] of Object.entries(JS)) prepared.commands[name] = [process.execPath, program];
  prepareAgentNative(prepared);
  preparePython(prepared);
  prepareGo(prepared);
  return prepared;
}

/** How vitest runs their tests. @param {Prepared} prepared */
export function livePeersRun({ commands }) {
  return {
    args: ['--config', 'test/peers/live/vitest.config.ts'],
    env: { TANDEM_LIVE_PEERS: JSON.stringify(commands) },
  };
}

/** @param {string} folder Relative to `test/peers/live`. */
function installPackages(folder) {
  const stamp = join(live, folder, 'node_modules', '.tandem-lock');
  const lock = hashOf(join(folder, 'package-lock.json'));
  if (isCurrent(stamp, lock)) return;
  printStep(`Installing the packages of npm in ${join('test/peers/live', folder)}`);
  // No package needs its install scripts here.
  run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, lock);
}

/** @param {Prepared} prepared */
function prepareAgentNative({ commands, notices }) {
  const { spec, integrity } = AGENT_NATIVE;
  const folder = join(live, 'node_modules', '@agent-native', 'core');
  const stamp = join(folder, '.tandem-lock');
  try {
    if (!isCurrent(stamp, integrity)) {
      printStep(`Unpacking ${spec}`);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const archive = join(folder, outputOf('npm', ['pack', spec, '--silent', '--pack-destination', folder]));
      const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
      if (found !== integrity) throw new Error(`its integrity is ${found} instead of ${integrity}`);
      run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
      rmSync(archive);
      writeFileSync(stamp, integrity);
    }
    commands['js/agent-native'] = [process.execPath, 'js/agent-native.mjs'];
  } catch (error) {
    notices.push(`${spec} did not run: ${reasonOf(error)}.`);
  }
}

/** @param {Prepared} prepared */
function preparePython({ commands, notices }) {
  const version = versionOf('python3', ['-c', 'import platform; print(platform.python_version())']);
  if (version === undefined) {
    const packages = Object.values(PYTHON).map((peer) => peer.packages);
    notices.push(
      `Peers in Python did not run (${packages.join(', ')}): install python3, 3.10 or later, with venv and pip.`,
    );
    return;
  }
  for (const [name, { program, requirements, packages }] of Object.entries(PYTHON)) {
    const environment = join(cache, name);
    const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    const stamp = join(environment, '.tandem-lock');
    const lock = `${version} ${hashOf(requirements)}`;
    try {
      if (!isCurrent(stamp, lock)) {
        printStep(`Installing ${packages} for Python ${version}`);
        rmSync(environment, { recursive: true, force: true });
        run('python3', ['-m', 'venv', environment]);
        run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
        writeFileSync(stamp, lock);
      }
      commands[name] = [python, program];
    } catch (error) {
      notices.push(
        `${packages} did not run: Python ${version} could not install ${requirements} (${reasonOf(error)}).`,
      );
    }
  }
}

/** @param {Prepared} prepared */
function prepareGo({ commands, notices }) {
  if (versionOf('go', ['version']) === undefined) {
    notices.push('Peers in Go did not run (a2a-go 2.4): install go, 1.25 or later.');
    return;
  }
  const binary = join(cache, 'go', process.platform === 'win32' ? 'sdk-2.exe' : 'sdk-2');
  try {
    mkdirSync(join(cache, 'go'), { recursive: true });
    // Go rebuilds only changed packages.
    run('go', ['build', '-C', 'go', '-mod=readonly', '-o', binary, '.']);
    commands[GO] = [binary];
  } catch (error) {
    notices.push(`a2a-go 2.4 did not run: go could not build test/peers/live/go (${reasonOf(error)}).`);
  }
}

/** @param {string} command @param {string[]} args @returns {string | undefined} */
function versionOf(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const shell = process.platform === 'win32' && command === 'npm';
  execFileSync(command, args, { cwd: live, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], shell });
}

/**
 * Returns the stdout of a command.
 *
 * @param {string} command
 * @param {string[]} args
 */
function outputOf(command, args) {
  const shell = process.platform === 'win32';
  return execFileSync(command, args, { cwd: live, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell }).trim();
}

/** The last line that the command wrote to stderr. */
function reasonOf(/** @type {unknown} */ error) {
  const { stderr, message } = /** @type {{ stderr?: string, message: string }} */ (error);
  return (stderr ?? '').trim().split('\n').at(-1) || message;
}

/** @param {string} stamp @param {string} lock */
function isCurrent(stamp, lock) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
}

function hashOf(/** @type {string} */ file) {
  return createHash('sha256')
    .update(readFileSync(join(live, file)))
    .digest('hex');
}

function printStep(/** @type {string} */ text) {
  process.stdout.write(`==> ${text}\n`);
}
