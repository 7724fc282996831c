export { createWebhookHandler, type WebhookResponse, type WebhookHandler } from './handler.ts';
export { type ExpressRequest, type ExpressResponse, type ExpressWebhook, toExpressWebhook } from './express.ts';
export type { IncomingNotification } from './incoming.ts';
export type { TaskSecret, TaskSource, WebhookEvent, WebhookOptions } from './options.ts';
export { memorySeenIds, type SeenIds } from './seen-ids.ts';
