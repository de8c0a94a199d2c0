import type { Secret } from '@financing-checkout/kit';
import type { WebhookTarget } from '@financing-checkout/kit/outbox';
import type { CompanionEnvironment } from './variables.ts';

/** Reads the webhook's URL, secrets and timeout; undefined if no webhook is configured. */
export function readWebhook(env: CompanionEnvironment): WebhookTarget | undefined {
  const url = env.read('COMPANION_WEBHOOK_URL');
  const secret = env.read('COMPANION_WEBHOOK_SECRET');
  const previousSecret = env.read('COMPANION_WEBHOOK_SECRET_PREVIOUS');
  const deadlineMs = env.read('COMPANION_WEBHOOK_DEADLINE_MS');
  env.together('COMPANION_WEBHOOK_URL', 'COMPANION_WEBHOOK_SECRET');
  if (url === undefined || secret === undefined) return undefined;
  return { url, secret, previousSecret, deadlineMs };
}

/**
 * Reads the Authorization values that the service may send with its notifications: the current one,
 * and the previous one during a rotation. If there are none, notifications are refused.
 */
export function readNotificationAuthorizations(env: CompanionEnvironment): Secret[] {
  const current = env.read('NOTIFICATION_AUTHORIZATION');
  const previous = env.read('NOTIFICATION_AUTHORIZATION_PREVIOUS');
  if (
    !env.isNamed('NOTIFICATION_AUTHORIZATION') &&
    env.isNamed('NOTIFICATION_AUTHORIZATION_PREVIOUS')
  ) {
    const message = 'is required with NOTIFICATION_AUTHORIZATION_PREVIOUS';
    env.problem('NOTIFICATION_AUTHORIZATION', message);
  }
  return [current, previous].filter((secret) => secret !== undefined);
}
