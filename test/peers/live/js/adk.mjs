/** Google ADK for JavaScript: an agent that calls a remote agent, and an agent that is served. */
import { BaseAgent, createEvent, InMemoryRunner, RemoteA2AAgent, toA2a } from '@google/adk';
import express from 'express';

import { serveCalls } from './calls.mjs';

/** Session → its runner. */
const runners = new Map();

/** Repeats the text of the message. */
class Echo extends BaseAgent {
  async *runAsyncImpl({ invocationId, userContent }) {
    const text = userContent.parts.map((part) => part.text ?? '').join('');
    yield createEvent({
      invocationId,
      author: this.name,
      content: { role: 'model', parts: [{ text: `You said: ${text}` }] },
    });
  }
}

serveCalls({
  /** Opens a session whose only agent is the remote one. */
  async open({ url }) {
    const agent = new RemoteA2AAgent({ name: 'remote', agentCard: url });
    const runner = new InMemoryRunner({ agent, appName: 'live' });
    const session = await runner.sessionService.createSession({ appName: 'live', userId: 'ann' });
    runners.set(session.id, runner);
    return session.id;
  },
  /** Runs one turn. Yields the texts of the events as they come. */
  async *run({ session, text }) {
    const newMessage = { role: 'user', parts: [{ text }] };
    for await (const event of runners.get(session).runAsync({ userId: 'ann', sessionId: session, newMessage })) {
      if (event.errorMessage) throw new Error(event.errorMessage);
      yield { texts: textsOf(event), partial: event.partial === true };
    }
  },
  /** The stored events of the session that have texts: author and texts of each. */
  async stored({ session }) {
    const { events } = await runners.get(session).sessionService.getSession({
      appName: 'live',
      userId: 'ann',
      sessionId: session,
    });
    return events.map((event) => [event.author, ...textsOf(event)]).filter((texts) => texts.length > 1);
  },
  /** Serves the echo on a free port. */
  async serve() {
    const app = express();
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address();
    await toA2a(new Echo({ name: 'echo', description: 'Says what it was told.' }), {
      app,
      host: '127.0.0.1',
      port,
      allowUnauthenticated: true,
    });
    return `http://127.0.0.1:${port}`;
  },
});

function textsOf({ content }) {
  return (content?.parts ?? []).flatMap(({ text }) => (text ? [text] : []));
}
