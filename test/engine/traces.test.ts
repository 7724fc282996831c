import { describe, expect, test } from 'vitest';
import { openTelemetryTracer } from '../../src/observe/opentelemetry.ts';
import { openTelemetry } from '../helpers/open-telemetry.ts';
import { ANN, collect, harness, until, VARIANTS } from './harness.ts';

const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', flags: '01' };
const TRACE_METADATA = { traceId: TRACE.traceId, spanId: TRACE.spanId };
const TRACED = { trace: TRACE, returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('a run that is replayed after a crash is in the trace of its request and publishes nothing twice', async () => {
    const { api, named } = openTelemetry();
    let attempts = 0;
    const first = await harness(
      async function* run({ status, trace }) {
        const attempt = ++attempts;
        yield { status: 'working', text: 'One' };
        yield { status: 'working', text: 'Two', metadata: { mine: 1 } };
        yield 'a';
        if (attempt === 1) await new Promise(() => {});
        await status(String(trace.traceparent));
      },
      { variant, observers: { tracer: openTelemetryTracer(api) } },
    );
    const { id } = await first.task('go', TRACED);
    await until(async () => (await first.engine.get(ANN, id)).artifacts?.length === 1);

    const second = await first.crash();
    await until(async () => (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');

    const ofSecond = { 'a2a.task.id': id, 'a2a.run.attempt': 2, 'a2a.task.state': 'TASK_STATE_COMPLETED' };
    await expect.poll(() => named('a2a.run').at(-1)?.attributes).toMatchObject(ofSecond);
    const runs = named('a2a.run');
    for (const { traceId, parentId } of runs) expect({ traceId, spanId: parentId }).toEqual(TRACE_METADATA);
    const events = await collect(second.engine.subscribe(ANN, id, { after: 1 }));
    const bodies = events.map((event) => ('body' in event ? event.body : ''));
    expect(bodies.map(textIn)).toEqual(['', 'One', 'Two', 'a', `00-${TRACE.traceId}-${runs.at(-1)?.spanId}-01`, '']);
    expect(bodies.map(metadataIn)).toEqual([
      TRACE_METADATA,
      TRACE_METADATA,
      { ...TRACE_METADATA, mine: 1 },
      TRACE_METADATA,
      TRACE_METADATA,
      TRACE_METADATA,
    ]);
  });

  test('events of an answer and a cancel have the trace of the task in their metadata', async () => {
    const { task, reply, engine } = await harness(async ({ ask }) => `${await ask('Where?')} ${await ask('When?')}`, {
      variant,
    });
    const asked = await task('go', { trace: TRACE });

    await reply(asked, 'here');
    await engine.cancel(ANN, asked.id);

    const events = await collect(engine.subscribe(ANN, asked.id, { after: 1 }));
    expect(events.length).toBeGreaterThan(3);
    for (const event of events) expect(metadataIn('body' in event ? event.body : '{}')).toEqual(TRACE_METADATA);
  });
});

test('a log line about a task has its task id, context id and trace id', async () => {
  const { task, log } = await harness(async () => {
    throw new Error('Broken');
  });

  const { id, contextId } = await task('go', { trace: TRACE });

  expect(log[0]).toMatchObject({
    message: 'A handler failed',
    fields: { taskId: id, contextId, agent: 'agent', traceId: TRACE.traceId, reference: expect.any(String) as unknown },
  });
});

interface Body {
  readonly statusUpdate?: { readonly metadata?: unknown };
  readonly artifactUpdate?: { readonly metadata?: unknown };
}

function metadataIn(body: string): unknown {
  const { statusUpdate, artifactUpdate } = JSON.parse(body) as Body;
  return (statusUpdate ?? artifactUpdate)?.metadata;
}

function textIn(body: string): string {
  return /"text":"([^"]*)"/.exec(body)?.[1] ?? '';
}
