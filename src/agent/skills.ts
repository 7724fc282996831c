import type { AgentSkill } from '../model/card.ts';
import { defined } from '../support/defined.ts';
import { type Check, isObject, kindOf, quoted } from '../support/check.ts';
import { parseMediaRange } from './media-type.ts';
import { humanise } from './names.ts';
import { openSkill, type Skill, type SkillVisibility } from './skill-access.ts';
import { isTyped, readTypedSkill, type SkillHandler, TYPED_KEYS } from './skill-handler.ts';

/** A skill of the agent, as the card lists it, and who can use it. */
export interface SkillOptions {
  /** Unique within the agent. Callers store it, so do not change it. */
  readonly id: string;
  /** The display name. */
  readonly name: string;
  /** Describes the skill to people and to other agents. */
  readonly description: string;
  /** Keywords to find the skill by. Default: its id. */
  readonly tags?: readonly string[];
  /** Example requests, such as `Translate "good morning" into French`. */
  readonly examples?: readonly string[];
  /** The media types that the skill accepts. Enforced for messages that specify the skill. Default: those of the agent. */
  readonly inputModes?: readonly string[];
  /** The media types that the skill outputs. Default: those of the agent. */
  readonly outputModes?: readonly string[];
  /**
   * Which cards list the skill: `public` (all cards), `authenticated` (only extended cards) or `hidden` (none). Default: `public`.
   * A skill or tool whose name starts with `mcp__user_` or `mcp__org_` is never public: it is `hidden` unless it is `authenticated`
   * or has `tenants`.
   */
  readonly visibility?: SkillVisibility;
  /** The scopes that a caller needs to use the skill, all of them. Cards never list them. Default: those of the agent. */
  readonly scopes?: readonly string[];
  /** Limits the skill to callers whose credentials name one of these tenants. All other cards omit it. Default: every tenant. */
  readonly tenants?: readonly string[];
}

/** A tool in any of the common formats. Only its name, title, description, tags and visibility are read. */
export interface ToolOptions {
  /** The name of the tool, which becomes the id of the skill. In a record of tools the key is the name. */
  readonly name?: string;
  /** The display name. Default: the name in words, such as `Get weather` for `get_weather`. */
  readonly title?: string;
  /** Describes the tool. Default: its title. */
  readonly description?: string;
  /** Tags in addition to `tool`. Default: categories derived from the name, such as `search` for `web_search`. */
  readonly tags?: readonly string[];
  /** Which cards list the tool, as for skills. */
  readonly visibility?: SkillVisibility;
  /** The function in the format `{ type: 'function', function: { name, description } }`. */
  readonly function?: { readonly name: string; readonly description?: string };
}

/** Tools of other libraries have further members. The second form lets object literals have them, too. */
type Tool = ToolOptions | (ToolOptions & Readonly<Record<string, unknown>>);

/** Tools as an array, or as a record with the names as keys. */
export type Tools = readonly Tool[] | Readonly<Record<string, Tool>>;

const SKILL_KEYS = [
  'id',
  'name',
  'description',
  'tags',
  'examples',
  'inputModes',
  'outputModes',
  'visibility',
  'scopes',
  'tenants',
] as const satisfies readonly (keyof SkillOptions)[];

const VISIBILITIES: readonly SkillVisibility[] = ['public', 'authenticated', 'hidden'];

/** Names of tools that a user or an organization connected. On a public card they would reveal tenants and their integrations. */
const OF_TENANT = /^mcp__(?:user|org)_/i;

/**
 * The declared skills, then one for each tool whose name is not the id of a skill.
 *
 * @param onTyped Called with the handler of every typed skill.
 */
export function readSkills(
  check: Check,
  skills: unknown,
  tools: unknown,
  onTyped: (handler: SkillHandler) => void,
): Skill[] {
  const given = readSkillList(check, skills, 'skills', 'hidden', onTyped);
  const derived = distinct(check, 'tools', readTools(check, tools));
  return [...given, ...derived.filter(({ card: { id } }) => !given.some(({ card }) => card.id === id))];
}

/** @param unlessPublic The visibility of a skill that would be public, but whose name reveals a user or an organization. */
export function readSkillList(
  check: Check,
  skills: unknown,
  path: string,
  unlessPublic: SkillVisibility = 'hidden',
  onTyped?: (handler: SkillHandler) => void,
): Skill[] {
  const read = check.list(skills, path, 'skills', (skill, at) => readSkill(check, skill, at, unlessPublic, onTyped));
  return distinct(check, path, read);
}

function readSkill(
  check: Check,
  value: unknown,
  path: string,
  unlessPublic: SkillVisibility,
  onTyped: ((handler: SkillHandler) => void) | undefined,
): Skill | undefined {
  const isTypedSkill = onTyped !== undefined && isObject(value) && isTyped(value);
  const card = readCard(check, value, path, isTypedSkill);
  if (card === undefined || !isObject(value)) return undefined;
  const handler = isTypedSkill ? readTypedSkill(check, value, card.id, path) : undefined;
  if (handler !== undefined) onTyped?.(handler);
  const tenants = textsOf(check, value['tenants'], `${path}.tenants`, 'tenants');
  const visibility = readVisibility(check, value['visibility'], `${path}.visibility`);
  const isOfTenant = visibility === 'public' && tenants === undefined && OF_TENANT.test(card.id);
  return {
    card,
    visibility: isOfTenant ? unlessPublic : visibility,
    scopes: readScopes(check, value['scopes'], `${path}.scopes`),
    tenants,
    ...(handler !== undefined && { schemas: handler.schemas }),
  };
}

function readVisibility(check: Check, value: unknown, path: string): SkillVisibility {
  if (value === undefined) return 'public';
  const known = VISIBILITIES.find((word) => word === value);
  if (known === undefined) {
    const words = VISIBILITIES.map((word) => JSON.stringify(word)).join(' or ');
    check.fault(path, `expected ${words}, got ${quoted(value)}`);
  }
  return known ?? 'hidden';
}

/** Scopes must not contain spaces, because tokens separate scopes by spaces. */
export function readScopes(check: Check, value: unknown, path: string): readonly string[] {
  return check.list(value, path, 'scopes', (item, at) => {
    const scope = check.text(item, at, 'mail.read');
    if (/\s/.test(scope)) check.fault(at, 'must be a single scope without spaces');
    return scope;
  });
}

function readCard(check: Check, value: unknown, path: string, isTypedSkill: boolean): AgentSkill | undefined {
  const given = check.record(value, path, `{ id: 'translate', name: 'Translate', description: 'English to French' }`);
  if (given === undefined) return undefined;
  check.keys(given, isTypedSkill ? [...SKILL_KEYS, ...TYPED_KEYS] : SKILL_KEYS, `${path}.`);
  const id = check.text(given['id'], `${path}.id`, 'translate');
  const isUnnamed = isTypedSkill && given['name'] === undefined;
  return defined({
    id,
    name: isUnnamed ? humanise(id) : check.text(given['name'], `${path}.name`, 'Translate'),
    description: check.text(given['description'], `${path}.description`, 'Translates English into French.'),
    tags: tagsOf(check, given['tags'], `${path}.tags`) ?? [id],
    examples: textsOf(check, given['examples'], `${path}.examples`, 'strings'),
    inputModes: readModes(check, given['inputModes'], `${path}.inputModes`),
    outputModes: readModes(check, given['outputModes'], `${path}.outputModes`),
  });
}

function readTools(check: Check, tools: unknown): (Skill | undefined)[] {
  if (tools === undefined) return [];
  if (Array.isArray(tools)) return Array.from(tools, (tool: unknown, i) => readTool(check, tool, `tools[${i}]`));
  if (isObject(tools)) return Object.entries(tools).map(([name, tool]) => readTool(check, tool, `tools.${name}`, name));
  check.fault('tools', `expected an array of tools, or an object of tools by name, got ${kindOf(tools)}`);
  return [];
}

/** Tools are objects of other libraries, so unknown members are ignored. */
function readTool(check: Check, value: unknown, path: string, key?: string): Skill | undefined {
  const outer = check.record(value, path, `{ name: 'get_weather', description: 'Returns the weather of a city' }`);
  if (outer === undefined) return undefined;
  const isWrapped = outer['type'] === 'function' && isObject(outer['function']);
  const [tool, at] = isWrapped && isObject(outer['function']) ? [outer['function'], `${path}.function`] : [outer, path];
  const id = check.text(key ?? tool['name'], `${at}.name`, 'get_weather');
  // Tools of other libraries may have no title and no description.
  const name = wordsOf(check, tool['title'], `${at}.title`) ?? humanise(id);
  const description = wordsOf(check, tool['description'], `${at}.description`) ?? name;
  const own = tagsOf(check, outer['tags'], `${path}.tags`) ?? [];
  const tags = [...new Set(['tool', ...(outer['tags'] === undefined ? categoriesOf(id) : own)])];
  const visibility = readVisibility(check, outer['visibility'] ?? undefined, `${path}.visibility`);
  return {
    ...openSkill({ id, name, description, tags }),
    visibility: visibility === 'public' && OF_TENANT.test(id) ? 'hidden' : visibility,
  };
}

function wordsOf(check: Check, value: unknown, path: string): string | undefined {
  const isSilent = value === null || (typeof value === 'string' && value.trim() === '');
  return isSilent ? undefined : check.optionalText(value, path);
}

/** Reports duplicate ids, because callers specify a skill by its id. */
function distinct(check: Check, path: string, skills: readonly (Skill | undefined)[]): Skill[] {
  const first = new Map<string, number>();
  return skills.filter((skill, i): skill is Skill => {
    if (skill === undefined) return false;
    const { id } = skill.card;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, i);
    else if (id !== '') {
      const [key, each] = path === 'tools' ? ['name', 'tool'] : ['id', 'skill'];
      check.fault(`${path}[${i}].${key}`, `is already used by ${path}[${earlier}]; give each ${each} its own ${key}`);
    }
    return true;
  });
}

function tagsOf(check: Check, value: unknown, path: string): string[] | undefined {
  return textsOf(check, value, path, 'strings');
}

/** Undefined for an empty array, because both mean the same on a card. */
function textsOf(check: Check, value: unknown, path: string, of: string): string[] | undefined {
  const texts = check.list(value, path, of, (item, at) => check.text(item, at));
  return texts.length === 0 ? undefined : texts;
}

export function readModes(check: Check, value: unknown, path: string): string[] | undefined {
  if (value === undefined) return undefined;
  const modes = check.list(value, path, 'media types', (item, at) => {
    const mode = check.text(item, at, 'text/plain');
    if (mode !== '' && parseMediaRange(mode) === undefined) {
      check.fault(at, `expected a media type such as "text/plain" or "image/*", got ${JSON.stringify(mode)}`);
    }
    return mode;
  });
  if (Array.isArray(value) && value.length === 0)
    check.fault(path, 'must not be empty; leave it out to use the default');
  return modes;
}

/** The categories of tools, by words in their names. */
const CATEGORIES: Readonly<Record<string, string>> = {
  messaging: 'message messages email emails mail gmail slack sms telegram whatsapp chat notify notification',
  memory: 'memory memories remember recall',
  search: 'search research crawl browse',
  web: 'web url browser webpage',
  files: 'file files folder directory document documents pdf',
  data: 'sql query database table csv spreadsheet',
  development: 'github gitlab git repo repository pr prs pull commit branch issue issues',
  scheduling: 'schedule schedules calendar cron reminder',
  billing: 'credit credits billing invoice invoices payment payments',
  agents: 'agent agents a2a',
};

const BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(CATEGORIES).flatMap(([category, words]) => words.split(' ').map((word) => [word, category] as const)),
);

/**
 * The categories of a tool, derived from the words in its name: `github_search_issues` is `development` and `search`. Callers find skills by
 * their tags, and most tools have none of their own.
 */
function categoriesOf(toolName: string): readonly string[] {
  const categories = new Set<string>();
  for (const word of humanise(toolName).toLowerCase().split(' ')) {
    const category = BY_WORD.get(word);
    if (category !== undefined) categories.add(category);
  }
  return [...categories];
}
