/** Streams that break, and what their reader sees of that: each event once, or an error that leads back to the task. */
import { describe, expect, test } from 'vitest';

import type { TaskStream } from '../../../src/client/task-stream.ts';
import { verifies } from '../../helpers/verifies.ts';
import { connected, hastyClock, TRANSPORTS } from './kit.ts';
import { chunk, failure, type Got, result, startPeer, status, stream, task } from './peer.ts';

async function textsOf(events: TaskStream): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of events) texts.push(`${event.type} ${event.text}`.trim());
  return texts;
}

const methods = (got: readonly Got[]): string[] => got.map(({ rpc }) => rpc?.method ?? '');

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('a numbered stream is resumed after the last number', async () => {
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

  test('a stream that ends at a question is over, unless it asks its readers to come back', async () => {
    const question = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task('INPUT_REQUIRED') } });
    let isToBeContinued = false;
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendStreamingMessage') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const behind = isToBeContinued ? 'retry: 10\n\n' : '';
        response.end(`retry: 10\n\nid: 1\ndata: ${question}\n\n${behind}`);
      } else {
        stream(response)(status('COMPLETED'), 2);
        response.end();
      }
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(['task']);
    isToBeContinued = true;
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status']);
  });

  test.each([
    ['keeps the chunks of a text apart', [{ text: 'One ' }, { text: 'two ' }, { text: 'three ' }]],
    ['joins the chunks of a text', [{ text: 'One two three ' }]],
  ])('a stream without numbers is resumed from the snapshot of an agent that %s', async (_case, parts) => {
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

  test('an agent before 1.0 without numbers is asked for the rest', async () => {
    const card = {
      name: 'Old',
      description: '',
      version: '1',
      url: '',
      protocolVersion: '0.3.0',
      capabilities: { streaming: true },
      skills: [],
    };
    let looks = 0;
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
        const texts = ['One ', 'two ', 'three'].slice(0, ++looks + 1);
        const artifacts = [{ artifactId: 'a', parts: texts.map((text) => ({ kind: 'text', text })) }];
        result(response, {
          kind: 'task',
          id: 't1',
          contextId: 'c1',
          status: { state: looks > 1 ? 'completed' : 'working' },
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

  test('a task that ended while nobody listened is got, and its end is told', async () => {
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

  test('where streams keep breaking without news, the task is asked', async () => {
    let looks = 0;
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'GetTask') return result(response, task(++looks > 2 ? 'COMPLETED' : 'WORKING'));
      const write = stream(response);
      if (rpc?.method === 'SendStreamingMessage') write({ task: task('WORKING') }, 1);
      response.end();
    });
    const agent = await connected(peer.url, { ...options, clock: hastyClock });
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status']);
    expect(methods(peer.got)).toEqual([
      'SendStreamingMessage',
      ...Array<string>(5).fill('SubscribeToTask'),
      ...Array<string>(3).fill('GetTask'),
    ]);
  });

  test('when nothing gets through any more, the error has the way back to the task', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method !== 'SendStreamingMessage') return void response.destroy();
      stream(response)({ task: task('WORKING') }, 1);
      response.end();
    });
    const agent = await connected(peer.url, { ...options, clock: hastyClock });
    const error: unknown = await textsOf(agent.stream('hi')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'TRANSPORT_FAILED', details: { handle: expect.stringMatching(/^task1_/) } });
  });

  test('a task that is known before the agent says anything of it is not lost', async () => {
    const peer = await startPeer((_got, response) => failure(response, -32603, 'INTERNAL_ERROR'));
    const agent = await connected(peer.url, options);
    const known = agent.task('t1');
    const lost = { code: 'INTERNAL_ERROR', details: { handle: known.handle } };
    await expect(known.answer('Rome')).rejects.toMatchObject(lost);
    await expect(known.wait()).rejects.toMatchObject(lost);
    await expect(known.subscribe().next()).rejects.toMatchObject(lost);
  });

  test('a subscription that ends before it begins is opened again', async () => {
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
      'an event that comes twice is told once',
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
      'after an event that comes too late, what came is put right',
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
      'an end that skips an event is not believed',
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
      'numbers that are not counted by one are no sign of anything',
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
    ['completed', [{ task: task('WORKING') }, status('COMPLETED')]],
    ['asking', [{ task: task('WORKING') }, status('INPUT_REQUIRED', 'Where?')]],
    ['a bare message', [{ message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Hi' }] } }]],
  ])('a stream that ends %s has ended', async (_case, items) => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      for (const item of items) write(item);
      response.end();
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toHaveLength(items.length);
    expect(peer.got).toHaveLength(1);
  });

  test('leaving the loop closes the connection, and the task is left alone', async () => {
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

  test('a stream can be left while somebody waits for its next event', async () => {
    const peer = await startPeer((_got, response) => stream(response)({ task: task('WORKING') }, 1));
    const agent = await connected(peer.url, options);
    const events = agent.stream('hi');
    await events.next();
    const next = events.next();
    await events.return();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('nothing is sent before the first event is asked for', async () => {
    const peer = await startPeer((_got, response) => stream(response)({ task: task('COMPLETED') }));
    const agent = await connected(peer.url, options);
    agent.stream('hi');
    await agent.stream('hi').return();
    expect(peer.got).toEqual([]);
  });

  test('a peer that does not end its stream after the end of the task is no trouble', async () => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      write({ task: task('WORKING') });
      write(status('COMPLETED', 'Done'));
    });
    const agent = await connected(peer.url, options);
    expect(await textsOf(agent.stream('hi'))).toEqual(['task', 'status Done']);
    expect(await agent.ask('hi')).toBe('Done');
  });

  test('to an answer, a task that is shown as it was before is not the reply', async () => {
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
    verifies(
      'K-06',
      'an agent without streams is looked at again and again, also when it is busy, and its news are a stream',
    ),
    async () => {
      let looks = 0;
      const peer = await startPeer(
        ({ rpc }, response) => {
          if (rpc?.method === 'SendMessage') return result(response, { task: task('SUBMITTED') });
          looks += 1;
          if (looks === 2) return failure(response, -32603, 'UNAVAILABLE', 503, { 'retry-after': '0' });
          const parts = ['One ', 'two ', 'three'].slice(0, looks).map((text) => ({ text }));
          result(response, task(looks > 2 ? 'COMPLETED' : 'WORKING', { artifacts: [{ artifactId: 'a', parts }] }));
        },
        { card: { capabilities: {} } },
      );
      const agent = await connected(peer.url, { ...options, clock: hastyClock });
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
