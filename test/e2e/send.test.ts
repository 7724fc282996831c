/** What a message to an agent comes to (1.0 §3.1.1, §3.2.2). */
import { describe, expect, test } from 'vitest';

import { agent } from '../../src/server/agent/agent.ts';
import { verifies } from '../helpers/verifies.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { getTask, holdTask, nextOf, sendTask, streamEvents } from './kit/talk.ts';
import { NEWEST, RPC_01, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';

describe('the answer', () => {
  test.each(VOICES)(verifies(['S-01', 'S-11'], '$name: is a task, with its results as artifacts'), async (voice) => {
    const server = await startServer();

    const sent = voice.sent(await server.ask(voice.send({ text: 'hello' })));

    expect(sent).toEqual({
      task: expect.objectContaining({ state: 'completed', says: undefined, artifacts: { echo: 'hello' } }),
    });
  });

  test.each(SINCE_02)(verifies('S-01', '$name: is a message where the agent replies with one'), async (voice) => {
    const server = await startServer();

    const sent = voice.sent(await server.ask(voice.send({ text: 'reply good day' })));

    expect(sent).toEqual({ message: expect.objectContaining({ role: 'agent', text: 'good day', taskId: undefined }) });
  });

  test(verifies('S-01', '0.1, which has no bare messages, gets a task that says it'), async () => {
    const server = await startServer();

    const task = await sendTask(server, RPC_01, { text: 'reply good day', taskId: 'mine' });

    expect(task).toMatchObject({ id: 'mine', state: 'completed', says: 'good day' });
  });

  test.each(VOICES)(verifies('S-01', '$name: is a task too when the agent declines or fails'), async (voice) => {
    const server = await startServer();

    const rejected = await sendTask(server, voice, { text: 'reject not today' });
    const failed = await sendTask(server, voice, { text: 'fail' });

    // 0.1 has no word for it.
    expect(rejected).toMatchObject({ state: voice.version === '0.1' ? 'failed' : 'rejected', says: 'not today' });
    expect(failed.state).toBe('failed');
    expect(JSON.stringify(failed)).not.toMatch(/shadow|password/);
  });
});

describe('waiting', () => {
  test.each(VOICES)(verifies(['S-02', 'S-03'], '$name: lasts to the end, and brings all of it'), async (voice) => {
    const server = await startServer();

    const answer = sendTask(server, voice, { text: 'hold all' });
    server.release();

    expect(await answer).toMatchObject({ state: 'completed', artifacts: { held: 'all' } });
  });

  test.each(VOICES)(verifies('S-03', '$name: every artifact is in the answer, whole'), async (voice) => {
    const server = await startServer();

    const task = await sendTask(server, voice, { text: 'story' });

    expect(task.artifacts).toEqual({ poem: 'Roses are red', notes: 'Mind the thorns' });
    expect(await getTask(server, voice, task.id)).toMatchObject({ state: task.state, artifacts: task.artifacts });
  });

  test.each(VOICES)(verifies('S-02', '$name: ends where the agent asks something'), async (voice) => {
    const server = await startServer();

    const asked = await sendTask(server, voice, { text: 'ask' });
    const answered = await sendTask(server, voice, { text: 'Paris', taskId: asked.id });

    expect(asked).toMatchObject({ state: 'input-required', says: 'Which city?' });
    expect(answered).toMatchObject({ id: asked.id, state: 'completed', artifacts: { trip: 'Off to Paris' } });
  });

  test.each(NEWEST)(verifies('S-02', '$name: ends where the agent needs a login'), async (voice) => {
    const server = await startServer();

    const task = await sendTask(server, voice, { text: 'authorize' });

    expect(task).toMatchObject({ state: 'auth-required', says: 'Please log in' });
  });

  test.each(SINCE_02)(verifies('S-04', '$name: is not done for who wants the task at once'), async (voice) => {
    const server = await startServer();

    const task = await sendTask(server, voice, { text: 'hold on', returnImmediately: true });

    expect(['submitted', 'working']).toContain(task.state);
    expect(task.artifacts).toBeUndefined();
    server.release();
  });

  test.each(SINCE_02)(
    '$name: who wants it at once gets what would have been a message with the task',
    async (voice) => {
      const server = await startServer();

      const { id } = await sendTask(server, voice, { text: 'reply hi', returnImmediately: true });
      // Lasts to the end of the task, if that is not there already.
      await server.ask(voice.subscribe(id));

      // The task was made public, so the reply is the last word in it.
      expect(await getTask(server, voice, id)).toMatchObject({ state: 'completed', says: 'hi', artifacts: undefined });
    },
  );

  test.each(SINCE_02)(
    verifies('S-05', '$name: who wants it at once still gets the whole of a stream'),
    async (voice) => {
      const server = await startServer();

      const events = await streamEvents(server, voice, { text: 'story', returnImmediately: true });

      expect(events.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
    },
  );
});

describe('a message to a task', () => {
  test.each(VOICES)(verifies('S-06', '$name: that is over is refused'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'hello' });

    const refused = voice.error(await server.ask(voice.send({ text: 'more', taskId: id })));
    const streamed = voice.error(await server.ask(voice.stream({ text: 'more', taskId: id })));

    // 0.1 had a number of its own for it.
    const code = voice.version === '0.1' ? -32009 : -32004;
    for (const error of [refused, streamed]) {
      expect(error).toMatchObject({
        reason: 'UNSUPPORTED_OPERATION',
        status: voice.binding === 'REST' ? 400 : 200,
        code: voice === NEWEST[1] ? undefined : code,
      });
      expect(error.message).toContain(id);
    }
    expect(server.runs()).toBe(1);
  });

  test.each(SINCE_02)(verifies('S-07', '$name: that nobody knows is refused'), async (voice) => {
    const server = await startServer();

    const refused = voice.error(await server.ask(voice.send({ text: 'hello', taskId: 'no-such-task' })));
    const streamed = voice.error(await server.ask(voice.stream({ text: 'hello', taskId: 'no-such-task' })));

    for (const error of [refused, streamed]) {
      expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', status: voice.binding === 'REST' ? 404 : 200 });
    }
    expect(server.runs()).toBe(0);
  });

  test.each(VOICES)('$name: that works goes into its history, and starts no second run', async (voice) => {
    const server = await startServer();
    const { id } = await holdTask(server, voice);

    const second = await server.open(voice.stream({ text: 'one more thing', taskId: id, historyLength: 9 }));
    await nextOf(second, voice);
    const { history } = await getTask(server, voice, id, 9);
    server.release();
    await second.rest();

    expect(history).toEqual(expect.arrayContaining(['user: hold on', 'user: one more thing']));
    expect(server.runs()).toBe(1);
  });
});

describe('content', () => {
  const PICTURE = {
    '1.0': { raw: 'iVBORw==', mediaType: 'image/png' },
    '0.3': { kind: 'file', file: { bytes: 'iVBORw==', mimeType: 'image/png' } },
    '0.3 REST': { file: { fileWithBytes: 'iVBORw==', mimeType: 'image/png' } },
    '0.2': { kind: 'file', file: { bytes: 'iVBORw==', mimeType: 'image/png' } },
    '0.1': { type: 'file', file: { bytes: 'iVBORw==', mimeType: 'image/png' } },
  };

  test.each(VOICES)(
    verifies(['S-08', 'E-16'], '$name: of a type that the agent does not declare is rejected before the work'),
    async (voice) => {
      const server = await startServer({ agent: { inputModes: ['text/plain', 'application/json'] } });
      const picture = PICTURE[voice.name === '0.3 REST' ? '0.3 REST' : voice.version];

      const error = voice.error(await server.ask(voice.send({ parts: [picture] })));

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED', fields: ['message.parts[0].mediaType'] });
      expect(error.status).toBe(voice.name === '1.0 REST' ? 400 : voice.binding === 'REST' ? 415 : 200);
      expect(error.message).toContain('text/plain, application/json');
      expect(server.runs()).toBe(0);
    },
  );

  test.each(VOICES)(
    verifies('S-08', '$name: of a type that the agent declares is accepted, and every type if it declares none'),
    async (voice) => {
      const picture = PICTURE[voice.name === '0.3 REST' ? '0.3 REST' : voice.version];
      for (const options of [{ agent: { inputModes: ['image/*'] } }, {}]) {
        const server = await startServer(options);
        expect((await sendTask(server, voice, { parts: [picture] })).state).toBe('completed');
      }
    },
  );

  describe.each(VOICES)('$name: a message that names a skill', (voice) => {
    const picture = PICTURE[voice.name === '0.3 REST' ? '0.3 REST' : voice.version];
    const skills = [
      { id: 'ocr', name: 'OCR', description: 'Reads pictures.', inputModes: ['image/*'], outputModes: ['text/html'] },
      { id: 'chat', name: 'Chat', description: 'Talks.' },
    ];
    const named = (skillId: string) => ({ metadata: { skillId } });

    test('is held to the types that the skill declares', async () => {
      const server = await startServer({ agent: { skills } });

      const error = voice.error(await server.ask(voice.send({ text: 'hello', ...named('ocr') })));
      const ocr = await sendTask(server, voice, { parts: [picture], ...named('ocr') });
      const unnamed = await sendTask(server, voice, { text: 'hello' });

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED', fields: ['message.parts[0].mediaType'] });
      expect(error.message).toContain('expected image/* for skill "ocr"; it is "text/plain"');
      expect([ocr.state, unnamed.state]).toEqual(['completed', 'completed']);
      expect(server.runs()).toBe(2);
    });

    test('is held to the types of the agent if the skill declares none', async () => {
      const server = await startServer({ agent: { skills, inputModes: ['text/plain'] } });

      const error = voice.error(await server.ask(voice.send({ parts: [picture], ...named('chat') })));
      const unnamed = await sendTask(server, voice, { parts: [picture] });

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
      expect(error.message).toContain('expected text/plain for skill "chat"');
      expect(unnamed.state).toBe('completed');
    });
  });

  test('of an answer to a question may have any type that the agent accepts, whatever skill the task is for', async () => {
    const skills = [{ id: 'ocr', name: 'OCR', description: 'Reads pictures.', inputModes: ['image/*'] }];
    const ocr = agent({
      name: 'OCR',
      description: 'Reads pictures.',
      skills,
      run: async ({ ask }) => ask('Which language?'),
    });
    const server = await serveOnSocket(ocr);
    const metadata = { skillId: 'ocr' };

    const { id } = await sendTask(server, RPC_1, { parts: [PICTURE['1.0']], metadata });
    const error = RPC_1.error(await server.ask(RPC_1.send({ text: 'French', taskId: id, metadata })));
    const answered = await sendTask(server, RPC_1, { text: 'French', taskId: id });

    expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
    expect(answered.state).toBe('completed');
  });

  test.each(SINCE_02)(
    verifies('S-10', '$name: is held to the output types of the named skill with enforceOutputModes'),
    async (voice) => {
      const skills = [{ id: 'page', name: 'Page', description: 'Writes pages.', outputModes: ['text/html'] }];
      const server = await startServer({ enforceOutputModes: true, agent: { skills } });
      const said = { text: 'hello', acceptedOutputModes: ['text/plain'] };

      const error = voice.error(await server.ask(voice.send({ ...said, metadata: { skillId: 'page' } })));
      const unnamed = await sendTask(server, voice, said);

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
      expect(error.message).toContain('expected one or more of text/html for skill "page"');
      expect(unnamed.state).toBe('completed');
    },
  );

  test.each(SINCE_02)(verifies('S-10', '$name: is delivered whatever types the caller lists'), async (voice) => {
    const server = await startServer();

    const text = await sendTask(server, voice, { text: 'hello', acceptedOutputModes: ['application/json'] });
    const about = await sendTask(server, voice, { text: 'about', acceptedOutputModes: ['audio/ogg'] });
    const undeclared = await sendTask(server, voice, { text: 'picture' });

    expect(text).toMatchObject({ state: 'completed', artifacts: { echo: 'hello' } });
    expect(about.artifacts?.['about']).toContain('"acceptedOutputModes":["audio/ogg"]');
    expect(Object.keys(undeclared.artifacts ?? {})).toEqual(['picture']);
  });

  test.each(SINCE_02)(
    verifies('S-10', '$name: that no listed type fits is rejected before the work with enforceOutputModes'),
    async (voice) => {
      const server = await startServer({ enforceOutputModes: true });

      const error = voice.error(await server.ask(voice.send({ text: 'hello', acceptedOutputModes: ['audio/ogg'] })));
      const fitting = await sendTask(server, voice, { text: 'picture', acceptedOutputModes: ['text/plain'] });

      expect(error).toMatchObject({
        reason: 'CONTENT_TYPE_NOT_SUPPORTED',
        fields: ['configuration.acceptedOutputModes'],
      });
      expect(Object.keys(fitting.artifacts ?? {})).toEqual(['picture']);
      expect(server.runs()).toBe(1);
    },
  );

  test('that no listed type fits is rejected before the work by a strict server', async () => {
    const server = await startServer({ strict: true });

    const error = RPC_1.error(await server.ask(RPC_1.send({ text: 'hello', acceptedOutputModes: ['audio/ogg'] })));

    expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
    expect(server.runs()).toBe(0);
  });
});

describe('a repeated message', () => {
  test.each(VOICES)(
    verifies('S-09', '$name: with the key of the first has its outcome, and starts nothing'),
    async (voice) => {
      const server = await startServer();
      const ask = voice.send({ text: 'hello', messageId: 'once' });
      const keyed = { ...ask, headers: { ...ask.headers, 'idempotency-key': 'k-1' } };

      const first = voice.sent(await server.ask(keyed));
      const again = voice.sent(await server.ask(keyed));

      expect(again).toEqual(first);
      expect(server.runs()).toBe(1);
    },
  );

  test(verifies('S-09', 'with the key of another one is refused'), async () => {
    const server = await startServer();
    const headers = { 'a2a-version': '1.0', 'idempotency-key': 'k-1' };
    await server.ask({ ...RPC_1.send({ text: 'hello' }), headers });

    const error = RPC_1.error(await server.ask({ ...RPC_1.send({ text: 'good bye' }), headers }));

    expect(error.message).toMatch(/key/i);
    expect(server.runs()).toBe(1);
  });

  test(verifies('S-09', 'without a key is a new one, for ids of callers that nobody knows collide'), async () => {
    const server = await startServer();

    const first = await sendTask(server, RPC_1, { text: 'hello', messageId: 'm1' });
    const second = await sendTask(server, RPC_1, { text: 'hello', messageId: 'm1' });

    expect(second.id).not.toBe(first.id);
    expect(server.runs()).toBe(2);
  });
});
