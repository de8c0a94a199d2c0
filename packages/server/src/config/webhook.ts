import { Secret } from '@financing-checkout/kit';
import type { WebhookTarget } from '../webhook/delivery.ts';
import type { EnvironmentReader } from './reader.ts';
import { isWebhookAddress, isWebhookSecret } from './values.ts';

/** Reads the webhook's address, secrets and deadline; undefined if none is configured. */
export function readWebhook(env: EnvironmentReader): WebhookTarget | undefined {
  const url = env.text(
    'COMPANION_WEBHOOK_URL',
    isWebhookAddress,
    'must be an https address without a user (http only on loopback)',
  );
  const secret = readSecret(env, 'COMPANION_WEBHOOK_SECRET');
  const previousSecret = readSecret(env, 'COMPANION_WEBHOOK_SECRET_PREVIOUS');
  const deadlineMs = env.milliseconds('COMPANION_WEBHOOK_DEADLINE_MS', 15_000, 500, 60_000);
  env.together('COMPANION_WEBHOOK_URL', 'COMPANION_WEBHOOK_SECRET');
  if (url === undefined || secret === undefined) return undefined;
  return { url, secret, previousSecret, deadlineMs };
}

function readSecret(
  env: EnvironmentReader,
  name: 'COMPANION_WEBHOOK_SECRET' | 'COMPANION_WEBHOOK_SECRET_PREVIOUS',
): Secret | undefined {
  const secret = env.secret(name);
  if (secret === undefined) return undefined;
  if (!isWebhookSecret(secret)) {
    env.problem(name, 'must be whsec_ and the base64 of 24 to 64 bytes');
  }
  return new Secret(secret);
}
