/** The sizes of the members of push configurations, which are stored per task and sent with each notification. */
import { expect, test } from 'vitest';
import { startServer } from '../kit/server.ts';

const URL = 'https://hooks.example.com/';
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] } as const;

/** Each member with its limit, and a configuration with the given text in it. */
const MEMBERS: readonly (readonly [string, number, (text: string) => object])[] = [
  ['url', 2048, (text) => ({ url: URL + text.slice(URL.length) })],
  ['id', 256, (id) => ({ url: URL, id })],
  ['token', 4096, (token) => ({ url: URL, token })],
  ['authentication.scheme', 64, (scheme) => ({ url: URL, authentication: { scheme, credentials: 'x' } })],
  [
    'authentication.credentials',
    8192,
    (credentials) => ({ url: URL, authentication: { scheme: 'Bearer', credentials } }),
  ],
];

test.each(MEMBERS)('%s of a push configuration may have at most %d characters', async (field, most, configOf) => {
  const { ask } = await startServer({ pushNotifications: true, push: { resolve: async () => [] } });
  const send = (characters: number) =>
    ask({
      method: 'POST',
      path: '/message:send',
      body: { message: MESSAGE, configuration: { taskPushNotificationConfig: configOf('a'.repeat(characters)) } },
    });

  const rejected = await send(most + 1);
  const { task } = (await send(most)).json as { task: { id: string } };
  const later = await ask({
    method: 'POST',
    path: `/tasks/${task.id}/pushNotificationConfigs`,
    body: configOf('a'.repeat(most + 1)),
  });

  expect([rejected.status, later.status]).toEqual([400, 400]);
  expect(rejected.text).toContain(
    `configuration.taskPushNotificationConfig.${field}: must have at most ${most} characters`,
  );
  expect(later.text).toContain(`"${field}: must have at most ${most} characters`);
});

test('a push configuration may have at most 16384 characters, with members that are not limited on their own', async () => {
  const { ask } = await startServer({ pushNotifications: true, push: { resolve: async () => [] } });
  const taskPushNotificationConfig = { url: URL, tenant: 'a'.repeat(17_000) };
  const { status, text } = await ask({
    method: 'POST',
    path: '/message:send',
    body: { message: MESSAGE, configuration: { taskPushNotificationConfig } },
  });
  expect(status).toBe(400);
  expect(text).toContain('configuration.taskPushNotificationConfig: must have at most 16384 characters');
});
