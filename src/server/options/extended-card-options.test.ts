import { expect, test } from 'vitest';
import { Check } from '../../support/check.ts';
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
  [
    'a string instead of an object',
    'yes',
    'extendedCard: expected true, an object with card members, or a function that returns one, got a string',
  ],
  ['a member that no card has', { systemPrompt: 'x' }, 'extendedCard.systemPrompt: is not an option'],
  ['an invalid URL', { iconUrl: 'icon.png' }, 'extendedCard.iconUrl: expected an absolute URL'],
  ['a password in a URL', { documentationUrl: 'https://a:b@c.example' }, 'must not contain a user name or password'],
  [
    'an incomplete provider',
    { provider: { url: 'https://c.example' } },
    'extendedCard.provider.organization: is required',
  ],
  [
    'an invalid media type',
    { defaultInputModes: ['text'] },
    'extendedCard.defaultInputModes[0]: expected a media type',
  ],
  ['an incomplete skill', { skills: [{ id: 'x' }] }, 'extendedCard.skills[0].name: is required'],
])('extendedCard with %s is rejected', (_, value, problem) => {
  expect(problemsOf(value)).toContain(problem);
});

test.each([undefined, false, true, () => undefined, {}, { name: 'Mine', skills: [] }])(
  'extendedCard: %o is accepted',
  (value) => {
    expect(problemsOf(value)).toBe('');
  },
);
