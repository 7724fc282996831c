/** Serves the agent and calls its skills with the types that they have. */
import { A2AError, connect } from 'tandem-a2a';
import { serve } from 'tandem-a2a/node';
import { memoryStore } from 'tandem-a2a/server';
import { type book, clerk, type quote } from './agent.ts';

const server = await serve(clerk, { port: 0, store: memoryStore() });
const client = await connect(server.url);
try {
  const { data } = await client.skill<typeof quote>('quote').call({ city: 'Rome', seats: 2 });
  console.log(data.price); // 240

  const booked = await client
    .skill<typeof book>('book')
    .call(
      { city: 'Oslo' },
      { onQuestion: (question) => (question.kind === 'choose' ? question.options[0]?.id : undefined) },
    );
  console.log(booked.text); // Booked a window seat to Oslo.

  await client.skill('quote').call({ city: '', seats: 0 }); // throws
} catch (error) {
  if (!A2AError.is(error, 'INVALID_PARAMS')) throw error;
  for (const { field, description } of error.violations) console.log(`${field}: ${description}`);
} finally {
  await client.close();
  await server.close();
}
