/** The maximum length of ids that callers choose, because stores index them (1.0 §13.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { RPC_01, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const MOST = 256;
/** Characters that take three bytes each. */
const name = (length: number): string => '\u4e2d'.repeat(length);
const TOO_LONG = /: expected at most 256 characters$/;

describe('a context', () => {
  test.each(WIRE_FORMATS)(
    verifies('E-15', '$name: may have an id of 256 characters, and not one more'),
    async (format) => {
      const server = await startServer();

      const taken = await server.ask(format.send({ text: 'hello', contextId: name(MOST) }));
      const refused = await server.ask(format.send({ text: 'hello', contextId: name(MOST + 1) }));

      expect(format.sent(taken)).toMatchObject({ task: { contextId: name(MOST) } });
      expect(format.error(refused)).toMatchObject({
        reason: 'INVALID_PARAMS',
        message: expect.stringMatching(TOO_LONG),
        fields: ['message.contextId'],
      });
      if (format.binding === 'REST') expect(refused.status).toBe(400);
      expect(server.runs()).toBe(1);
    },
  );
});

describe('a message', () => {
  test.each(FORMATS_SINCE_02)(
    verifies('E-15', '$name: may have an id of 256 characters, and not one more'),
    async (format) => {
      const server = await startServer();

      const taken = await server.ask(format.send({ text: 'hello', messageId: name(MOST) }));
      const refused = await server.ask(format.send({ text: 'hello', messageId: name(MOST + 1) }));

      expect(format.sent(taken)).toMatchObject({ task: { state: 'completed' } });
      expect(format.error(refused)).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.messageId'] });
      expect(server.runs()).toBe(1);
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('E-15', '$name: may have a taskId of 256 characters, and not one more'),
    async (format) => {
      const server = await startServer();

      const taken = await server.ask(format.send({ text: 'hello', taskId: name(MOST) }));
      const refused = await server.ask(format.send({ text: 'hello', taskId: name(MOST + 1) }));

      if (format === RPC_01) expect(format.sent(taken)).toMatchObject({ task: { id: name(MOST) } });
      else expect(format.error(taken).reason).toBe('TASK_NOT_FOUND');
      expect(format.error(refused)).toMatchObject({
        reason: 'INVALID_PARAMS',
        message: expect.stringMatching(TOO_LONG),
        fields: ['message.taskId'],
      });
    },
  );
});

describe('a tenant', () => {
  const body = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
  const ways = {
    'in the path': (tenant: string) => ({ method: 'POST', path: `/${tenant}/message:send`, body }),
    'in the params': (tenant: string) => rpc('1.0', 'SendMessage', { tenant, ...body }),
  };

  test.each(Object.entries(ways))(verifies('E-15', '%s may have 256 characters, and not one more'), async (_, say) => {
    const server = await startServer();

    const taken = await server.ask(say('t'.repeat(MOST)));
    const refused = await server.ask(say('t'.repeat(MOST + 1)));

    expect(taken.text).toContain('TASK_STATE_COMPLETED');
    expect(refused.text).toContain('tenant: expected at most 256 characters');
    expect(refused.text).toContain('INVALID_PARAMS');
    expect(server.runs()).toBe(1);
  });
});
