/** Streams that break: the client delivers each event once, or throws an error with a handle of the task. */
import { describe, expect, test } from 'vitest';

import type { TaskStream } from '../../../src/client/task-stream.ts';
import { verifies } from '../../helpers/verifies.ts';
import { connected, skippingClock, TRANSPORTS } from './kit.ts';
import { chunk, failure, type ReceivedRequest, result, startPeer, status, stream, task } from './peer.ts';

async function textsOf(events: TaskStream): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of events) texts.push(`${event.type} ${event.text}`.trim());
  return texts;
}

const methods = (got: readonly ReceivedRequest[]): string[] => got.map(({ rpc }) => rpc?.method ?? '');

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('a stream with numbered events is resumed after the last number', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      const write = stream(response);
      if (rpc?.method === 'SendStreamingMessage') {
        write({ task: task('WORKING') }, 1);
        write(chunk('Hello ', false), 2);
        setImmediate(() => response.destroy());
      } else {
        write(chunk('Hello ', false), 2);
        write(chunk('world'), 3);
        write(status('COMPLETED'), 4);
        response.end();
      }
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'artifact Hello', 'artifact world', 'status']);
    expect(methods(peer.got)).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
    expect(peer.got[1]?.headers['last-event-id']).toBe('2');
  });

  test('an event from before the break that the agent repeats after newer ones is delivered once', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      const write = stream(response);
      if (rpc?.method === 'SendStreamingMessage') {
        write({ task: task('WORKING') }, 1);
        write(chunk('Hello ', false), 2);
        setImmediate(() => response.destroy());
      } else {
        write(chunk('wor'), 3);
        write(chunk('Hello ', false), 2);
        write(chunk('ld'), 4);
        write(status('COMPLETED'), 5);
        response.end();
      }
    });
    const agent = await connected(peer.url, options);
    const events = agent.stream('hi');

    expect(await textsOf(events)).toEqual(['task', 'artifact Hello', 'artifact wor', 'artifact ld', 'status']);
    expect(methods(peer.got)).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
  });

  test('a stream that ends after a question is resumed only if its last frame is a retry', async () => {
    const question = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task('INPUT_REQUIRED') } });
    let endsWithRetry = false;
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendStreamingMessage') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const suffix = endsWithRetry ? 'retry: 10\n\n' : '';
        response.end(`retry: 10\n\nid: 1\ndata: ${question}\n\n${suffix}`);
      } else {
        stream(response)(status('COMPLETED'), 2);
        response.end();
      }
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(['task']);
    endsWithRetry = true;
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status']);
  });

  test('a stream that was resumed ends with the question, although the subscription stays open', async () => {
    const answer = { taskId: 't1', text: 'yes' };
    const peer = await startPeer(({ rpc, body }, response) => {
      const write = stream(response);
      const isAnswer = body.includes('"yes"');
      if (rpc?.method === 'SendStreamingMessage') {
        write({ task: task(isAnswer ? 'INPUT_REQUIRED' : 'WORKING') }, isAnswer ? 3 : 1);
        setImmediate(() => response.destroy());
      } else if (peer.got.length < 3) {
        write(status('INPUT_REQUIRED'), 2);
      } else {
        write(status('WORKING'), 4);
        write(status('INPUT_REQUIRED'), 5);
      }
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status']);
    expect(await textsOf(agent.stream(answer))).toEqual(['task', 'status', 'status']);
    expect(methods(peer.got)).toEqual([
      'SendStreamingMessage',
      'SubscribeToTask',
      'SendStreamingMessage',
      'SubscribeToTask',
    ]);
  });

  test.each([
    ['keeps the chunks of a text apart', [{ text: 'One ' }, { text: 'two ' }, { text: 'three ' }]],
    ['joins the chunks of a text', [{ text: 'One two three ' }]],
  ])('a stream without numbers is resumed from the snapshot of the task by an agent that %s', async (_case, parts) => {
    const peer = await startPeer(({ rpc }, response) => {
      const write = stream(response);
      if (rpc?.method === 'SendStreamingMessage') {
        write({ task: task('WORKING') });
        write(chunk('One ', false));
        write(chunk('two '));
      } else {
        const artifacts = [
          { artifactId: 'a', parts },
          { artifactId: 'b', parts: [{ text: 'beside' }] },
        ];
        write({ task: task('WORKING', { artifacts }) });
        write(chunk('four'));
        write(status('COMPLETED'));
      }
      response.end();
    });
    const agent = await connected(peer.url, options);
    const events = agent.stream('hi');
    expect(await textsOf(events)).toEqual([
      'task',
      'artifact One',
      'artifact two',
      'artifact three',
      'artifact beside',
      'artifact four',
      'status',
    ]);
    expect(events.task?.artifacts?.[0]?.parts).toEqual([{ text: 'One two three four' }]);
  });

  test('a broken stream of 0.3 without numbers is continued by polling the task', async () => {
    const card = {
      name: 'Old',
      description: '',
      version: '1',
      url: '',
      protocolVersion: '0.3.0',
      capabilities: { streaming: true },
      skills: [],
    };
    let polls = 0;
    const peer = await startPeer(
      ({ rpc }, response) => {
        if (rpc?.method === 'message/stream') {
          const write = stream(response);
          write({ kind: 'task', id: 't1', contextId: 'c1', status: { state: 'working' } });
          write({
            kind: 'artifact-update',
            taskId: 't1',
            contextId: 'c1',
            artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'One ' }] },
          });
          response.end();
          return;
        }
        const texts = ['One ', 'two ', 'three'].slice(0, ++polls + 1);
        const artifacts = [{ artifactId: 'a', parts: texts.map((text) => ({ kind: 'text', text })) }];
        result(response, {
          kind: 'task',
          id: 't1',
          contextId: 'c1',
          status: { state: polls > 1 ? 'completed' : 'working' },
          artifacts,
        });
      },
      { card },
    );
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual([
      'task',
      'artifact One',
      'artifact two',
      'artifact three',
      'status',
    ]);
    expect(methods(peer.got)).toEqual(['message/stream', 'tasks/get', 'tasks/get']);
  });

  test('ask returns the result of a task that ended after the stream broke', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendStreamingMessage') {
        stream(response)({ task: task('WORKING') });
        setImmediate(() => response.destroy());
      } else if (rpc?.method === 'SubscribeToTask') failure(response, -32004, 'UNSUPPORTED_OPERATION');
      else result(response, task('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'Done' }] }] }));
    });
    const agent = await connected(peer.url, options);
    expect(await agent.ask('hi')).toBe('Done');
    expect(methods(peer.got)).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'GetTask']);
  });

  test('a stream that breaks five times without new events is continued by polling the task', async () => {
    let polls = 0;
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'GetTask') return result(response, task(++polls > 2 ? 'COMPLETED' : 'WORKING'));
      const write = stream(response);
      if (rpc?.method === 'SendStreamingMessage') write({ task: task('WORKING') }, 1);
      response.end();
    });
    const agent = await connected(peer.url, { ...options, clock: skippingClock });
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status']);
    expect(methods(peer.got)).toEqual([
      'SendStreamingMessage',
      ...Array<string>(5).fill('SubscribeToTask'),
      ...Array<string>(3).fill('GetTask'),
    ]);
  });

  test('a stream that cannot be resumed throws an error with a handle of the task', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method !== 'SendStreamingMessage') return void response.destroy();
      stream(response)({ task: task('WORKING') }, 1);
      response.end();
    });
    const agent = await connected(peer.url, { ...options, clock: skippingClock });
    const error: unknown = await textsOf(agent.stream('hi')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'TRANSPORT_FAILED', details: { handle: expect.stringMatching(/^task1_/) } });
  });

  test('an error about a known task has its handle, also if the agent has sent nothing about it', async () => {
    const peer = await startPeer((_got, response) => failure(response, -32603, 'INTERNAL_ERROR'));
    const agent = await connected(peer.url, options);
    const known = agent.task('t1');
    const lost = { code: 'INTERNAL_ERROR', details: { handle: known.handle } };
    await expect(known.answer('Rome')).rejects.toMatchObject(lost);
    await expect(known.wait()).rejects.toMatchObject(lost);
    await expect(known.subscribe().next()).rejects.toMatchObject(lost);
  });

  test('a subscription that ends before its first event is opened again', async () => {
    const peer = await startPeer((_got, response, { got }) => {
      const write = stream(response);
      if (got.length > 1) write({ task: task('WORKING') });
      if (got.length > 1) write(status('COMPLETED', 'Done'));
      response.end();
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.task('t1').subscribe())).toEqual(['task', 'status Done']);
    expect(methods(peer.got)).toEqual(['SubscribeToTask', 'SubscribeToTask']);
  });

  test.each<[string, readonly (readonly [unknown, number])[], readonly string[], readonly string[]]>([
    [
      'an event that arrives twice is delivered once',
      [
        [{ task: task('WORKING') }, 1],
        [chunk('One ', false), 2],
        [chunk('One ', false), 2],
        [chunk('two'), 3],
        [status('COMPLETED'), 4],
      ],
      ['task', 'artifact One', 'artifact two', 'status'],
      [],
    ],
    [
      'an event that arrives too late is corrected by a snapshot of the task',
      [
        [{ task: task('WORKING') }, 1],
        [chunk('One ', false), 2],
        [chunk('three'), 4],
        [chunk('two '), 3],
        [status('COMPLETED'), 5],
      ],
      ['task', 'artifact One', 'artifact three', 'artifact One two three', 'status'],
      ['SubscribeToTask', 'GetTask'],
    ],
    [
      'a final status that skips a number is verified with the task',
      [
        [{ task: task('WORKING') }, 1],
        [chunk('One ', false), 2],
        [chunk('two '), 3],
        [status('COMPLETED'), 5],
        [chunk('three'), 4],
      ],
      ['task', 'artifact One', 'artifact two', 'artifact three', 'status'],
      ['SubscribeToTask', 'GetTask'],
    ],
    [
      'numbers that do not increase by one are not checked for gaps',
      [
        [{ task: task('WORKING') }, 10],
        [chunk('One ', false), 20],
        [chunk('two'), 25],
        [status('COMPLETED'), 30],
      ],
      ['task', 'artifact One', 'artifact two', 'status'],
      [],
    ],
  ])('%s', async (_case, items, expected, more) => {
    const artifacts = [{ artifactId: 'a', parts: [{ text: 'One ' }, { text: 'two ' }, { text: 'three' }] }];
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SubscribeToTask') return failure(response, -32004, 'UNSUPPORTED_OPERATION');
      if (rpc?.method === 'GetTask') return result(response, task('COMPLETED', { artifacts }));
      const write = stream(response);
      for (const [item, number] of items) write(item, number);
      response.end();
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(expected);
    expect(methods(peer.got)).toEqual(['SendStreamingMessage', ...more]);
    expect(peer.got[1]?.headers['last-event-id']).toBeUndefined();
  });

  test.each([
    ['with a completed task', [{ task: task('WORKING') }, status('COMPLETED')]],
    ['with a question', [{ task: task('WORKING') }, status('INPUT_REQUIRED', 'Where?')]],
    ['with a message', [{ message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Hi' }] } }]],
  ])('a stream that ends %s is not resumed', async (_case, items) => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      for (const item of items) write(item);
      response.end();
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toHaveLength(items.length);
    expect(peer.got).toHaveLength(1);
  });

  test('leaving the loop over a stream closes the connection, and does not cancel the task', async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const peer = await startPeer((_got, response) => {
      response.on('close', closed);
      stream(response)({ task: task('WORKING') }, 1);
    });
    const agent = await connected(peer.url, options);
    for await (const event of agent.stream('hi')) {
      expect(event.type).toBe('task');
      break;
    }
    await gone;
    expect(methods(peer.got)).toEqual(['SendStreamingMessage']);
  });

  test('return() of a stream ends a pending next()', async () => {
    const peer = await startPeer((_got, response) => stream(response)({ task: task('WORKING') }, 1));
    const agent = await connected(peer.url, options);
    const events = agent.stream('hi');
    await events.next();
    const next = events.next();
    await events.return();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('a stream sends nothing before its first event is requested', async () => {
    const peer = await startPeer((_got, response) => stream(response)({ task: task('COMPLETED') }));
    const agent = await connected(peer.url, options);
    agent.stream('hi');
    await agent.stream('hi').return();
    expect(peer.got).toEqual([]);
  });

  test('a stream ends with its task, also if the agent leaves it open', async () => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      write({ task: task('WORKING') });
      write(status('COMPLETED', 'Done'));
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status Done']);
    expect(await agent.ask('hi')).toBe('Done');
  });

  test('the reply to an answer is not the snapshot of the task from before the answer', async () => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      write({ task: task('INPUT_REQUIRED') });
      write(status('WORKING'));
      write(status('COMPLETED', 'Off to Rome'));
      response.end();
    });
    const agent = await connected(peer.url, options);
    expect(await agent.task('t1').answer('Rome')).toMatchObject({ state: 'completed', text: 'Off to Rome' });
    expect(await agent.send('hi')).toMatchObject({ state: 'input-required' });
  });

  test(
    verifies('K-06', 'a stream of an agent without streaming polls the task, also after 503, and yields the changes'),
    async () => {
      let polls = 0;
      const peer = await startPeer(
        ({ rpc }, response) => {
          if (rpc?.method === 'SendMessage') return result(response, { task: task('SUBMITTED') });
          polls += 1;
          if (polls === 2) return failure(response, -32603, 'UNAVAILABLE', 503, { 'retry-after': '0' });
          const parts = ['One ', 'two ', 'three'].slice(0, polls).map((text) => ({ text }));
          result(response, task(polls > 2 ? 'COMPLETED' : 'WORKING', { artifacts: [{ artifactId: 'a', parts }] }));
        },
        { card: { capabilities: {} } },
      );
      const agent = await connected(peer.url, { ...options, clock: skippingClock });
      expect(await textsOf(agent.stream('hi'))).toEqual([
        'task',
        'artifact One',
        'status',
        'artifact two three',
        'status',
      ]);
      expect(methods(peer.got)).toEqual(['SendMessage', 'GetTask', 'GetTask', 'GetTask']);
      expect(peer.got[0]?.rpc?.params).toMatchObject({ configuration: { returnImmediately: true } });
    },
  );
});
