import type { Codec } from '../../codec.ts';
import type { Decoder } from '../../decoder.ts';
import { idOrEmpty } from '../../values.ts';

/** An id in a resource name is one segment without escaping. */
const TASK_NAME = /^tasks\/([^/%]+)$/;
const CONFIG_NAME = /^tasks\/([^/%]+)\/pushNotificationConfigs\/([^/%]*)$/;

const CONFIG_FORM = 'tasks/{taskId}/pushNotificationConfigs/{configId}';

/** `tasks/{taskId}` ⇄ the id of the task. */
export const taskName: Codec<string> = {
  decode(d, json) {
    const [, taskId] = TASK_NAME.exec(idOrEmpty.decode(d, json)) ?? [];
    if (taskId === undefined && typeof json === 'string') d.violate('tasks/{taskId}');
    return taskId ?? '';
  },
  encode: (taskId) => `tasks/${taskId}`,
};

/** The push config of a request. Without `id`, a config that has no id yet. */
export interface ConfigName {
  readonly taskId: string;
  readonly id?: string;
}

function decodeConfigName(d: Decoder, json: unknown): ConfigName {
  const [, taskId, id] = CONFIG_NAME.exec(idOrEmpty.decode(d, json)) ?? [];
  if (taskId === undefined) {
    if (typeof json === 'string') d.violate(CONFIG_FORM);
    return { taskId: '' };
  }
  return id === undefined || id === '' ? { taskId } : { taskId, id };
}

function encodeConfigName({ taskId, id = taskId }: ConfigName): string {
  return `tasks/${taskId}/pushNotificationConfigs/${id}`;
}

/**
 * `tasks/{taskId}/pushNotificationConfigs/{configId}`. A config without an id gets the id of its task, as in all
 * servers before 1.0.
 */
export const configName: Codec<ConfigName> = {
  decode(d, json) {
    const name = decodeConfigName(d, json);
    if (name.id === undefined && name.taskId !== '') d.violate(CONFIG_FORM);
    return name;
  },
  encode: encodeConfigName,
};

/** The name of a new config. The 0.3 SDKs end it with the slash if the server should generate the id. */
export const newConfigName: Codec<ConfigName> = {
  decode(d, json) {
    const name = decodeConfigName(d, json);
    if (name.id === undefined && name.taskId !== '') d.tolerate('push-config-name-open', CONFIG_FORM);
    return name;
  },
  encode: encodeConfigName,
};

/** Members that may contain an id, with their values; '' for a name that is invalid. */
export type IdCandidates = readonly (readonly [place: string, id: string | undefined])[];

/**
 * An id that several members may contain: the first one counts. Conflicting values are an error in a request, but
 * accepted in a response. If no member contains it, the error refers to `needed`.
 */
export function agreedId(d: Decoder, candidates: IdCandidates, needed?: string): string | undefined {
  const [first, ...others] = candidates.filter(([, id]) => id !== undefined);
  if (first === undefined) {
    if (needed !== undefined) d.violate(`the member ${needed}`, needed);
    return undefined;
  }
  for (const [place, id] of others) {
    if (id === first[1] || id === '' || first[1] === '') continue;
    const expected = `the same id as in ${first[0]}`;
    if (d.role === 'request') d.violate(expected, place);
    else d.tolerate('ids-disagree', expected, place);
  }
  return first[1];
}
