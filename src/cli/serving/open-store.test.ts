import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { silentLog } from '../../observe/log.ts';
import { CliError } from '../cli-error.ts';
import { openStore } from './open-store.ts';

/** A PostgreSQL server that rejects every connection with an error. */
async function rejectingDatabase(code: string, message: string): Promise<AsyncDisposable & { readonly url: string }> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://agents@127.0.0.1:${port}/agents`,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close');
    },
  };
}

test.each([
  ['57P03', 'the database system is starting up'],
  ['53300', 'sorry, too many clients already'],
])(
  'a PostgreSQL server that rejects connections for now (%s) does not keep a store from opening',
  async (code, message) => {
    await using database = await rejectingDatabase(code, message);

    const store = await openStore(database.url, silentLog);

    await store.close();
  },
);

test('a PostgreSQL server without the database keeps a store from opening', async () => {
  await using database = await rejectingDatabase('3D000', 'database "agents" does not exist');

  const opening = openStore(database.url, silentLog);

  await expect(opening).rejects.toThrow(CliError);
  await expect(opening).rejects.toThrow(/does not exist/);
});
