import type { AgentCard, AgentProvider } from '../model/card.ts';
import { defined } from '../support/defined.ts';
import type { Check } from './check.ts';
import type { Skill } from './skill-access.ts';
import { readModes, readSkillList, type SkillOptions } from './skills.ts';

/** What an extended card says differently. Nothing but these members can reach it. */
export interface CardParts extends Partial<
  Pick<
    AgentCard,
    | 'name'
    | 'description'
    | 'version'
    | 'provider'
    | 'documentationUrl'
    | 'iconUrl'
    | 'defaultInputModes'
    | 'defaultOutputModes'
  >
> {
  /** More skills, or others in the place of those with the same id; each is shown to whom it is for. */
  readonly skills?: readonly SkillOptions[];
}

/** Parts that were checked and copied. */
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

/** Reads parts member by member, at the start or as a function gave them. */
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

/** Who offers the agent, as a card says it. */
export function readProvider(check: Check, value: unknown, path: string): AgentProvider | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, path, `{ organization: 'Example', url: 'https://example.com' }`);
  if (given === undefined) return undefined;
  check.keys(given, ['organization', 'url'], `${path}.`);
  return {
    organization: check.text(given['organization'], `${path}.organization`, 'Example'),
    url: check.webAddress(given['url'], `${path}.url`),
  };
}
