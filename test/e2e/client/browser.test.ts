/** The main entry, bundled for a browser and run without the globals of Node. */
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';

import { build, stop } from 'esbuild';
import { expect, test } from 'vitest';

import type * as entry from '../../../src/index.ts';
import { startServer } from '../kit/server.ts';

const SOURCE = fileURLToPath(new URL('../../../src/index.ts', import.meta.url));

async function bundle(): Promise<{ readonly text: string; readonly imports: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'tandem',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  await stop();
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  return { text: outputFiles[0]?.text ?? '', imports };
}

/** The globals of browsers that the client uses. */
const BROWSER_GLOBALS =
  'AbortController DOMException Headers ReadableStream Request Response TextDecoder TextEncoder URL URLSearchParams ' +
  'atob btoa clearTimeout crypto fetch queueMicrotask setTimeout ' +
  // A new realm has its own; `fetch` returns objects of the outer realm.
  'Error Uint8Array';

function browserGlobals(): Record<string, unknown> {
  const known = globalThis as unknown as Record<string, unknown>;
  return { document: {}, ...Object.fromEntries(BROWSER_GLOBALS.split(' ').map((name) => [name, known[name]])) };
}

test('the browser bundle imports no module of Node, and can call an agent', async () => {
  const { text, imports } = await bundle();
  expect(imports.filter((path) => path.startsWith('node:'))).toEqual([]);

  const context = browserGlobals();
  runInNewContext(`${text}\nglobalThis.tandem = tandem;`, context);
  const { connect, A2AError } = context['tandem'] as typeof entry;
  const { url } = await startServer();
  const agent = await connect(url);
  expect(await agent.ask('hello')).toBe('hello');
  const types: string[] = [];
  for await (const event of agent.stream('story')) types.push(event.type);
  expect(types).toEqual(['task', 'status', 'artifact', 'artifact', 'artifact', 'status', 'status']);
  const error: unknown = await agent.get('unknown').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(A2AError);
  expect(error).toMatchObject({ code: 'TASK_NOT_FOUND' });
  await agent.close();
}, 30_000);
