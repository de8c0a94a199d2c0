import { Secret } from '../keys/secret.ts';
import {
  defaultPolicy,
  parsePolicy,
  PolicyError,
  type ReconciliationPolicy,
} from '../reconciliation/policy.ts';
import type { WebhookTarget } from '../webhook/delivery.ts';
import type { EnvironmentReader } from './reader.ts';
import { isWebhookAddress, isWebhookSecret } from './values.ts';

/** By which rules orders are judged, and who hears of cases. */
export interface ReconciliationConfiguration {
  policy: ReconciliationPolicy;
  /** Where finance hears of cases; undefined: nobody is told. */
  alerts: WebhookTarget | undefined;
}

export function readReconciliation(
  env: EnvironmentReader,
  readFile: (path: string) => string,
): ReconciliationConfiguration {
  return { policy: readPolicy(env, readFile), alerts: readAlerts(env) };
}

function readPolicy(
  env: EnvironmentReader,
  readFile: (path: string) => string,
): ReconciliationPolicy {
  const path = env.text('RECONCILIATION_POLICY_FILE');
  if (path === undefined) return defaultPolicy;
  let text: string;
  try {
    text = readFile(path);
  } catch {
    env.problem('RECONCILIATION_POLICY_FILE', 'points to a file that cannot be read');
    return defaultPolicy;
  }
  try {
    return parsePolicy(text);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    env.problem(
      'RECONCILIATION_POLICY_FILE',
      `points to a policy that cannot be used: ${error.message}`,
    );
    return defaultPolicy;
  }
}

function readAlerts(env: EnvironmentReader): WebhookTarget | undefined {
  const url = env.text(
    'RECONCILIATION_ALERT_URL',
    isWebhookAddress,
    'must be an https address without a user (http only on loopback)',
  );
  const secret = env.secret('RECONCILIATION_ALERT_SECRET');
  if (secret !== undefined && !isWebhookSecret(secret)) {
    env.problem('RECONCILIATION_ALERT_SECRET', 'must be whsec_ and the base64 of 24 to 64 bytes');
  }
  env.together('RECONCILIATION_ALERT_URL', 'RECONCILIATION_ALERT_SECRET');
  return url === undefined || secret === undefined
    ? undefined
    : { url, secret: new Secret(secret) };
}
