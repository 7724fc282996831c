/** What an answer or an event says, in a few words that are the same for all versions, whatever it is wrapped in. */
export function gist(json: unknown): string {
  const { result, error } = json as { readonly result?: Loose; readonly error?: Loose };
  if (error !== undefined) return `error ${String(error['code'])}`;
  return gistOf(result === undefined ? (json as Loose) : result);
}

type Loose = Readonly<Record<string, unknown>>;

const WRAPPERS = ['task', 'message', 'statusUpdate', 'artifactUpdate', 'msg'];

function gistOf(object: Loose): string {
  const wrapper = WRAPPERS.find((name) => Object.keys(object).length === 1 && name in object);
  if (wrapper !== undefined) return gistOf(object[wrapper] as Loose);
  if ('code' in object && !('status' in object)) return `error ${String(object['code'])}`;
  if ('artifact' in object) return `artifact ${flags(object)}${textOf(object['artifact'] as Loose)}`;
  if ('status' in object) {
    const { state, message } = object['status'] as { readonly state: string; readonly message?: Loose | null };
    const said = message === undefined || message === null ? '' : ` "${textOf(message)}"`;
    const name = 'taskId' in object ? 'status' : 'task';
    const results = ((object['artifacts'] ?? []) as readonly Loose[]).map((artifact) => ` [${textOf(artifact)}]`);
    return `${name} ${state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')}${said}${results.join('')}`;
  }
  return `message "${textOf(object)}"`;
}

function flags({ append, lastChunk }: Loose): string {
  return `${append === true ? '+' : ''}${lastChunk === true ? '.' : ''} `.trimStart();
}

function textOf(object: Loose): string {
  const parts = (object['parts'] ?? object['content'] ?? []) as readonly Loose[];
  return parts.map(({ text }) => String(text)).join('');
}
