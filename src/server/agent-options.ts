import { isPlain, isRecord } from '../engine/json-value.ts';
import type { Handler } from '../engine/handler.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../engine/runnable.ts';
import type { AgentCard, AgentExtension, AgentProvider } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import { defined } from '../support/defined.ts';
import { readProvider } from './card-parts.ts';
import { Check, isObject, kindOf } from './check.ts';
import { isId, slug } from './names.ts';
import { mattersByName, openSkill, publicSkills, type Skill } from './skill-access.ts';
import { readModes, readScopes, readSkills, type SkillOptions, type Tools } from './skills.ts';

/** What makes an agent. The members of `RunLimits` limit its runs; all but `runsPerCaller` and `maxQueuedMs` have a default. */
export interface AgentOptions extends Partial<RunLimits> {
  /** What people call it. */
  readonly name: string;
  /** What it is for, to people and to other agents. Public, so never the system prompt. */
  readonly description: string;
  /** Names its tasks in the store: change it, and they lose their handler. Made from the name if not set. */
  readonly id?: string;
  /** The version of the agent, not of the protocol; `1.0.0` if not set. */
  readonly version?: string;
  /** What it can do. With neither skills nor tools, the agent is its own one skill. */
  readonly skills?: readonly SkillOptions[];
  /** Each tool becomes a skill, unless `skills` has one of its name. Only described here; to call them is up to `run`. */
  readonly tools?: Tools;
  readonly run: Handler;
  /** The media types that it accepts, such as `image/*`; the server rejects other content. Every type if not set. */
  readonly inputModes?: readonly string[];
  /** The media types that its card lists as output; text and JSON if not set. Other types are delivered, with a warning in the log. */
  readonly outputModes?: readonly string[];
  readonly provider?: AgentProvider;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly extensions?: readonly AgentExtension[];
  /** What a caller must be allowed to send it a message at all; skills may ask for something else. */
  readonly scopes?: readonly string[];
}

/** The part of a card that is the same wherever the agent is served. */
export interface AgentDescription extends Pick<
  AgentCard,
  | 'name'
  | 'description'
  | 'version'
  | 'provider'
  | 'documentationUrl'
  | 'iconUrl'
  | 'defaultInputModes'
  | 'defaultOutputModes'
  | 'skills'
> {
  readonly extensions?: readonly AgentExtension[];
}

/** Options that were checked and copied. */
export interface AgentSettings {
  readonly id: string;
  readonly card: AgentDescription;
  readonly skills: readonly Skill[];
  readonly scopes: readonly string[];
  readonly run: Handler;
  readonly limits: RunLimits;
}

/** What every handler can read as `ctx.text`, and output without naming a type. */
const DEFAULT_MODES = ['text/plain', 'application/json'] as const;
/** The first two tell callers what the agent understands best; the last one accepts files of every type. */
const DEFAULT_INPUT_MODES = [...DEFAULT_MODES, '*/*'] as const;

const OPTION_KEYS = [
  'name',
  'description',
  'id',
  'version',
  'skills',
  'tools',
  'run',
  'inputModes',
  'outputModes',
  'provider',
  'documentationUrl',
  'iconUrl',
  'extensions',
  'scopes',
] as const satisfies readonly (keyof AgentOptions)[];

const LIMIT_KEYS = [...Object.keys(DEFAULT_LIMITS), 'runsPerCaller', 'maxQueuedMs'] as readonly (keyof RunLimits)[];

/** The extension by which messages name the skill that they are for. */
const SKILL_EXTENSION = 'urn:tandem-a2a:skill:1';

const PRIVATE = 'what is not for the card belongs into run';

const HINTS: Readonly<Record<string, string>> = {
  handler: 'did you mean run?',
  execute: 'did you mean run?',
  limits: 'give its members beside name and run',
  systemPrompt: PRIVATE,
  system: PRIVATE,
  instructions: PRIVATE,
  model: PRIVATE,
};

/** The words that a limit may be, where it is no number. */
const WORDS: Partial<Record<keyof RunLimits, readonly string[]>> = {
  recovery: ['resume', 'fail'],
  onDisconnect: ['continue', 'cancel'],
  onUnfitAnswer: ['reject', 'cancel-question'],
};

/** The limits that may be 0: no waiting room, no grace, no pauses, no waiting. */
const MAY_BE_ZERO: readonly (keyof RunLimits)[] = ['queue', 'cancelGraceMs', 'maxPausedPerCaller', 'maxWaitMs'];

const MAX_PARAMS_DEPTH = 32;

/**
 * Reads options as somebody wrote them, perhaps without types. Member by member: what is not read here is in no card.
 *
 * @throws TypeError that names everything that is wrong.
 */
export function readOptions(options: unknown): AgentSettings {
  if (!isObject(options)) {
    throw new TypeError(`agent() takes an object like { name, description, run }, not ${kindOf(options)}`);
  }
  const check = new Check();
  check.keys(options, [...OPTION_KEYS, ...LIMIT_KEYS], '', HINTS);
  const name = check.text(options['name'], 'name', 'Translator');
  const description = check.text(options['description'], 'description', 'Translates English into French.');
  const id = readId(check, options['id'], name);
  const run = options['run'];
  if (typeof run !== 'function') {
    const wrong = run === undefined ? 'is missing; give' : `must not be ${kindOf(run)}; give`;
    check.fault('run', `${wrong} an async function or generator like async *run({ text }) { … }`);
  }
  const given = readSkills(check, options['skills'], options['tools']);
  const skills = given.length > 0 ? given : [openSkill({ id, name, description, tags: [id] })];
  const shown = publicSkills(skills);
  const scopes = readScopes(check, options['scopes'], 'scopes');
  const card = defined({
    name,
    description,
    version: readVersion(check, options['version']),
    provider: readProvider(check, options['provider'], 'provider'),
    documentationUrl: addressOf(check, options, 'documentationUrl'),
    iconUrl: addressOf(check, options, 'iconUrl'),
    defaultInputModes: readModes(check, options['inputModes'], 'inputModes') ?? [...DEFAULT_INPUT_MODES],
    defaultOutputModes: readModes(check, options['outputModes'], 'outputModes') ?? [...DEFAULT_MODES],
    // Cards need a skill (1.0 §4.4.1), and some readers refuse one without tags.
    skills: shown.length > 0 ? shown : [{ id, name, description, tags: [id] }],
    extensions: withSkillNames(readExtensions(check, options['extensions']), skills),
  });
  const limits = readLimits(check, options);
  check.finish('agent() cannot use these options:');
  return { id, card, skills, scopes, run: run as Handler, limits };
}

function readId(check: Check, value: unknown, name: string): string {
  if (value === undefined) {
    const id = slug(name);
    if (id === '' && name !== '') check.fault('id', 'is missing, and name has no letters to make it from');
    return id;
  }
  const id = check.text(value, 'id', 'translator');
  if (id !== '' && !isId(id)) {
    check.fault('id', 'must be up to 64 letters, digits, ".", "_" and "-", and start with a letter or digit');
  }
  return id;
}

function readVersion(check: Check, value: unknown): string {
  if (value === undefined) return '1.0.0';
  const version = check.text(value, 'version', '1.0.0');
  if (version !== '' && !/^\S{1,64}$/u.test(version)) {
    check.fault('version', 'must be up to 64 characters without spaces, such as "1.0.0"');
  }
  return version;
}

function addressOf(check: Check, options: Readonly<Record<string, unknown>>, key: string): string | undefined {
  return options[key] === undefined ? undefined : check.webAddress(options[key], key);
}

function readExtensions(check: Check, value: unknown): AgentExtension[] | undefined {
  const seen = new Set<string>();
  const extensions = check.list(value, 'extensions', 'extensions', (item, path): AgentExtension | undefined => {
    const given = check.record(item, path, `{ uri: 'https://example.com/extension' }`);
    if (given === undefined) return undefined;
    check.keys(given, ['uri', 'description', 'required', 'params'], `${path}.`);
    const uri = check.text(given['uri'], `${path}.uri`, 'https://example.com/extension');
    if (uri !== '' && !URL.canParse(uri)) check.fault(`${path}.uri`, 'must be a whole URI');
    // Nobody could ask for it: the header is a list.
    if (uri.includes(','))
      check.fault(`${path}.uri`, 'must have no comma, which ends a URI in the header A2A-Extensions');
    if (seen.has(uri)) check.fault(`${path}.uri`, 'stands here a second time');
    if (uri !== '') seen.add(uri);
    const { required, params } = given;
    if (required !== undefined && typeof required !== 'boolean') {
      check.fault(`${path}.required`, `must be true or false, not ${kindOf(required)}`);
    }
    if (params !== undefined && !(isRecord(params) && isPlain(params, MAX_PARAMS_DEPTH))) {
      check.fault(`${path}.params`, 'must be an object of JSON values');
      return undefined;
    }
    return defined({
      uri,
      description: check.optionalText(given['description'], `${path}.description`),
      required: required === true ? true : undefined,
      params: params === undefined ? undefined : (structuredClone(params) as JsonObject),
    });
  });
  const read = extensions.filter((extension) => extension !== undefined);
  return read.length === 0 ? undefined : read;
}

/** Where it matters for which skill a message is, callers are told how to say it. */
function withSkillNames(
  extensions: AgentExtension[] | undefined,
  skills: readonly Skill[],
): AgentExtension[] | undefined {
  const own = { uri: SKILL_EXTENSION, description: 'A message may name its skill: metadata.skillId' };
  return skills.some(mattersByName) ? [...(extensions ?? []).filter(({ uri }) => uri !== own.uri), own] : extensions;
}

function readLimits(check: Check, options: Readonly<Record<string, unknown>>): RunLimits {
  const limits: Partial<Record<keyof RunLimits, unknown>> = { ...DEFAULT_LIMITS };
  for (const key of LIMIT_KEYS) {
    const value = options[key];
    if (value === undefined) continue;
    const words = WORDS[key];
    if (words === undefined) limits[key] = readNumber(check, key, value);
    else if (words.some((word) => word === value)) limits[key] = value;
    else check.fault(key, `must be ${words.map((word) => JSON.stringify(word)).join(' or ')}`);
  }
  return limits as RunLimits;
}

function readNumber(check: Check, key: keyof RunLimits, value: unknown): number {
  const least = MAY_BE_ZERO.includes(key) ? 0 : 1;
  const isTime = key.endsWith('Ms');
  // A time may come out of a multiplication with a rest, a count may not.
  const number = isTime && typeof value === 'number' ? Math.round(value) : value;
  if (Number.isSafeInteger(number) && Number(number) >= least) return Number(number);
  const unit = isTime ? 'a number of milliseconds' : 'a whole number';
  check.fault(key, `must be ${unit}, ${least} or more, not ${kindOf(value)}`);
  return least;
}
