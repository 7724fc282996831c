import { isPlain } from '../support/json/json-value.ts';
import { isRecord } from '../support/json/to-json.ts';
import type { Handler } from '../engine/handler.ts';
import { RUN_LIMITS, type RunLimits } from '../engine/runnable.ts';
import type { AgentCard, AgentExtension, AgentProvider } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import { SKILL_EXTENSION } from '../model/skills.ts';
import { defined } from '../support/defined.ts';
import { Check, isObject, kindOf } from '../support/check.ts';
import {
  option,
  type OptionTable,
  pickOptions,
  readTable,
  requiredText,
  webAddress,
  WITH_OTHERS,
} from '../support/options.ts';
import { isId, slug } from './names.ts';
import { mattersByName, openSkill, publicSkills, type Skill, skillExtensionFor } from './skill-access.ts';
import { readModes, readScopes, readSkills, type SkillOptions, type Tools } from './skills.ts';
import { isTyped, type SkillHandler } from './skill-handler.ts';
import type { TypedSkill } from './typed-skill.ts';

/**
 * Options of `agent()`. The members inherited from `RunLimits` limit its runs. Each of them has a default, except `runsPerCaller`
 * and `maxQueuedMs`, which impose no limit if unset.
 */
export interface AgentOptions extends Partial<RunLimits> {
  /** The display name on the card. Required. */
  readonly name: string;
  /** Describes the agent to people and to other agents. It is public, so never put the system prompt here. Required. */
  readonly description: string;
  /**
   * Identifies the tasks of the agent in the store: 1 to 64 letters, digits, `.`, `_` and `-`. Tasks that were stored under another
   * id have no handler anymore. Default: derived from `name`, so `My Agent` becomes `my-agent`.
   */
  readonly id?: string;
  /** The version of the agent, not of the protocol. Up to 64 characters without spaces. Default: `1.0.0`. */
  readonly version?: string;
  /**
   * The skills that the card lists. Default: one skill with the name and description of the agent. A skill made with `skill()` has its
   * own handler.
   */
  readonly skills?: readonly (SkillOptions | TypedSkill)[];
  /** Tools to list as skills, in the format of any common framework. The server never calls them; `run` does. */
  readonly tools?: Tools;
  /**
   * Handles a message: an async function or async generator. It can run again after a crash, so wrap side effects in `ctx.step()`.
   * Required, unless every skill has its own handler. Then the agent rejects messages that name no skill.
   */
  readonly run?: Handler;
  /** The media types that the agent accepts, such as `image/*`. The server rejects other content. Default: every type. */
  readonly inputModes?: readonly string[];
  /**
   * The media types that the card lists as output. Output of other types is delivered with a warning in the log. Default:
   * `text/plain` and `application/json`.
   */
  readonly outputModes?: readonly string[];
  /** The organization that offers the agent, shown on the card. */
  readonly provider?: AgentProvider;
  /** A link to documentation, shown on the card. */
  readonly documentationUrl?: string;
  /** A link to an icon, shown on the card. */
  readonly iconUrl?: string;
  /** Protocol extensions that the card declares. The server rejects messages that do not name a `required` one. */
  readonly extensions?: readonly AgentExtension[];
  /** The scopes that a caller needs to send a message. A skill with its own `scopes` replaces them. Default: none. */
  readonly scopes?: readonly string[];
}

/** The members of the card that are the same wherever the agent is served. */
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
  /** The protocol extensions that the agent declares. */
  readonly extensions?: readonly AgentExtension[];
}

export interface AgentSettings {
  readonly id: string;
  readonly card: AgentDescription;
  readonly skills: readonly Skill[];
  /** The handlers of the typed skills. */
  readonly handlers: readonly SkillHandler[];
  readonly scopes: readonly string[];
  /** The handler of messages that name no typed skill; undefined if there are no other messages. */
  readonly run: Handler | undefined;
  readonly limits: RunLimits;
}

/** The types that every handler can read as `ctx.text` and output without specifying a type. */
const DEFAULT_MODES = ['text/plain', 'application/json'] as const;
/** The first two are the types an agent understands best; the last one accepts files of every type. */
const DEFAULT_INPUT_MODES = [...DEFAULT_MODES, '*/*'] as const;

const PRIVATE = 'agent() does not call models; use it inside run';

const HINTS: Readonly<Record<string, string>> = {
  handler: 'did you mean run?',
  execute: 'did you mean run?',
  limits: 'pass its members next to name and run',
  systemPrompt: PRIVATE,
  system: PRIVATE,
  instructions: PRIVATE,
  model: PRIVATE,
};

const MAX_PARAMS_DEPTH = 32;

/** The options of `agent()`. */
export const AGENT = {
  name: requiredText('Translator'),
  description: requiredText('Translates English into French.'),
  id: WITH_OTHERS,
  version: option(readVersion, '1.0.0'),
  skills: WITH_OTHERS,
  tools: WITH_OTHERS,
  run: WITH_OTHERS,
  inputModes: option(readModes),
  outputModes: option(readModes),
  provider: option(readProvider),
  documentationUrl: webAddress(),
  iconUrl: webAddress(),
  extensions: option(readExtensions),
  scopes: option(readScopes),
  ...RUN_LIMITS,
} as const satisfies OptionTable<AgentOptions>;

/**
 * Reads untyped options member by member, so that nothing else can reach a card.
 *
 * @throws TypeError that lists every invalid option.
 */
export function readOptions(options: unknown): AgentSettings {
  if (!isObject(options)) {
    throw new TypeError(`agent() expects an object such as { name, description, run }, got ${kindOf(options)}`);
  }
  const check = new Check();
  const settings = readTable(check, options, AGENT, '', HINTS);
  const { name, description, version, provider, documentationUrl, iconUrl, scopes = [] } = settings;
  const id = readId(check, options['id'], name);
  const run = readRun(check, options);
  const handlers: SkillHandler[] = [];
  const given = readSkills(check, options['skills'], options['tools'], (handler) => handlers.push(handler));
  if (options['run'] === undefined && hasTyped(options)) assertHandled(check, given);
  const skills = given.length > 0 ? given : [openSkill({ id, name, description, tags: [id] })];
  const shown = publicSkills(skills);
  const card = defined({
    name,
    description,
    version,
    provider,
    documentationUrl,
    iconUrl,
    defaultInputModes: settings.inputModes ?? [...DEFAULT_INPUT_MODES],
    defaultOutputModes: settings.outputModes ?? [...DEFAULT_MODES],
    // A card needs at least one skill (1.0 §4.4.1), and some clients reject a skill without tags.
    skills: shown.length > 0 ? shown.map((skill) => skill.card) : [{ id, name, description, tags: [id] }],
    extensions: withSkillNames(settings.extensions, skills),
  });
  check.finish('Invalid options for agent():');
  const limits = pickOptions(settings, RUN_LIMITS);
  return { id, card, skills, handlers, scopes, run, limits };
}

const A_HANDLER = 'an async function or generator such as async *run({ text }) { … }';

function readRun(check: Check, options: Readonly<Record<string, unknown>>): Handler | undefined {
  const { run } = options;
  if (typeof run === 'function') return run as Handler;
  if (run !== undefined) check.fault('run', `expected ${A_HANDLER}, got ${kindOf(run)}`);
  else if (!hasTyped(options)) check.fault('run', `is required: pass ${A_HANDLER}`);
  return undefined;
}

/** Whether skills have their own handlers. Then the agent needs one only for the other skills. */
function hasTyped({ skills }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(skills) && skills.some((one: unknown) => isObject(one) && isTyped(one));
}

function assertHandled(check: Check, skills: readonly Skill[]): void {
  const other = skills.find(({ schemas }) => schemas === undefined);
  if (other === undefined) return;
  const id = JSON.stringify(other.card.id);
  check.fault('run', `is required, because skill ${id} has no handler of its own: pass ${A_HANDLER}`);
}

function readId(check: Check, value: unknown, name: string): string {
  if (value === undefined) {
    const id = slug(name);
    if (id === '' && name !== '')
      check.fault('id', 'is required, because name has no letters or digits to derive it from');
    return id;
  }
  const id = check.text(value, 'id', 'translator');
  if (id !== '' && !isId(id)) {
    check.fault('id', 'expected 1 to 64 letters, digits, ".", "_" and "-", starting with a letter or digit');
  }
  return id;
}

function readVersion(check: Check, value: unknown): string {
  const version = check.text(value, 'version', '1.0.0');
  if (version !== '' && !/^\S{1,64}$/u.test(version)) {
    check.fault('version', 'expected 1 to 64 characters without spaces, such as "1.0.0"');
  }
  return version;
}

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

function readExtensions(check: Check, value: unknown): AgentExtension[] | undefined {
  const seen = new Set<string>();
  const extensions = check.list(value, 'extensions', 'extensions', (item, path): AgentExtension | undefined => {
    const given = check.record(item, path, `{ uri: 'https://example.com/extension' }`);
    if (given === undefined) return undefined;
    check.keys(given, ['uri', 'description', 'required', 'params'], `${path}.`);
    const uri = check.text(given['uri'], `${path}.uri`, 'https://example.com/extension');
    if (uri !== '' && !URL.canParse(uri)) check.fault(`${path}.uri`, 'expected an absolute URI');
    // The A2A-Extensions header is a comma-separated list, so no caller could request this URI.
    if (uri.includes(','))
      check.fault(`${path}.uri`, 'must not contain a comma, which separates URIs in the A2A-Extensions header');
    if (seen.has(uri)) check.fault(`${path}.uri`, 'is a duplicate');
    if (uri !== '') seen.add(uri);
    const { required, params } = given;
    check.flag(required, `${path}.required`);
    if (params !== undefined && !(isRecord(params) && isPlain(params, MAX_PARAMS_DEPTH))) {
      check.fault(`${path}.params`, 'expected an object of JSON values');
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

/** If it matters which skill a message is for, the card declares how to specify it. */
function withSkillNames(
  extensions: AgentExtension[] | undefined,
  skills: readonly Skill[],
): AgentExtension[] | undefined {
  if (!skills.some(mattersByName)) return extensions;
  const others = (extensions ?? []).filter(({ uri }) => uri !== SKILL_EXTENSION);
  return [...others, skillExtensionFor(publicSkills(skills))];
}
