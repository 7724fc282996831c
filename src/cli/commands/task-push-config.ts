import type { AgentClient } from '../../client/client.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { defined } from '../../support/defined.ts';
import { nearest } from '../../support/nearest.ts';
import { CALL_OPTIONS } from '../agents/call-options.ts';
import { CliError } from '../cli-error.ts';
import { type RemainingTime, withAgent } from '../agents/open-agent.ts';
import { defineCommand, type Options, type Values } from '../option.ts';
import { expectNoMore, readAddress, wantsJson } from '../read-values.ts';
import { oneLine, screen } from '../output/screen.ts';
import { takeTask } from '../agents/agent-command.ts';

const VERBS = ['set', 'get', 'list', 'delete'] as const;
type Verb = (typeof VERBS)[number];

const SYNOPSIS = 'task push-config <set|get|list|delete> [agent] <task> [id]';

const OPTIONS = {
  url: { value: '<url>', help: 'set: the URL of the webhook', flagOnly: true },
  token: {
    value: '<token>',
    help: 'set: a token that the agent sends along, so that you can verify the sender',
    secret: true,
  },
  scheme: { value: '<scheme>', help: 'set: the authentication scheme of the webhook, such as Bearer' },
  credentials: { value: '<secret>', help: 'set: the credentials for that scheme', secret: true },
  id: { value: '<id>', help: 'set: the id of the webhook', flagOnly: true },
} as const satisfies Options;

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Manages the webhooks of a task: the agent posts each update of the task to them. <task> is an id; a handle replaces both
agent and id. [id] is the id of the webhook. Text output never contains secrets.`,
  examples: [
    'tandem task push-config set clerk 3f2c… --url https://me.example/hook',
    'tandem task push-config list clerk 3f2c…',
  ],
  options: { ...OPTIONS, ...CALL_OPTIONS },
  async run({ values, sources, positionals }) {
    const isJson = wantsJson(values);
    const [word, ...words] = positionals;
    const verb = verbOf(word);
    const { reference, taskId, rest } = takeTask({ values, sources }, words, SYNOPSIS);
    const [id = values.id, ...others] = rest;
    expectNoMore(others, SYNOPSIS);
    const config = verb === 'set' ? configOf(values, id) : undefined;
    await withAgent(values, reference, async (agent, within) => {
      const configs = await perform(agent, verb, taskId, { id, config }, within);
      screen.hideProgress();
      if (isJson) return screen.writeJson(verb === 'list' ? { configs } : (configs[0] ?? {}));
      for (const each of configs) printConfig(each);
      if (verb === 'delete') screen.notice(`Deleted: ${id}`);
      if (verb === 'list' && configs.length === 0) screen.notice('The task has no push configurations.');
    });
  },
});

function verbOf(word: string | undefined): Verb {
  const verb = VERBS.find((known) => known === word);
  if (verb !== undefined) return verb;
  const meant = word === undefined ? undefined : nearest(word, VERBS);
  throw new CliError(
    'usage',
    `Choose set, get, list or delete: tandem ${SYNOPSIS}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

function configOf(
  { url, token, scheme, credentials }: Values<typeof OPTIONS>,
  id: string | undefined,
): TaskPushNotificationConfig {
  if (url === undefined) throw new CliError('usage', 'Pass the URL of the webhook: --url <url>');
  const authentication = scheme === undefined ? undefined : defined({ scheme, credentials });
  return defined({ url: readAddress('--url', url), id, token, authentication });
}

async function perform(
  { pushConfigs }: AgentClient,
  verb: Verb,
  taskId: string,
  { id, config }: { readonly id: string | undefined; readonly config: TaskPushNotificationConfig | undefined },
  within: RemainingTime,
): Promise<readonly TaskPushNotificationConfig[]> {
  if (config !== undefined) return [await pushConfigs.set(taskId, config, within)];
  if (verb === 'list') return (await pushConfigs.list(taskId, within)).configs;
  if (verb === 'get') return [await pushConfigs.get(taskId, id, within)];
  if (id === undefined) throw new CliError('usage', `Pass the id of the webhook to delete: tandem ${SYNOPSIS}`);
  await pushConfigs.delete(taskId, id, within);
  return [];
}

function printConfig({ id, url, token, authentication }: TaskPushNotificationConfig): void {
  screen.writeLine(`Id: ${oneLine(id ?? '')}`);
  screen.writeLine(`Url: ${oneLine(url)}`);
  if (token !== undefined) screen.writeLine('Token: (set)');
  if (authentication !== undefined) screen.writeLine(`Scheme: ${oneLine(authentication.scheme)}`);
}
