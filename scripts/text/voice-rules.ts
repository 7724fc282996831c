/** The rules of voice that a machine can check. The reasons are in CONTRIBUTING.md. */
import type { Sentence } from './prose.ts';

export interface VoiceRule {
  readonly name: string;
  /** What to write instead. */
  readonly hint: string;
  /** The words that break the rule, or undefined. Gets a sentence with code and quotes masked. */
  readonly find: (sentence: Sentence) => string | undefined;
}

const words = (pattern: RegExp, unless?: RegExp): VoiceRule['find'] => {
  return ({ masked }) => (unless?.test(masked) === true ? undefined : pattern.exec(masked)?.[0].trim());
};

/** A clause without a noun before it. Questions and headings ("What it costs") read well with one. */
function headless({ masked, kind }: Sentence): string | undefined {
  if (masked.endsWith('?') || kind === 'heading' || kind === 'header-cell') return undefined;
  const start =
    /^(?:(?:And|But|Also|Only|Not|Then|So) )?(?:who|whoever|whom|whomever|whose|what|whatever|whichever)\b(?! about\b)/i;
  const later =
    /(?:; (?:and |but |only |not )?(?:who|whoever|whom|what|whatever)|: (?:who|whoever|whom)) (?!about\b)\w+/;
  const prepositional = /\b(?:for|of|to|by|from|with|before|than|only|not) (?:who|whom it)\b (?!is\?)/;
  const always = /\b(?:whoever|whomever)\b/i;
  for (const pattern of [start, later, prepositional, always]) {
    const found = pattern.exec(masked);
    if (found !== null) return found[0];
  }
  return undefined;
}

export const VOICE_RULES: readonly VoiceRule[] = [
  {
    name: 'headless clause',
    hint: 'name the subject: "Callers over the limit …", "Unlisted members …"',
    find: headless,
  },
  { name: 'he', hint: 'use "they" or the noun', find: words(/\b(?:he|his|him|himself)\b/i) },
  {
    name: 'tell',
    hint: 'notify, publish, acknowledge, log, report, distinguish',
    find: words(/\b(?:told|tells?|telling)\b/i),
  },
  {
    name: 'go on',
    hint: 'resume, continue',
    find: words(/\b(?:goes|go|going|gone|went) on\b(?! (?:std|the|a|to the)\b)/i),
  },
  {
    name: 'words',
    hint: 'in the 1.0 format',
    find: words(/\bwords of\b|\bin (?:its|their|the newest|other|own) (?:own )?words\b/i),
  },
  { name: 'stranger', hint: 'anonymous caller, other caller', find: words(/\b(?:strangers?|neighbou?rs?)\b/i) },
  { name: 'is no', hint: '"is not a", "is not"', find: words(isNo()) },
  {
    name: 'refuse',
    hint: 'reject (only connections are refused)',
    find: words(/\brefus(?:es?|ed|ing|als?)\b/i, /\bconnect/i),
  },
  { name: 'say', hint: 'contains, reports, specifies, states', find: words(/\b(?:said|says)\b/i) },
  { name: 'hear', hint: 'receive, observe', find: words(/\b(?:hears?|heard|unheard)\b/i) },
  { name: 'give out', hint: 'return, issue', find: words(/\b(?:gives?|gave|given|giving) (?:out|back)\b/i) },
  { name: 'hang up', hint: 'close the connection', find: words(/\b(?:hangs?|hung|hanging) up\b/i, /socket hang up/) },
  { name: 'put away', hint: 'suspended', find: words(/\bputs? away\b/i) },
  { name: 'ask after', hint: 'request, poll', find: words(/\basks?(?:ed|ing)? after\b/i) },
  { name: 'come about', hint: 'happen, result', find: words(/\b(?:comes?|came|coming) about\b/i) },
  { name: 'makes of', hint: 'converts to, returns', find: words(/\b(?:makes?|made) of (?:it|its|them|a)\b/i) },
  {
    name: 'because',
    hint: '"because" instead of "for"',
    find: words(
      /[,:;] for (?:it|they|there|nothing|nobody|somebody|only|else|who|what|this is|that is|(?:the|a|an) \w+ (?:is|are|was|has|have|does|do|can|may|must|would|will)\b)(?! \d)/i,
    ),
  },
  {
    name: 'picture',
    hint: 'name things by what they are',
    find: words(
      /\b(?:at hand|takings|spells?|the like|(?<!front )desk|couriers?|witness(?:es)?|on a desk|whom it may concern)\b/i,
    ),
  },
  {
    name: 'reader',
    hint: 'decoder (of JSON), subscriber (of events), client (of a card)',
    find: words(/\breaders?\b/i),
  },
  {
    name: 'rule id',
    hint: 'internal ids do not belong into texts for users',
    find: words(/\b[A-Z]{1,2}-\d{2}\b|\b(?:F|P)\d{1,2}\b|\b(?:Step|STYLE|DESIGN\.md) \d+\b/),
  },
];

function isNo(): RegExp {
  const fine = 'longer|more|fewer|less|later|earlier|better|worse|different|doubt|need|matter';
  return new RegExp(`(?<!there )(?<!There )\\b(?:is|are|was|were|be) no (?!(?:${fine})\\b)\\w+`);
}
