/** What is kept for each task and sent with each notification is bounded. */
import { expect, test } from 'vitest';
import { startServer } from '../kit/server.ts';

const URL = 'https://hooks.example.com/';
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] } as const;

/** A configuration one of whose members has so many characters, and where it stands. */
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

test.each(MEMBERS)('%s may have %d characters, and not one more', async (field, most, configOf) => {
  const { ask } = await startServer({ pushNotifications: true, push: { resolve: async () => [] } });
  const send = (characters: number) =>
    ask({
      method: 'POST',
      path: '/message:send',
      body: { message: MESSAGE, configuration: { taskPushNotificationConfig: configOf('a'.repeat(characters)) } },
    });

  const refused = await send(most + 1);
  const { task } = (await send(most)).json as { task: { id: string } };
  const later = await ask({
    method: 'POST',
    path: `/tasks/${task.id}/pushNotificationConfigs`,
    body: configOf('a'.repeat(most + 1)),
  });

  expect([refused.status, later.status]).toEqual([400, 400]);
  expect(refused.text).toContain(
    `configuration.taskPushNotificationConfig.${field}: must have at most ${most} characters`,
  );
  expect(later.text).toContain(`"${field}: must have at most ${most} characters`);
});

test('what nobody knows of counts, too', async () => {
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
