/** Calls as operators see them: spans, metrics and the audit trail. */
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { type AuditRecord, AuditTrail } from '../../src/observe/audit.ts';
import { silentLog } from '../../src/observe/log.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { openTelemetryTracer } from '../../src/observe/opentelemetry.ts';
import { traceOf } from '../../src/observe/trace-context.ts';
import { deferred } from '../../src/support/deferred.ts';
import { openTelemetry } from '../helpers/open-telemetry.ts';
import { calling, echo, tasksOf } from './calling.ts';
import { artifactText, until, VARIANTS } from './harness.ts';

const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', flags: '01' };

/** The lines of the metrics about calls. */
function callLines(metrics: Metrics): readonly string[] {
  return metrics
    .text()
    .split('\n')
    .filter((line) => /^tandem_(calls_made_total|call_seconds_count|limits_hit_total)\{/.test(line));
}

function audited(): { readonly records: AuditRecord[]; readonly audit: AuditTrail } {
  const records: AuditRecord[] = [];
  return { records, audit: new AuditTrail((record) => void records.push(record), silentLog) };
}

describe.each(VARIANTS)('on $name', (variant) => {
  test('a call has one span where it was made, below which the called agent works, and one for its outcome', async () => {
    const { api, named } = openTelemetry();
    const host = await calling(
      async ({ call }) => (await call('echo', 'hello')).text,
      { echo },
      { variant, observers: { tracer: openTelemetryTracer(api) } },
    );

    const { id } = await host.task('go', { trace: TRACE });

    await expect.poll(() => named('a2a.call.outcome')).toHaveLength(1);
    const [made] = named('a2a.call');
    const [outcome] = named('a2a.call.outcome');
    const [child] = await tasksOf(host, 'echo');
    expect(named('a2a.call')).toHaveLength(1);
    expect(named('a2a.run').find(({ attributes }) => attributes['a2a.task.id'] === id)?.spanId).toBe(made?.parentId);
    expect(outcome).toMatchObject({
      traceId: TRACE.traceId,
      parentId: made?.spanId,
      attributes: { 'a2a.call.peer': 'echo', 'a2a.call.outcome': 'completed', 'a2a.call.task.id': child?.id },
    });
    expect(child && traceOf(child)).toMatchObject({ traceId: TRACE.traceId, spanId: made?.spanId });
    const ofChild = named('a2a.run').filter(({ attributes }) => attributes['a2a.agent'] === 'echo');
    expect(ofChild.map(({ parentId }) => parentId)).toEqual([made?.spanId]);
  });

  test('a call that outlives a crash of its host stays in its trace, and has one outcome', async () => {
    const { api, named } = openTelemetry();
    const gate = deferred<void>();
    const slow: Handler = async ({ text }) => {
      await gate.promise;
      return text;
    };
    const first = await calling(
      async ({ call }) => (await call('slow', 'hello')).text,
      { slow },
      { variant, observers: { tracer: openTelemetryTracer(api) } },
    );
    const { id } = await first.task('go', { trace: TRACE, returnImmediately: true });
    await until(async () => (await tasksOf(first, 'slow')).length === 1);

    const second = await first.crash();
    gate.resolve();
    await until(async () => (await tasksOf(second, 'agent'))[0]?.endedAt !== undefined);

    await expect.poll(() => named('a2a.call.outcome')).toHaveLength(1);
    const [made] = named('a2a.call');
    expect(named('a2a.call')).toHaveLength(1);
    expect(named('a2a.call.outcome')[0]).toMatchObject({ traceId: TRACE.traceId, parentId: made?.spanId });
    for (const { traceId } of named('a2a.run')) expect(traceId).toBe(TRACE.traceId);
    expect(named('a2a.call.outcome')[0]?.attributes).toMatchObject({ 'a2a.task.id': id });
  });

  test('a failed call has a failed span with its reason', async () => {
    const { api, named } = openTelemetry();
    const broken: Handler = async function* run() {
      yield { status: 'rejected', text: 'Not today' };
    };
    const host = await calling(
      async ({ call }) => (await call('broken', 'x', { throwOnFailure: false })).outcome,
      { broken },
      { variant, observers: { tracer: openTelemetryTracer(api) } },
    );

    await host.task('go', { trace: TRACE });

    await expect
      .poll(() => named('a2a.call.outcome').map(({ status }) => status))
      .toEqual([{ code: 2, message: 'The call has ended as rejected' }]);
  });

  test('the metrics count calls and their outcomes by peer', async () => {
    const metrics = new Metrics();
    const run: Handler = async ({ call }) => {
      await call('echo', 'a');
      await call('echo', 'b');
      return 'done';
    };
    const host = await calling(run, { echo }, { variant, observers: { metrics } });

    await host.task('go');

    await expect
      .poll(() => callLines(metrics))
      .toEqual([
        'tandem_calls_made_total{agent="agent",peer="echo"} 2',
        'tandem_call_seconds_count{agent="agent",peer="echo",outcome="completed"} 2',
      ]);
  });

  test('a rejected call is in the audit trail once, also if the handler is replayed, with its limit', async () => {
    const { records, audit } = audited();
    const metrics = new Metrics();
    const gate = deferred<void>();
    const slow: Handler = async () => {
      await gate.promise;
      return 'done';
    };
    const run: Handler = async ({ call, startCall, ask, text }) => {
      if (text !== 'go') return 'bottom';
      const open = await startCall('slow', 'x');
      const outcomes = [];
      for (const peer of ['agent', 'slow']) outcomes.push((await call(peer, 'y', { throwOnFailure: false })).outcome);
      await ask('Go on?');
      gate.resolve();
      await open.result();
      return outcomes.join();
    };
    const first = await calling(run, { slow }, { variant, maxOpenCalls: 1, observers: { audit, metrics } });
    const asking = await first.task('go', { trace: TRACE });
    const second = await first.restart();

    expect(artifactText(await second.reply(asking, 'yes'))).toBe('rejected,rejected');

    const { id: taskId } = asking;
    const common = { outcome: 'rejected', reason: 'CALL_REJECTED', caller: 'ann', taskId, traceId: TRACE.traceId };
    expect(records).toMatchObject([
      { ...common, detail: 'cycle' },
      { ...common, detail: 'maxOpenCalls' },
    ]);
    expect(callLines(metrics)).toContain('tandem_limits_hit_total{limit="maxOpenCalls"} 1');
  });

  test('a call deeper than maxDepth is in the audit trail and in the metrics', async () => {
    const { records, audit } = audited();
    const metrics = new Metrics();
    const nested: Handler = async ({ call, text }) => {
      const [next = '', ...rest] = text.split(' ');
      return next === '' ? 'bottom' : (await call(next, rest.join(' ') || ' ')).text;
    };
    const host = await calling(
      nested,
      { b: nested, c: nested },
      { variant, maxDepth: 1, observers: { audit, metrics } },
    );

    await host.task('b c');

    expect(records).toMatchObject([{ reason: 'CALL_REJECTED', detail: 'maxDepth' }]);
    expect(callLines(metrics)).toContain('tandem_limits_hit_total{limit="maxDepth"} 1');
  });
});
