/** Calls an agent in many ways; docs/client.md explains them. */
import { A2AError, connect, inspectCard, tryDiscover } from 'tandem-a2a';
import { serve } from 'tandem-a2a/node';
import { memoryStore } from 'tandem-a2a/server';
import { travelClerk } from './clerk.ts';

const server = await serve(travelClerk, { port: 0, store: memoryStore() });
const address = server.url;

// One line
const clerk = await connect(address);
console.log(await clerk.ask('Rome')); // The 9:05 to Rome

// The interface that the client chose
const { version, binding, url, why } = clerk.chosen;
console.log(`${binding} ${version} at ${new URL(url).pathname}: ${why}`);

// Without a socket
await using inProcess = await connect(travelClerk);
console.log(await inProcess.ask('Oslo'));

// More than a text
const reply = await clerk.send({ text: 'Rome', metadata: { seats: 2 } });
console.log(reply.kind, reply.state, reply.text);

// Events of a stream
for await (const event of clerk.stream('Rome')) {
  if (event.type === 'status') console.log(event.state, event.text);
  if (event.type === 'artifact') process.stdout.write(event.text);
}

// A question
const question = await clerk.send('book Rome');
if (question.state === 'input-required') {
  console.log(question.text); // Shall I book the 9:05 to Rome? (yes/no)
  const answer = await clerk.task(question.handle).answer('yes');
  console.log(answer.text); // Booked the 9:05 to Rome.
}

// A question in place of a result
try {
  console.log(await clerk.ask('book Oslo'));
} catch (error) {
  if (!A2AError.is(error, 'INPUT_REQUIRED')) throw error;
  const { handle = '', question: asked = '', questionData = 'null' } = error.details;
  console.log(asked, JSON.parse(questionData)); // Shall I book …? (yes/no) { kind: 'confirm', … }
  console.log((await clerk.task(handle).answer('no')).text); // Nothing booked.
}

// A handle
const started = await clerk.send('Rome', { wait: 'none' });
const note = started.handle ?? ''; // a text: put it into a file, a database, a queue

await using later = await connect(note); // maybe tomorrow, in another process
console.log((await later.task(note).wait()).text);

const { transitions, truncated } = await later.task(note).transitions();
for (const { state, timestamp } of transitions) console.log(timestamp, state);
if (truncated) console.log('Earlier state changes are not known');

// Errors
try {
  await clerk.ask('fly to Rome', { timeoutMs: 30_000 });
} catch (error) {
  if (A2AError.is(error, 'TASK_FAILED')) console.log('The clerk could not do it');
  else if (A2AError.is(error, 'TIMEOUT')) console.log('Not done yet. Continue with', error.details['handle']);
  else throw error;
}

// Credentials
await using known = await connect(address, {
  auth: ({ refresh }) => (refresh ? newToken() : currentToken()), // `refresh` after a 401, once
});
console.log(await known.ask('Paris'));

// Timeouts
const signal = AbortSignal.timeout(30_000);
await using withTimeout = await connect(address, { signal });
console.log(await withTimeout.ask('Rome', { signal }));

// A signed card
const publicKey = { kty: 'OKP', crv: 'Ed25519', kid: '2026-01', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const verifyCard = { keys: { keys: [publicKey] } }; // a JWK set with the keys that you trust
await connect(address, { verifyCard }).catch((error: Error) => console.log(error.message)); // it has no signature

// Discovery
console.log(await tryDiscover('http://localhost:1')); // null: no agent there
for (const { path, problem, fix } of (await inspectCard({ name: 'Clerk' })).problems.slice(0, 1)) {
  console.log(`${path}: ${problem}. ${fix}`);
}

await clerk.close();
await server.close();

function currentToken(): string {
  return 'token-1';
}

async function newToken(): Promise<string> {
  return 'token-2';
}
