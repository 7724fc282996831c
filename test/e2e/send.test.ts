/** SendMessage: its response, waiting, follow-ups, media types and repeats (1.0 §3.1.1, §3.2.2). */
import { describe, expect, test } from 'vitest';

import { agent } from '../../src/agent/agent.ts';
import { verifies } from '../helpers/verifies.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { getTask, holdTask, nextOf, sendTask, streamEvents } from './kit/tasks.ts';
import { FORMATS_1, RPC_01, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';

describe('the response to a message', () => {
  test.each(WIRE_FORMATS)(
    verifies(['S-01', 'S-11'], '$name: is a task with its results as artifacts'),
    async (format) => {
      const server = await startServer();

      const sent = format.sent(await server.ask(format.send({ text: 'hello' })));

      expect(sent).toEqual({
        task: expect.objectContaining({ state: 'completed', statusText: undefined, artifacts: { echo: 'hello' } }),
      });
    },
  );

  test.each(FORMATS_SINCE_02)(verifies('S-01', '$name: is a message if the agent replies with one'), async (format) => {
    const server = await startServer();

    const sent = format.sent(await server.ask(format.send({ text: 'reply good day' })));

    expect(sent).toEqual({ message: expect.objectContaining({ role: 'agent', text: 'good day', taskId: undefined }) });
  });

  test(
    verifies(
      'S-01',
      '0.1 JSON-RPC: is a task with the reply as its status text, because 0.1 has no replies without a task',
    ),
    async () => {
      const server = await startServer();

      const task = await sendTask(server, RPC_01, { text: 'reply good day', taskId: 'mine' });

      expect(task).toMatchObject({ id: 'mine', state: 'completed', statusText: 'good day' });
    },
  );

  test.each(WIRE_FORMATS)(verifies('S-01', '$name: is a task if the agent rejects it or fails'), async (format) => {
    const server = await startServer();

    const rejected = await sendTask(server, format, { text: 'reject not today' });
    const failed = await sendTask(server, format, { text: 'fail' });

    // 0.1 has no state for rejected tasks.
    expect(rejected).toMatchObject({
      state: format.version === '0.1' ? 'failed' : 'rejected',
      statusText: 'not today',
    });
    expect(failed.state).toBe('failed');
    expect(JSON.stringify(failed)).not.toMatch(/shadow|password/);
  });
});

describe('a message whose sender waits', () => {
  test.each(WIRE_FORMATS)(
    verifies(['S-02', 'S-03'], '$name: gets the completed task with its artifacts'),
    async (format) => {
      const server = await startServer();

      const answer = sendTask(server, format, { text: 'hold all' });
      server.release();

      expect(await answer).toMatchObject({ state: 'completed', artifacts: { held: 'all' } });
    },
  );

  test.each(WIRE_FORMATS)(verifies('S-03', '$name: gets every artifact as one, without chunks'), async (format) => {
    const server = await startServer();

    const task = await sendTask(server, format, { text: 'story' });

    expect(task.artifacts).toEqual({ poem: 'Roses are red', notes: 'Mind the thorns' });
    expect(await getTask(server, format, task.id)).toMatchObject({ state: task.state, artifacts: task.artifacts });
  });

  test.each(WIRE_FORMATS)(verifies('S-02', '$name: gets the task when the agent asks a question'), async (format) => {
    const server = await startServer();

    const asked = await sendTask(server, format, { text: 'ask' });
    const answered = await sendTask(server, format, { text: 'Paris', taskId: asked.id });

    expect(asked).toMatchObject({ state: 'input-required', statusText: 'Which city?' });
    expect(answered).toMatchObject({ id: asked.id, state: 'completed', artifacts: { trip: 'Off to Paris' } });
  });

  test.each(FORMATS_1)(
    verifies('S-02', '$name: gets the task when the agent requests a credential'),
    async (format) => {
      const server = await startServer();

      const task = await sendTask(server, format, { text: 'authorize' });

      expect(task).toMatchObject({ state: 'auth-required', statusText: 'Please log in' });
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies('S-04', '$name: gets the unfinished task with returnImmediately'),
    async (format) => {
      const server = await startServer();

      const task = await sendTask(server, format, { text: 'hold on', returnImmediately: true });

      expect(['submitted', 'working']).toContain(task.state);
      expect(task.artifacts).toBeUndefined();
      server.release();
    },
  );

  test.each(FORMATS_SINCE_02)(
    '$name: gets a reply as the status text of a task with returnImmediately',
    async (format) => {
      const server = await startServer();

      const { id } = await sendTask(server, format, { text: 'reply hi', returnImmediately: true });
      // The response to the subscription ends with the task.
      await server.ask(format.subscribe(id));

      // The sender got a task, so the reply is its last status text.
      expect(await getTask(server, format, id)).toMatchObject({
        state: 'completed',
        statusText: 'hi',
        artifacts: undefined,
      });
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies('S-05', '$name: gets the whole stream in spite of returnImmediately'),
    async (format) => {
      const server = await startServer();

      const events = await streamEvents(server, format, { text: 'story', returnImmediately: true });

      expect(events.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
    },
  );
});

describe('a follow-up to a task', () => {
  test.each(WIRE_FORMATS)(verifies('S-06', '$name: that has ended gets UnsupportedOperation'), async (format) => {
    const server = await startServer();
    const { id } = await sendTask(server, format, { text: 'hello' });

    const refused = format.error(await server.ask(format.send({ text: 'more', taskId: id })));
    const streamed = format.error(await server.ask(format.stream({ text: 'more', taskId: id })));

    // 0.1 has another code for this error.
    const code = format.version === '0.1' ? -32009 : -32004;
    for (const error of [refused, streamed]) {
      expect(error).toMatchObject({
        reason: 'UNSUPPORTED_OPERATION',
        status: format.binding === 'REST' ? 400 : 200,
        code: format === FORMATS_1[1] ? undefined : code,
      });
      expect(error.message).toContain(id);
    }
    expect(server.runs()).toBe(1);
  });

  test.each(FORMATS_SINCE_02)(verifies('S-07', '$name: that is unknown gets TaskNotFound'), async (format) => {
    const server = await startServer();

    const refused = format.error(await server.ask(format.send({ text: 'hello', taskId: 'no-such-task' })));
    const streamed = format.error(await server.ask(format.stream({ text: 'hello', taskId: 'no-such-task' })));

    for (const error of [refused, streamed]) {
      expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', status: format.binding === 'REST' ? 404 : 200 });
    }
    expect(server.runs()).toBe(0);
  });

  test.each(WIRE_FORMATS)('$name: that is working is added to its history and starts no second run', async (format) => {
    const server = await startServer();
    const { id } = await holdTask(server, format);

    const second = await server.open(format.stream({ text: 'one more thing', taskId: id, historyLength: 9 }));
    await nextOf(second, format);
    const { history } = await getTask(server, format, id, 9);
    server.release();
    await second.rest();

    expect(history).toEqual(expect.arrayContaining(['user: hold on', 'user: one more thing']));
    expect(server.runs()).toBe(1);
  });
});

describe('media types of content', () => {
  const PICTURE = {
    '1.0': { raw: 'iVBORw==', mediaType: 'image/png' },
    '0.3': { kind: 'file', file: { bytes: 'iVBORw==', mimeType: 'image/png' } },
    '0.3 REST': { file: { fileWithBytes: 'iVBORw==', mimeType: 'image/png' } },
    '0.2': { kind: 'file', file: { bytes: 'iVBORw==', mimeType: 'image/png' } },
    '0.1': { type: 'file', file: { bytes: 'iVBORw==', mimeType: 'image/png' } },
  };

  test.each(WIRE_FORMATS)(
    verifies(
      ['S-08', 'E-16'],
      '$name: a part of a type that the agent does not declare is rejected before the handler runs',
    ),
    async (format) => {
      const server = await startServer({ agent: { inputModes: ['text/plain', 'application/json'] } });
      const picture = PICTURE[format.name === '0.3 REST' ? '0.3 REST' : format.version];

      const error = format.error(await server.ask(format.send({ parts: [picture] })));

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED', fields: ['message.parts[0].mediaType'] });
      expect(error.status).toBe(format.name === '1.0 REST' ? 400 : format.binding === 'REST' ? 415 : 200);
      expect(error.message).toContain('text/plain, application/json');
      expect(server.runs()).toBe(0);
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('S-08', '$name: a part of a declared type is accepted, and of any type if the agent declares none'),
    async (format) => {
      const picture = PICTURE[format.name === '0.3 REST' ? '0.3 REST' : format.version];
      for (const options of [{ agent: { inputModes: ['image/*'] } }, {}]) {
        const server = await startServer(options);
        expect((await sendTask(server, format, { parts: [picture] })).state).toBe('completed');
      }
    },
  );

  describe.each(WIRE_FORMATS)('$name: a message that names a skill', (format) => {
    const picture = PICTURE[format.name === '0.3 REST' ? '0.3 REST' : format.version];
    const skills = [
      { id: 'ocr', name: 'OCR', description: 'Reads pictures.', inputModes: ['image/*'], outputModes: ['text/html'] },
      { id: 'chat', name: 'Chat', description: 'Talks.' },
    ];
    const named = (skillId: string) => ({ metadata: { skillId } });

    test('must have the types that the skill declares', async () => {
      const server = await startServer({ agent: { skills } });

      const error = format.error(await server.ask(format.send({ text: 'hello', ...named('ocr') })));
      const ocr = await sendTask(server, format, { parts: [picture], ...named('ocr') });
      const unnamed = await sendTask(server, format, { text: 'hello' });

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED', fields: ['message.parts[0].mediaType'] });
      expect(error.message).toContain('expected image/* for skill "ocr"; it is "text/plain"');
      expect([ocr.state, unnamed.state]).toEqual(['completed', 'completed']);
      expect(server.runs()).toBe(2);
    });

    test('must have the types of the agent if the skill declares none', async () => {
      const server = await startServer({ agent: { skills, inputModes: ['text/plain'] } });

      const error = format.error(await server.ask(format.send({ parts: [picture], ...named('chat') })));
      const unnamed = await sendTask(server, format, { parts: [picture] });

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
      expect(error.message).toContain('expected text/plain for skill "chat"');
      expect(unnamed.state).toBe('completed');
    });
  });

  test('an answer to a question may have any type that the agent accepts, also if the skill of the task accepts fewer', async () => {
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

  test.each(FORMATS_SINCE_02)(
    verifies(
      'S-10',
      '$name: with enforceOutputModes, acceptedOutputModes must match the output types of the named skill',
    ),
    async (format) => {
      const skills = [{ id: 'page', name: 'Page', description: 'Writes pages.', outputModes: ['text/html'] }];
      const server = await startServer({ enforceOutputModes: true, agent: { skills } });
      const input = { text: 'hello', acceptedOutputModes: ['text/plain'] };

      const error = format.error(await server.ask(format.send({ ...input, metadata: { skillId: 'page' } })));
      const unnamed = await sendTask(server, format, input);

      expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
      expect(error.message).toContain('expected one or more of text/html for skill "page"');
      expect(unnamed.state).toBe('completed');
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies('S-10', '$name: results are returned whatever acceptedOutputModes lists'),
    async (format) => {
      const server = await startServer();

      const text = await sendTask(server, format, { text: 'hello', acceptedOutputModes: ['application/json'] });
      const about = await sendTask(server, format, { text: 'about', acceptedOutputModes: ['audio/ogg'] });
      const undeclared = await sendTask(server, format, { text: 'picture' });

      expect(text).toMatchObject({ state: 'completed', artifacts: { echo: 'hello' } });
      expect(about.artifacts?.['about']).toContain('"acceptedOutputModes":["audio/ogg"]');
      expect(Object.keys(undeclared.artifacts ?? {})).toEqual(['picture']);
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies(
      'S-10',
      '$name: with enforceOutputModes, acceptedOutputModes without a type of the agent is rejected before the handler runs',
    ),
    async (format) => {
      const server = await startServer({ enforceOutputModes: true });

      const error = format.error(await server.ask(format.send({ text: 'hello', acceptedOutputModes: ['audio/ogg'] })));
      const fitting = await sendTask(server, format, { text: 'picture', acceptedOutputModes: ['text/plain'] });

      expect(error).toMatchObject({
        reason: 'CONTENT_TYPE_NOT_SUPPORTED',
        fields: ['configuration.acceptedOutputModes'],
      });
      expect(Object.keys(fitting.artifacts ?? {})).toEqual(['picture']);
      expect(server.runs()).toBe(1);
    },
  );

  test('a strict server rejects acceptedOutputModes without a type of the agent before the handler runs', async () => {
    const server = await startServer({ strict: true });

    const error = RPC_1.error(await server.ask(RPC_1.send({ text: 'hello', acceptedOutputModes: ['audio/ogg'] })));

    expect(error).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
    expect(server.runs()).toBe(0);
  });
});

describe('a repeated message', () => {
  test.each(WIRE_FORMATS)(
    verifies('S-09', '$name: with the same Idempotency-Key gets the first response and starts no run'),
    async (format) => {
      const server = await startServer();
      const ask = format.send({ text: 'hello', messageId: 'once' });
      const keyed = { ...ask, headers: { ...ask.headers, 'idempotency-key': 'k-1' } };

      const first = format.sent(await server.ask(keyed));
      const again = format.sent(await server.ask(keyed));

      expect(again).toEqual(first);
      expect(server.runs()).toBe(1);
    },
  );

  test(verifies('S-09', 'with the Idempotency-Key of another message is rejected'), async () => {
    const server = await startServer();
    const headers = { 'a2a-version': '1.0', 'idempotency-key': 'k-1' };
    await server.ask({ ...RPC_1.send({ text: 'hello' }), headers });

    const error = RPC_1.error(await server.ask({ ...RPC_1.send({ text: 'good bye' }), headers }));

    expect(error.message).toMatch(/key/i);
    expect(server.runs()).toBe(1);
  });

  test(
    verifies(
      'S-09',
      'of an anonymous caller without an Idempotency-Key is a new message, because message ids of several callers can be equal',
    ),
    async () => {
      const server = await startServer();

      const first = await sendTask(server, RPC_1, { text: 'hello', messageId: 'm1' });
      const second = await sendTask(server, RPC_1, { text: 'hello', messageId: 'm1' });

      expect(second.id).not.toBe(first.id);
      expect(server.runs()).toBe(2);
    },
  );
});
