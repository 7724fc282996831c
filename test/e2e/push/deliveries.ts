/** Deliveries as the engine passes them to a `PushTransport`. */
import { onTestFinished } from 'vitest';
import type { PushTransport, Delivery } from '../../../src/engine/outbox/delivery.ts';
import type { TaskPushNotificationConfig } from '../../../src/model/push.ts';
import type { Task } from '../../../src/model/task.ts';
import { silentLog } from '../../../src/observe/log.ts';
import type { TraceContext } from '../../../src/observe/trace-context.ts';
import { type FileOptions, FILES } from '../../../src/host/options/file-options.ts';
import { type PushOptions, readPushOptions } from '../../../src/host/options/push-options.ts';
import { Outbound, type OutboundSettings } from '../../../src/host/outbound/outbound.ts';
import { Check } from '../../../src/support/check.ts';
import { readTable } from '../../../src/support/options.ts';
import type { TaskEvent, TaskRecord } from '../../../src/store/store.ts';

const TASK: Task = {
  id: 'task-1',
  contextId: 'context-1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-03-12T10:00:00.000Z' },
  artifacts: [{ artifactId: 'a', parts: [{ text: 'Bonjour' }] }],
};

export const STATUS_UPDATE = { taskId: 'task-1', contextId: 'context-1', status: TASK.status };

const STATUS_EVENT: TaskEvent = {
  number: 3,
  kind: 'status',
  body: JSON.stringify({ statusUpdate: STATUS_UPDATE }),
};

const RECORD: TaskRecord = {
  id: 'task-1',
  contextId: 'context-1',
  tenant: '',
  owner: 'anonymous',
  agent: 'script',
  status: TASK.status,
  origin: {},
  visible: true,
  lastEvent: 3,
  lastJournal: 0,
  fence: 1,
  attempts: 0,
  canceling: false,
  createdAt: 0,
};

export interface DeliveryFacts {
  readonly id?: string;
  readonly dialect?: string;
  readonly event?: TaskEvent;
  readonly trace?: TraceContext;
}

export function deliveryOf(config: TaskPushNotificationConfig, facts: DeliveryFacts = {}): Delivery {
  const { id = 'delivery-1', dialect = 'v1', event = STATUS_EVENT, trace } = facts;
  return {
    id,
    attempt: 1,
    task: RECORD,
    config: { id: 'config-1', config, dialect, createdAt: 0 },
    event,
    taskView: async () => TASK,
    trace,
  };
}

interface GivenSettings extends Partial<Omit<OutboundSettings, 'push' | 'files'>> {
  readonly push?: PushOptions;
  readonly files?: FileOptions;
}

/** The outgoing side of an agent, closed when the test ends. */
export function outbound({ push = {}, files = {}, ...settings }: GivenSettings = {}): Outbound & {
  readonly pushTransport: PushTransport;
} {
  const created = new Outbound({
    pushNotifications: true,
    push: readPushOptions(new Check(), push),
    files: readTable(new Check(), { ...files }, FILES),
    publicUrl: 'https://agent.example.com',
    log: silentLog,
    ...settings,
  });
  onTestFinished(() => created.close());
  return created as Outbound & { readonly pushTransport: PushTransport };
}

/** A transport that may call the given private origins. */
export function pushTransportTo(origins: readonly string[], settings: GivenSettings = {}): PushTransport {
  return outbound({ ...settings, push: { allowPrivate: origins, ...settings.push } }).pushTransport;
}

export const NEVER = new AbortController().signal;
