/** The type, state and text of a response or event, in one line that is the same for all versions and bindings. */
export function summarize(json: unknown): string {
  const { result, error } = json as { readonly result?: Loose; readonly error?: Loose };
  if (error !== undefined) return `error ${String(error['code'])}`;
  return summarizeObject(result === undefined ? (json as Loose) : result);
}

type Loose = Readonly<Record<string, unknown>>;

const WRAPPERS = ['task', 'message', 'statusUpdate', 'artifactUpdate', 'msg'];

function summarizeObject(object: Loose): string {
  const wrapper = WRAPPERS.find((name) => Object.keys(object).length === 1 && name in object);
  if (wrapper !== undefined) return summarizeObject(object[wrapper] as Loose);
  if ('code' in object && !('status' in object)) return `error ${String(object['code'])}`;
  if ('artifact' in object) return `artifact ${flags(object)}${textOf(object['artifact'] as Loose)}`;
  if ('status' in object) {
    const { state, message } = object['status'] as { readonly state: string; readonly message?: Loose | null };
    const text = message === undefined || message === null ? '' : ` "${textOf(message)}"`;
    const name = 'taskId' in object ? 'status' : 'task';
    const results = ((object['artifacts'] ?? []) as readonly Loose[]).map((artifact) => ` [${textOf(artifact)}]`);
    return `${name} ${state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')}${text}${results.join('')}`;
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
