import { A2AError, type FieldViolation } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { OperationName } from '../../model/operation.ts';
import { isSet } from '../codec.ts';
import type { ProtocolVersion } from '../version.ts';
import type { RestMatch } from './rest-routes.ts';

/** The names of path ids in the params of an operation. */
interface IdNames {
  readonly taskId: string;
  readonly configId: string;
}

const IDS_1: Readonly<Partial<Record<OperationName, IdNames>>> = {
  GetTask: { taskId: 'id', configId: '' },
  CancelTask: { taskId: 'id', configId: '' },
  SubscribeToTask: { taskId: 'id', configId: '' },
};

const PUSH_IDS_1: IdNames = { taskId: 'taskId', configId: 'id' };
const IDS_03: IdNames = { taskId: 'id', configId: 'pushNotificationConfigId' };

/** Members that a request without a body has in the query (1.0 §11.5). */
export const QUERY_MEMBERS: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  GetTask: ['historyLength', 'history_length'],
  ListTasks: [
    'contextId',
    'status',
    'pageSize',
    'pageToken',
    'historyLength',
    'statusTimestampAfter',
    'includeArtifacts',
  ],
  ListTaskPushNotificationConfigs: ['pageSize', 'pageToken'],
  // In 0.3 the query contains the id of the new config.
  CreateTaskPushNotificationConfig: ['configId'],
};

/**
 * Merges path, query and body of a REST request into one params object for the dialect to decode. `version` is the
 * version of the request, which can differ from that of the path: either version can be mounted under the prefix of the
 * other. Duplicate values must agree (1.0 §11.5). @throws A2AError `INVALID_PARAMS`
 */
export function restParams(
  match: RestMatch,
  version: ProtocolVersion,
  query: URLSearchParams,
  body: JsonObject | undefined,
): JsonObject {
  // Spread, because assigning a member named __proto__ would set the prototype.
  const params: Record<string, JsonValue> = { ...body };
  const violations: FieldViolation[] = [];
  const put = (name: string, value: JsonValue | undefined, from: string): void => {
    if (name === '' || !isSet(value) || value === undefined) return;
    const known = params[name];
    if (isSet(known) && known !== '' && known !== value) {
      violations.push({ field: name, description: `expected the same value as in the ${from}` });
    }
    params[name] = value;
  };

  for (const name of [...(QUERY_MEMBERS[match.operation] ?? []), ...(version === '1.0' ? ['tenant'] : [])]) {
    const [value, ...others] = queryValues(name, query);
    put(name, value, 'query');
    if (others.length > 0) violations.push({ field: name, description: 'expected one value, not several' });
  }
  const names = idNames(match.operation, version);
  put(names.taskId, match.taskId, 'path');
  put(names.configId, match.configId, 'path');
  put('tenant', match.tenant, 'path');
  if (violations.length === 0) return params;
  throw new A2AError('INVALID_PARAMS', `${violations[0]?.field}: ${violations[0]?.description}`, { violations });
}

function idNames(operation: OperationName, version: ProtocolVersion): IdNames {
  if (version === '1.0') return IDS_1[operation] ?? PUSH_IDS_1;
  return operation === 'CreateTaskPushNotificationConfig' ? { ...IDS_03, taskId: 'taskId' } : IDS_03;
}

/** The distinct values of a parameter. An empty value counts as absent. */
function queryValues(name: string, query: URLSearchParams): readonly JsonValue[] {
  const texts = new Set(query.getAll(name).filter((text) => text !== ''));
  return [...texts].map((text) =>
    // Integers can stay strings, which every dialect decodes. Booleans cannot.
    name === 'includeArtifacts' && (text === 'true' || text === 'false') ? text === 'true' : text,
  );
}
