import { expect, test } from 'vitest';
import { Check } from './check.ts';
import { readExtendedCard } from './extended-card-options.ts';

function problemsOf(value: unknown): string {
  const check = new Check();
  readExtendedCard(check, value);
  try {
    check.finish('');
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test.each([
  ['a text', 'yes', 'extendedCard: must be true, parts of a card or a function that gives them, not a text'],
  ['what is on no card', { systemPrompt: 'x' }, 'extendedCard.systemPrompt: is not an option'],
  ['an address that is none', { iconUrl: 'icon.png' }, 'extendedCard.iconUrl: must be a whole address'],
  ['a password in an address', { documentationUrl: 'https://a:b@c.example' }, 'must hold no user name or password'],
  ['half a provider', { provider: { url: 'https://c.example' } }, 'extendedCard.provider.organization: is missing'],
  ['a mode that is none', { defaultInputModes: ['text'] }, 'extendedCard.defaultInputModes[0]: must be a media type'],
  ['half a skill', { skills: [{ id: 'x' }] }, 'extendedCard.skills[0].name: is missing'],
])('%s is refused', (_, value, problem) => {
  expect(problemsOf(value)).toContain(problem);
});

test.each([undefined, false, true, () => undefined, {}, { name: 'Mine', skills: [] }])('%o will do', (value) => {
  expect(problemsOf(value)).toBe('');
});
