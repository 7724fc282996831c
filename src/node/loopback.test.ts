import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { agent } from '../agent/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import { serve } from './serve.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
const PUBLIC = 'https://agent.example.com/mail';

function statusOf(port: number, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: '/healthz', agent: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
}

test.each<[string, object, Record<string, string>, number]>([
  ['accepts its public name', { publicUrl: PUBLIC }, { host: 'agent.example.com' }, 200],
  ['rejects another name', { publicUrl: PUBLIC }, { host: 'evil.example' }, 421],
  ['ignores X-Forwarded-Host without trustProxy', {}, { host: 'evil.example', 'x-forwarded-host': 'localhost' }, 421],
  ['rejects another name behind a proxy', { publicUrl: PUBLIC, trustProxy: true }, { host: 'evil.example' }, 421],
  [
    'accepts its public name behind a proxy',
    { publicUrl: PUBLIC, trustProxy: true },
    { host: 'Agent.Example.com:443' },
    200,
  ],
  [
    'accepts its public name in X-Forwarded-Host',
    { publicUrl: PUBLIC, trustProxy: true },
    { host: 'upstream:4100', 'x-forwarded-host': 'agent.example.com, inner.example' },
    200,
  ],
  [
    'rejects another name in X-Forwarded-Host',
    { publicUrl: PUBLIC, trustProxy: true },
    { host: 'agent.example.com', 'x-forwarded-host': 'evil.example' },
    421,
  ],
  [
    'rejects localhost in X-Forwarded-Host',
    { publicUrl: PUBLIC, trustProxy: true },
    { host: 'evil.example', 'x-forwarded-host': 'localhost' },
    421,
  ],
  ['accepts localhost behind a proxy', { publicUrl: PUBLIC, trustProxy: true }, { host: 'localhost:4100' }, 200],
  [
    'rejects an empty X-Forwarded-Host',
    { publicUrl: PUBLIC, trustProxy: true },
    { host: 'evil.example', 'x-forwarded-host': '' },
    421,
  ],
  ['accepts any name behind a proxy without publicUrl', { trustProxy: true }, { host: 'any.example' }, 200],
])('a server on a loopback address %s', async (_what, options, headers, status) => {
  const server = await serve(ECHO, { port: 0, store: memoryStore(), log: silentLog, insecurePublic: true, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));

  expect(await statusOf(server.port, headers)).toBe(status);
});
