/** Runs the worker in a runtime for workers, with a task that takes longer than the time limit of its requests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createHandler, EdgeRuntime } from 'edge-runtime';
import { build } from 'rolldown';
import { connect } from 'tandem-a2a';

const { output } = await build({
  input: fileURLToPath(new URL('worker.ts', import.meta.url)),
  platform: 'browser',
  output: { format: 'iife', codeSplitting: false },
  write: false,
});

const http = createServer().listen(Number(process.env['PORT'] ?? 4100), '127.0.0.1');
await once(http, 'listening');
const settings = {
  AGENT_URL: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
  AGENT_SECRET: crypto.randomUUID(),
};
const runtime = new EdgeRuntime({
  initialCode: output[0].code,
  extend: (context) => Object.assign(context, settings),
});
const { handler } = createHandler({ runtime });
const paths: string[] = [];
http.on('request', (request, response) => {
  if (request.method === 'POST') paths.push(`POST ${request.url}`);
  void handler(request, response);
});

const client = await connect(settings.AGENT_URL);
const accepted = await client.send('one two three four', { wait: 'none' });
console.log(accepted.state);
const done = await client.task(accepted.handle ?? '').wait();
console.log(done.state, done.text);
console.log(paths.filter((path) => path.includes('/_tandem/')));
process.exit(); // the runtime does not exit by itself
