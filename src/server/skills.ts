import type { AgentSkill } from '../model/card.ts';
import { defined } from '../support/defined.ts';
import { type Check, isObject, kindOf } from './check.ts';
import { parseMediaRange } from './media-type.ts';
import { humanise } from './names.ts';
import { openSkill, type Skill, type SkillVisibility } from './skill-access.ts';
import { categoriesOf } from './tool-tags.ts';

/** Something the agent can do, as its card tells it. */
export interface SkillOptions {
  /** Unique in its agent, and the same for ever: callers keep it. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Words to find it by; its id if not set. */
  readonly tags?: readonly string[];
  /** What one could ask for. */
  readonly examples?: readonly string[];
  /** The media types that it accepts and outputs, where they differ from the agent's. Messages that name the skill are held to them. */
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
  /**
   * Whose cards show it: everybody's, those of authenticated callers, or none; `public` if not set. A skill or tool whose name starts
   * with `mcp__user_` or `mcp__org_` is never public: `hidden` unless it is `authenticated` or has `tenants`.
   */
  readonly visibility?: SkillVisibility;
  /** What a caller must be allowed to use it, all of them. Never on a card. */
  readonly scopes?: readonly string[];
  /** The tenants that have it, for callers whose credentials name one of them; the others, and the public card, do not know it. */
  readonly tenants?: readonly string[];
}

/** A tool in any of the usual forms. Its name, title, description, tags and visibility are read, and nothing else. */
export interface ToolOptions {
  /** In a record of tools the key is the name. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** Beside the tag `tool`; categories by the words of its name if not set, such as `search` for `web_search`. */
  readonly tags?: readonly string[];
  /** Whose cards show it, as for skills. */
  readonly visibility?: SkillVisibility;
  /** The form `{ type: 'function', function: { name, description } }`. */
  readonly function?: { readonly name: string; readonly description?: string };
}

/** Tools have more members than these: in literals of any name, in objects of classes as they are. */
type Tool = ToolOptions | (ToolOptions & Readonly<Record<string, unknown>>);

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

/** The names of tools that a user or an organisation has connected. They would reveal tenants and their integrations. */
const OF_TENANT = /^mcp__(?:user|org)_/i;

/** Given skills, then one for each tool that has no skill of its id. */
export function readSkills(check: Check, skills: unknown, tools: unknown): Skill[] {
  const given = readSkillList(check, skills, 'skills');
  const derived = distinct(check, 'tools', readTools(check, tools));
  return [...given, ...derived.filter(({ card: { id } }) => !given.some(({ card }) => card.id === id))];
}

/** @param unlessPublic The visibility of a skill that would be public, but whose name tells of a user or an organisation. */
export function readSkillList(
  check: Check,
  skills: unknown,
  path: string,
  unlessPublic: SkillVisibility = 'hidden',
): Skill[] {
  const read = check.list(skills, path, 'skills', (skill, at) => readSkill(check, skill, at, unlessPublic));
  return distinct(check, path, read);
}

function readSkill(check: Check, value: unknown, path: string, unlessPublic: SkillVisibility): Skill | undefined {
  const card = readCard(check, value, path);
  if (card === undefined || !isObject(value)) return undefined;
  const tenants = textsOf(check, value['tenants'], `${path}.tenants`, 'tenants');
  const visibility = readVisibility(check, value['visibility'], `${path}.visibility`);
  const isOfTenant = visibility === 'public' && tenants === undefined && OF_TENANT.test(card.id);
  return {
    card,
    visibility: isOfTenant ? unlessPublic : visibility,
    scopes: readScopes(check, value['scopes'], `${path}.scopes`),
    tenants,
  };
}

function readVisibility(check: Check, value: unknown, path: string): SkillVisibility {
  if (value === undefined) return 'public';
  const known = VISIBILITIES.find((word) => word === value);
  if (known === undefined) {
    const words = VISIBILITIES.map((word) => JSON.stringify(word)).join(' or ');
    check.fault(path, `must be ${words}`);
  }
  return known ?? 'hidden';
}

/** As they stand in credentials, which list them with spaces between. */
export function readScopes(check: Check, value: unknown, path: string): readonly string[] {
  return check.list(value, path, 'scopes', (item, at) => {
    const scope = check.text(item, at, 'mail.read');
    if (/\s/.test(scope)) check.fault(at, 'must be one scope, without spaces');
    return scope;
  });
}

function readCard(check: Check, value: unknown, path: string): AgentSkill | undefined {
  const given = check.record(value, path, `{ id: 'translate', name: 'Translate', description: 'English to French' }`);
  if (given === undefined) return undefined;
  check.keys(given, SKILL_KEYS, `${path}.`);
  const id = check.text(given['id'], `${path}.id`, 'translate');
  return defined({
    id,
    name: check.text(given['name'], `${path}.name`, 'Translate'),
    description: check.text(given['description'], `${path}.description`, 'Translates English into French.'),
    tags: tagsOf(check, given['tags'], `${path}.tags`) ?? [id],
    examples: textsOf(check, given['examples'], `${path}.examples`, 'texts'),
    inputModes: readModes(check, given['inputModes'], `${path}.inputModes`),
    outputModes: readModes(check, given['outputModes'], `${path}.outputModes`),
  });
}

function readTools(check: Check, tools: unknown): (Skill | undefined)[] {
  if (tools === undefined) return [];
  if (Array.isArray(tools)) return Array.from(tools, (tool: unknown, i) => readTool(check, tool, `tools[${i}]`));
  if (isObject(tools)) return Object.entries(tools).map(([name, tool]) => readTool(check, tool, `tools.${name}`, name));
  check.fault('tools', `must be a list of tools, or an object of tools by name, not ${kindOf(tools)}`);
  return [];
}

/** Tools are objects of other libraries, so that members unknown to us are no mistake, and never looked at. */
function readTool(check: Check, value: unknown, path: string, key?: string): Skill | undefined {
  const outer = check.record(value, path, `{ name: 'get_weather', description: 'Tells the weather of a city' }`);
  if (outer === undefined) return undefined;
  const isWrapped = outer['type'] === 'function' && isObject(outer['function']);
  const [tool, at] = isWrapped && isObject(outer['function']) ? [outer['function'], `${path}.function`] : [outer, path];
  const id = check.text(key ?? tool['name'], `${at}.name`, 'get_weather');
  // Some tools say nothing of themselves, and whoever lists them cannot help it.
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

/** Notes ids that occur twice: callers name a skill by its id. */
function distinct(check: Check, path: string, skills: readonly (Skill | undefined)[]): Skill[] {
  const first = new Map<string, number>();
  return skills.filter((skill, i): skill is Skill => {
    if (skill === undefined) return false;
    const { id } = skill.card;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, i);
    else if (id !== '') {
      const [key, each] = path === 'tools' ? ['name', 'tool'] : ['id', 'skill'];
      check.fault(`${path}[${i}].${key}`, `is that of ${path}[${earlier}] again; give each ${each} its own`);
    }
    return true;
  });
}

function tagsOf(check: Check, value: unknown, path: string): string[] | undefined {
  return textsOf(check, value, path, 'words');
}

/** Undefined if there are none: in the card the two mean the same. */
function textsOf(check: Check, value: unknown, path: string, of: string): string[] | undefined {
  const texts = check.list(value, path, of, (item, at) => check.text(item, at));
  return texts.length === 0 ? undefined : texts;
}

/** Media types that an agent or a skill takes or gives. */
export function readModes(check: Check, value: unknown, path: string): string[] | undefined {
  if (value === undefined) return undefined;
  const modes = check.list(value, path, 'media types', (item, at) => {
    const mode = check.text(item, at, 'text/plain');
    if (mode !== '' && parseMediaRange(mode) === undefined) {
      check.fault(at, `must be a media type such as "text/plain" or "image/*", not ${JSON.stringify(mode)}`);
    }
    return mode;
  });
  if (Array.isArray(value) && value.length === 0) check.fault(path, 'must name a media type, or be left out');
  return modes;
}
