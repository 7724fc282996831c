/** The allowed imports between layers: one table, checked in the source and in the lint rules. */
import { importsOf, isTestFile, resolveImport } from '../helpers/source.ts';
import type { Sources } from '../helpers/source.ts';

const BASE = ['model', 'errors.ts', 'support', 'observe'];
const DIALECTS = ['wire/v1', 'wire/v03', 'wire/v02', 'wire/v01', 'wire/profiles'];
const WIRE = [...BASE, 'wire', 'wire/select.ts', 'wire/client-dialect.ts'];
/** The files of the store port. */
const PORT = [
  'store/call.ts',
  'store/claims.ts',
  'store/event.ts',
  'store/push.ts',
  'store/task.ts',
  'store/tokens.ts',
];
/** The engine, with its port for calls to other hosts. */
const ENGINE = ['engine', 'engine/calls/peers.ts'];
const HOST = [...WIRE, 'store', 'store/store.ts', ...PORT, ...ENGINE, 'push', 'peers', 'agent', 'agent/in-process.ts'];
const SERVER = [...HOST, 'host'];

/**
 * A folder or file below `src/` → the layers that it may import besides itself. A file belongs to its longest key, so `wire` means
 * the files of `wire/` without its dialects and the files that import them: `select.ts` all, `client-dialect.ts` that of 1.0.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  model: BASE,
  'errors.ts': BASE,
  support: BASE,
  observe: BASE,

  wire: [...BASE, 'wire/select.ts', 'wire/client-dialect.ts'],
  'wire/v1': [...BASE, 'wire'],
  'wire/v03': [...BASE, 'wire'],
  // The older dialects are defined by their differences from 0.3.
  'wire/v02': [...BASE, 'wire', 'wire/v03'],
  'wire/v01': [...BASE, 'wire', 'wire/v03'],
  'wire/profiles': [...BASE, 'wire'],
  'wire/select.ts': [...BASE, 'wire', ...DIALECTS],
  // It loads versions before 1.0 late, through `select.ts`.
  'wire/client-dialect.ts': [...BASE, 'wire', 'wire/v1', 'wire/select.ts'],

  client: WIRE,
  'index.ts': [...WIRE, 'client'],
  // The receiver of push notifications uses the client and the signatures of `push`.
  webhooks: [...WIRE, 'client', 'push'],

  'store/call.ts': BASE,
  'store/claims.ts': BASE,
  'store/event.ts': BASE,
  'store/push.ts': BASE,
  'store/task.ts': [...BASE, 'store/call.ts', 'store/event.ts', 'store/push.ts'],
  'store/tokens.ts': BASE,
  'store/store.ts': [...BASE, ...PORT],
  store: [...BASE, 'store/store.ts', ...PORT],
  // Only the port, so that the engine works with every store.
  engine: [...BASE, 'store/store.ts', 'engine/calls/peers.ts'],
  'engine/calls/peers.ts': [...BASE, 'store/store.ts', 'engine'],
  push: WIRE,
  // Calls to other hosts: the client as the engine's port.
  peers: [...WIRE, 'client', 'engine/calls/peers.ts'],
  agent: [...BASE, ...ENGINE, 'agent/in-process.ts'],
  // Loads the server late, for `connect(agent)`.
  'agent/in-process.ts': [...SERVER, 'agent', 'server'],
  host: HOST,
  server: SERVER,
  node: [...SERVER, 'server'],
  grpc: [...SERVER, 'server'],
  console: [...SERVER, 'server'],
  // Adapters use public entries, and `support`.
  'ai-sdk': [...BASE, 'index.ts', 'server'],
  testing: [...SERVER, 'server', 'node', 'grpc', 'console', 'client', 'webhooks'],
  cli: [...SERVER, 'server', 'node', 'grpc', 'console', 'client', 'webhooks'],
};

/** The layers that may import `node:` modules and paths that are known only at run time. */
const NODE_ONLY: readonly string[] = ['node', 'grpc', 'cli', 'testing', 'store/sqlite', 'store/postgres'];

/** The key of LAYERS that a path from the root belongs to. */
function layerOf(path: string): string | undefined {
  const below = path.replace(/^src\//, '');
  const keys = Object.keys(LAYERS).filter((key) => below === key || below.startsWith(`${key}/`));
  return keys.sort((a, b) => b.length - a.length)[0];
}

export function isNodeOnly(path: string): boolean {
  return NODE_ONLY.some((folder) => path.startsWith(`src/${folder}/`));
}

export function mayImport(from: string, to: string): boolean {
  return from === to || (LAYERS[from] ?? []).includes(to);
}

/** A sentence for each import that the table forbids. Tests may import anything. */
export function layerViolations(sources: Sources): readonly string[] {
  return [...sources].filter(([path]) => !isTestFile(path)).flatMap(([path, text]) => fileViolations(path, text));
}

function fileViolations(path: string, text: string): readonly string[] {
  const from = layerOf(path);
  if (from === undefined) return [`${path} is in no layer: give its folder a line in LAYERS`];
  return importsOf(path, text).flatMap(({ specifier, line }) => {
    const why = violationOf(path, from, specifier);
    return why === undefined ? [] : [`${path}:${line} ${why}`];
  });
}

function violationOf(path: string, from: string, specifier: string | undefined): string | undefined {
  if (specifier === undefined) {
    return isNodeOnly(path) ? undefined : 'imports a computed path, which cannot be checked';
  }
  if (specifier.startsWith('node:')) {
    return isNodeOnly(path) ? undefined : `imports ${specifier}, but runs in any runtime`;
  }
  const target = resolveImport(path, specifier);
  if (target === undefined) return undefined;
  const to = target.startsWith('src/') ? layerOf(target) : undefined;
  if (to === undefined) return `imports ${target}, which is in no layer`;
  return mayImport(from, to) ? undefined : `imports ${target}: ${from} may not import ${to}`;
}
