import { expect, test } from 'vitest';
import { connected } from '../../our-client-behaviours.ts';
import { startProgram } from '../program.ts';
import { sessionBehaviours } from '../session-behaviours.ts';

const program = startProgram('js/adk');

sessionBehaviours({ name: 'Google ADK for JavaScript', program, answersQuestions: false });

test.each(['stream', 'poll', 'block'] as const)(
  'our client asks an agent of ADK for JavaScript by %s',
  async (wait) => {
    const agent = await connected((await program.call('serve')) as string);
    const reply = await agent.send('hi', { wait });
    expect(reply).toMatchObject({ state: 'completed', text: 'You said: hi' });
  },
);
