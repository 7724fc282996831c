import type { Codec } from '../../codec.ts';
import type { Reader } from '../../reader.ts';
import { idOrEmpty } from '../../values.ts';

/** An id inside a resource name is one segment, said as it is: there is no escaping. */
const TASK_NAME = /^tasks\/([^/%]+)$/;
const CONFIG_NAME = /^tasks\/([^/%]+)\/pushNotificationConfigs\/([^/%]*)$/;

const CONFIG_FORM = 'tasks/{taskId}/pushNotificationConfigs/{configId}';

/** `tasks/{taskId}` ⇄ the id of the task. */
export const taskName: Codec<string> = {
  decode(r, json) {
    const [, taskId] = TASK_NAME.exec(idOrEmpty.decode(r, json)) ?? [];
    if (taskId === undefined && typeof json === 'string') r.violate('tasks/{taskId}');
    return taskId ?? '';
  },
  encode: (taskId) => `tasks/${taskId}`,
};

/** Which push config is meant. Without an `id` it is a config that has none yet. */
export interface ConfigName {
  readonly taskId: string;
  readonly id?: string;
}

function decodeConfigName(r: Reader, json: unknown): ConfigName {
  const [, taskId, id] = CONFIG_NAME.exec(idOrEmpty.decode(r, json)) ?? [];
  if (taskId === undefined) {
    if (typeof json === 'string') r.violate(CONFIG_FORM);
    return { taskId: '' };
  }
  return id === undefined || id === '' ? { taskId } : { taskId, id };
}

function encodeConfigName({ taskId, id = taskId }: ConfigName): string {
  return `tasks/${taskId}/pushNotificationConfigs/${id}`;
}

/**
 * `tasks/{taskId}/pushNotificationConfigs/{configId}`. A config that has no id of its own goes by its task's, as all
 * servers before 1.0 have it.
 */
export const configName: Codec<ConfigName> = {
  decode(r, json) {
    const name = decodeConfigName(r, json);
    if (name.id === undefined && name.taskId !== '') r.violate(CONFIG_FORM);
    return name;
  },
  encode: encodeConfigName,
};

/** The name of a config that is yet to be made: SDKs of 0.3 end it with the slash if they leave the id to the server. */
export const newConfigName: Codec<ConfigName> = {
  decode(r, json) {
    const name = decodeConfigName(r, json);
    if (name.id === undefined && name.taskId !== '') r.tolerate('push-config-name-open', CONFIG_FORM);
    return name;
  },
  encode: encodeConfigName,
};

/** The places that may say an id, with what they say; a name that cannot be read says ''. */
export type Said = readonly (readonly [place: string, id: string | undefined])[];

/**
 * One id that was said in several places: the first counts. A caller who contradicts himself is refused, a server is
 * believed. If nobody says it, `needed` is the member that should have.
 */
export function agreed(r: Reader, said: Said, needed?: string): string | undefined {
  const [first, ...others] = said.filter(([, id]) => id !== undefined);
  if (first === undefined) {
    if (needed !== undefined) r.violate(`the member ${needed}`, needed);
    return undefined;
  }
  for (const [place, id] of others) {
    if (id === first[1] || id === '' || first[1] === '') continue;
    const expected = `the same id as in ${first[0]}`;
    if (r.role === 'request') r.violate(expected, place);
    else r.tolerate('ids-disagree', expected, place);
  }
  return first[1];
}
