import { defined } from '../../support/defined.ts';
import type { Check } from '../../support/check.ts';
import type { Skill } from '../../agent/skill-access.ts';
import { type AgentDescription, readProvider } from '../../agent/agent-options.ts';
import { readModes, readSkillList, type SkillOptions } from '../../agent/skills.ts';

/** The members that an extended card can change. No other member can reach it. */
export interface CardParts extends Partial<Omit<AgentDescription, 'extensions' | 'skills'>> {
  /** Further skills, or replacements for skills with the same id. A caller sees those that it can use. */
  readonly skills?: readonly SkillOptions[];
}

export interface ReadCardParts {
  readonly members: Omit<CardParts, 'skills'>;
  readonly skills: readonly Skill[];
}

const KEYS = [
  'name',
  'description',
  'version',
  'provider',
  'documentationUrl',
  'iconUrl',
  'defaultInputModes',
  'defaultOutputModes',
  'skills',
] as const satisfies readonly (keyof CardParts)[];

/** Reads the members from the option, or from the result of its function. */
export function readCardParts(check: Check, given: Readonly<Record<string, unknown>>, path: string): ReadCardParts {
  check.keys(given, KEYS, `${path}.`);
  const text = (key: string): string | undefined => check.optionalText(given[key], `${path}.${key}`);
  const address = (key: string): string | undefined =>
    given[key] === undefined ? undefined : check.webAddress(given[key], `${path}.${key}`);
  const members = defined({
    name: text('name'),
    description: text('description'),
    version: text('version'),
    provider: readProvider(check, given['provider'], `${path}.provider`),
    documentationUrl: address('documentationUrl'),
    iconUrl: address('iconUrl'),
    defaultInputModes: readModes(check, given['defaultInputModes'], `${path}.defaultInputModes`),
    defaultOutputModes: readModes(check, given['defaultOutputModes'], `${path}.defaultOutputModes`),
  });
  return { members, skills: readSkillList(check, given['skills'], `${path}.skills`, 'authenticated') };
}
