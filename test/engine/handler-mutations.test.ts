import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import type { Output, OutputContent } from '../../src/engine/output/output.ts';
import { ANN, artifactText, harness, userMessage, VARIANTS } from './harness.ts';

type Loose = Record<string, JsonValue>;

/** Changes everything that can be changed in a value, as deep as it goes. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    spoil(member);
    if (typeof member === 'string') Reflect.set(value, key, 'spoiled');
  }
  Reflect.set(value, 'spoiled', true);
  if (Array.isArray(value)) value.push('spoiled');
}

describe.each(VARIANTS)('$name', (variant) => {
  test('changes of a handler to its request do not reach the store', async () => {
    const { task, engine, store } = await harness(
      async function* run(ctx) {
        yield { status: 'working', text: 'first' };
        yield { artifact: 'a', data: { deep: ['a'] }, metadata: { deep: ['m'] } };
        for (const part of [ctx.message, ctx.parts, ctx.caller, ctx.metadata, ctx.extensions, ctx.acceptedOutputModes])
          spoil(part);
        spoil(ctx.task);
        for (const earlier of await ctx.history()) spoil(earlier);
        Reflect.deleteProperty(ctx, 'message');
        yield `${ctx.task.history?.length} ${ctx.text}`;
      },
      { variant },
    );
    const parts = [{ text: 'hello' }, { data: { deep: ['d'] } }];
    const more = {
      metadata: { deep: ['x'] },
      extensions: ['e'],
      acceptedOutputModes: ['text/plain', 'application/json'],
    };
    const caller = { id: 'ann', isVerified: true, claims: { deep: ['c'] } };
    const first = await task('', { message: userMessage('', { parts, contextId: 'c' }), caller, ...more });
    const second = await task('', { message: userMessage('', { parts, contextId: 'c' }), caller, ...more });
    for (const done of [first, second]) {
      const found = await engine.get(ANN, done.id);
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      expect(artifactText(found)).toBe('1 hello\n{"deep":["d"]}');
      expect(found).toEqual(done);
      expect(JSON.stringify(found)).not.toContain('spoiled');
      expect(JSON.stringify(await store.read(ANN, done.id))).not.toContain('spoiled');
    }
  });

  test('an output is stored as it was when it was yielded, although the handler changes the object later', async () => {
    const { task, engine } = await harness(
      async function* run({ status, artifact, step, ask }) {
        const data: Loose = { list: ['kept'] };
        const metadata: Loose = { note: ['kept'] };
        const outputs: Exclude<Output, string>[] = [
          { artifact: 'a', data, metadata },
          { artifact: 'a', data, append: true },
          { artifact: 'b', parts: [{ data, metadata }] },
          { status: 'working', parts: [{ data }, { text: 'kept' }], metadata },
        ];
        for (const output of outputs) {
          yield output;
          const copy = structuredClone(output);
          spoil(output);
          for (const key of Object.keys(output)) Reflect.deleteProperty(output, key);
          Object.assign(output, copy);
          data['list'] = ['kept'];
          metadata['note'] = ['kept'];
          Reflect.deleteProperty(data, 'spoiled');
          Reflect.deleteProperty(metadata, 'spoiled');
        }
        const content: OutputContent = { parts: [{ data }] };
        await artifact('c').append(content);
        await status({ status: 'working', data });
        spoil(content);
        const schema = { type: 'string', enum: ['kept'] } as const;
        const asked = ask('Kept?', { schema });
        spoil(schema);
        await asked;
        const result = ['kept'];
        await step('remember', () => result);
        spoil(result);
        yield { status: 'completed', parts: [{ data: { end: ['kept'] } }] };
      },
      { variant },
    );
    const asked = await task('go');
    expect(JSON.stringify(asked)).not.toContain('spoiled');
    const done = await engine.send({
      ...ANN,
      agent: 'agent',
      caller: { id: 'ann', isVerified: true },
      message: userMessage('kept', { taskId: asked.id }),
    });
    expect(done).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    const found = await engine.get(ANN, asked.id);
    expect(JSON.stringify(found)).not.toContain('spoiled');
    expect(found.artifacts?.[0]?.parts).toEqual([{ data: { list: ['kept'] } }, { data: { list: ['kept'] } }]);
  });

  test('a replay returns step results and answers unchanged although the handler has changed the objects', async () => {
    const { task, reply } = await harness(
      async function* run({ step, ask, inbox }) {
        const list = await step('list', () => ['a']);
        list.push('b');
        const form = await ask({ form: 'Where?', fields: { city: { type: 'string' } } });
        const { city } = form;
        spoil(form);
        const message = await ask('And?', { as: 'message' });
        spoil(message);
        for (const other of await inbox.take()) spoil(other);
        await ask('Sure?');
        yield `${list.join()} ${JSON.stringify(city)}`;
      },
      { variant },
    );
    const asked = await task('go');
    const again = await reply(asked, 'Rome', {
      message: userMessage('', { taskId: asked.id, parts: [{ data: { city: 'Rome' } }] }),
    });
    const third = await reply(again, 'hm');
    const done = await reply(third, 'yes');
    expect(artifactText(done)).toBe('a,b "Rome"');
    expect(JSON.stringify(done)).not.toContain('spoiled');
  });
});
