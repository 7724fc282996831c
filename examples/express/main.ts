/** An agent in an Express application. Arguments: the SQLite file, and `once` to exit after one request. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { toExpress } from 'tandem-a2a/node';
import { agent, createHandler } from 'tandem-a2a/server';
import { sqlite } from 'tandem-a2a/sqlite';

const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: ({ text }) => `You wrote: ${text}` });

const [, , file = 'tasks.db', once] = process.argv;
const store = sqlite(file);
const handler = createHandler(echo, { store });
const app = express();
app.use(express.json()); // the agent works before and after body parsers
app.use('/agent', toExpress(handler));
app.get('/', (_request, response) => void response.send('The agent is at /agent.'));

const server = app.listen(once === undefined ? 3000 : 0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;
const card = await fetch(`http://127.0.0.1:${port}/agent/.well-known/agent-card.json`);
console.log(await card.json()); // { name: 'Echo', …, supportedInterfaces: [ { url: 'http://…/agent/a2a', … }, … ] }

if (once !== undefined) {
  server.close().closeAllConnections();
  await handler.close();
  await store.close();
}
