import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Agent } from '../../agent/agent.ts';
import { isAgent } from '../../server/options/handler-options.ts';
import { CliError } from '../cli-error.ts';

const EXTENSIONS = ['.js', '.mjs', '.ts', '.mts'];

/** Loads the agent that a file exports. @throws CliError that explains what to change. */
export async function loadAgent(file: string): Promise<Agent> {
  const path = resolve(file);
  if (!existsSync(path)) throw new CliError('usage', `File ${file} does not exist`);
  if (!EXTENSIONS.includes(extname(path))) {
    throw new CliError('usage', `${file} cannot be loaded: the file name must end in ${EXTENSIONS.join(', ')}`);
  }
  if (path.endsWith('ts')) await ensureTypeScript(file, path);
  return agentOf(file, await load(file, path));
}

async function load(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === 'ERR_UNKNOWN_FILE_EXTENSION') throw needsTsx(file);
    if (isModuleInCommonJs(error)) {
      const message = `${file} is an ES module, but its package.json does not have "type": "module"`;
      throw new CliError('usage', message, { hint: 'To add it: npm pkg set type=module', cause: error });
    }
    throw new CliError('failure', `${file} cannot be loaded: ${inspect(error)}`, { cause: error });
  }
}

/** Whether Node or tsx took a file of the user for CommonJS. A file of a package is the fault of that package. */
function isModuleInCommonJs(error: unknown): boolean {
  if (!(error instanceof Error) || error.stack?.split('\n', 1)[0]?.includes('node_modules') === true) return false;
  return /Cannot use import statement outside a module|Top-level await .* with the "cjs" output format/.test(
    error.message,
  );
}

/** The default export if it is an agent, otherwise the only agent among the named exports. */
function agentOf(file: string, loaded: Readonly<Record<string, unknown>>): Agent {
  const byDefault = loaded['default'];
  if (isAgent(byDefault)) return byDefault;
  // A file compiled to CommonJS has all its exports in the default export.
  const names =
    typeof byDefault === 'object' && byDefault !== null && '__esModule' in byDefault
      ? (byDefault as Readonly<Record<string, unknown>>)
      : loaded;
  if (isAgent(names['default'])) return names['default'];
  const agents = Object.entries(names).filter((entry): entry is [string, Agent] => isAgent(entry[1]));
  const [first, second] = agents;
  if (first === undefined) {
    throw new CliError('usage', `${file} does not export an agent: add a line such as export default agent({ … })`);
  }
  if (second === undefined) return first[1];
  const list = agents.map(([name]) => name).join(', ');
  throw new CliError('usage', `${file} exports several agents (${list}): make one of them the default export`);
}

/** Newer versions of Node run TypeScript without help. Older versions need tsx, which the user must have installed. */
async function ensureTypeScript(file: string, path: string): Promise<void> {
  const { typescript } = process.features as { readonly typescript?: unknown };
  // This file is TypeScript, so a loader is already active.
  if (Boolean(typescript) || import.meta.url.endsWith('.ts')) return;
  const loader = [path, join(process.cwd(), 'any.js')].map(tsxNear).find((found) => found !== undefined);
  if (loader === undefined) throw needsTsx(file);
  await import(pathToFileURL(loader).href);
}

function tsxNear(path: string): string | undefined {
  try {
    return createRequire(path).resolve('tsx');
  } catch {
    return undefined;
  }
}

function needsTsx(file: string): CliError {
  return new CliError('usage', `${file} is TypeScript, which needs Node 22.18 or newer, or tsx: npm install tsx`);
}
