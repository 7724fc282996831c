import type { AgentClient } from '../../client/client.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { defined } from '../../support/defined.ts';
import { nearest } from '../../support/nearest.ts';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { CliError } from '../cli-error.ts';
import { giveJson } from '../json-output.ts';
import { type TimeLeft, withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readAddress, readChoice } from '../read-values.ts';
import { oneLine, screen } from '../screen.ts';
import { expectNoMore, takeTask } from '../task-arguments.ts';

const VERBS = ['set', 'get', 'list', 'delete'] as const;
type Verb = (typeof VERBS)[number];

const SYNOPSIS = 'task push-config <set|get|list|delete> [agent] <task> [id]';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Says where an agent should send news of a task. <task> is an id, or a handle without an agent; [id] is that of the
configuration. Secrets of configurations are never printed as text.`,
  examples: [
    'tandem task push-config set clerk 3f2c… --url https://me.example/hook',
    'tandem task push-config list clerk 3f2c…',
  ],
  options: {
    url: { type: 'string', value: '<url>', help: 'set: where to send the news', flagOnly: true },
    token: {
      type: 'string',
      value: '<token>',
      help: 'set: sent with the news, so that you know whose they are',
      secret: true,
    },
    scheme: { type: 'string', value: '<scheme>', help: 'set: how the agent proves itself to you, such as Bearer' },
    credentials: { type: 'string', value: '<secret>', help: 'set: what it proves itself with', secret: true },
    id: { type: 'string', value: '<id>', help: 'set: the id of the configuration', flagOnly: true },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const [word, ...words] = positionals;
    const verb = verbOf(word);
    const { reference, taskId, rest } = takeTask({ values, sources }, words, SYNOPSIS);
    const [id = values.id, ...others] = rest;
    expectNoMore(others, SYNOPSIS);
    const config = verb === 'set' ? configOf(values, id) : undefined;
    await withAgent(values, reference, async (agent, within) => {
      const configs = await perform(agent, verb, taskId, { id, config }, within);
      screen.rest();
      if (isJson) return giveJson(verb === 'list' ? { configs } : (configs[0] ?? {}));
      for (const each of configs) giveConfig(each);
      if (verb === 'delete') screen.tell(`Deleted: ${id}`);
      if (verb === 'list' && configs.length === 0) screen.tell('The task has no push configurations.');
    });
  },
});

function verbOf(word: string | undefined): Verb {
  const verb = VERBS.find((known) => known === word);
  if (verb !== undefined) return verb;
  const meant = word === undefined ? undefined : nearest(word, VERBS);
  throw new CliError(
    'usage',
    `Say what to do: tandem ${SYNOPSIS}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

interface PushValues {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly scheme: string | undefined;
  readonly credentials: string | undefined;
}

function configOf({ url, token, scheme, credentials }: PushValues, id: string | undefined): TaskPushNotificationConfig {
  if (url === undefined) throw new CliError('usage', 'Say where to send the news: --url <url>');
  const authentication = scheme === undefined ? undefined : defined({ scheme, credentials });
  return defined({ url: readAddress('--url', url), id, token, authentication });
}

async function perform(
  { pushConfigs }: AgentClient,
  verb: Verb,
  taskId: string,
  { id, config }: { readonly id: string | undefined; readonly config: TaskPushNotificationConfig | undefined },
  within: TimeLeft,
): Promise<readonly TaskPushNotificationConfig[]> {
  if (config !== undefined) return [await pushConfigs.set(taskId, config, within)];
  if (verb === 'list') return (await pushConfigs.list(taskId, within)).configs;
  if (verb === 'get') return [await pushConfigs.get(taskId, id, within)];
  if (id === undefined) throw new CliError('usage', `Name the configuration to delete: tandem ${SYNOPSIS}`);
  await pushConfigs.delete(taskId, id, within);
  return [];
}

function giveConfig({ id, url, token, authentication }: TaskPushNotificationConfig): void {
  screen.giveLine(`Id: ${oneLine(id ?? '')}`);
  screen.giveLine(`Url: ${oneLine(url)}`);
  if (token !== undefined) screen.giveLine('Token: (set)');
  if (authentication !== undefined) screen.giveLine(`Scheme: ${oneLine(authentication.scheme)}`);
}
