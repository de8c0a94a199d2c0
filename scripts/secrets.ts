import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Contents of the secret files: those that the programs of a stack share, and those for people. */
export interface OwnSecrets {
  orderTicket: string;
  webhook: string;
  /** Has all scopes of the companion; for the command line and for tests. */
  backOfficeToken: string;
  shopToken: string;
  /** May do everything except close periods and move money; for the command line and tests. */
  reconciliationToken: string;
  /** A member of the finance team, who may do everything in the console; `ben` may only read. */
  annaToken: string;
  /** A second member of the finance team, who approves what anna prepares. */
  claraToken: string;
  benToken: string;
  shopReconciliationToken: string;
  shopAdminToken: string;
}

/** Creates a random secret once, in a file that only its owner can read. @returns the secret */
function keepSecret(file: string, prefix = ''): string {
  if (!existsSync(file)) {
    writeFileSync(file, prefix + randomBytes(32).toString('base64'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

/** Creates the missing secrets of a stack. @returns their files, and the contents of some */
export function keepSecrets(secretsDir: string) {
  const file = {
    orderTicket: join(secretsDir, 'order-ticket'),
    webhook: join(secretsDir, 'webhook'),
    backOfficeToken: join(secretsDir, 'back-office-token'),
    shopToken: join(secretsDir, 'shop-back-office-token'),
    readerToken: join(secretsDir, 'reconciliation-back-office-token'),
    moneyToken: join(secretsDir, 'console-back-office-token'),
    tokens: join(secretsDir, 'back-office-tokens'),
    reconciliationToken: join(secretsDir, 'reconciliation-token'),
    annaToken: join(secretsDir, 'anna-token'),
    claraToken: join(secretsDir, 'clara-token'),
    benToken: join(secretsDir, 'ben-token'),
    shopReconciliationToken: join(secretsDir, 'shop-reconciliation-token'),
    reconciliationTokens: join(secretsDir, 'reconciliation-tokens'),
    shopAdminToken: join(secretsDir, 'shop-admin-token'),
    notifications: join(secretsDir, 'notifications'),
  };
  const own: OwnSecrets = {
    orderTicket: keepSecret(file.orderTicket),
    webhook: keepSecret(file.webhook, 'whsec_'),
    backOfficeToken: keepSecret(file.backOfficeToken),
    shopToken: keepSecret(file.shopToken),
    reconciliationToken: keepSecret(file.reconciliationToken),
    annaToken: keepSecret(file.annaToken),
    claraToken: keepSecret(file.claraToken),
    benToken: keepSecret(file.benToken),
    shopReconciliationToken: keepSecret(file.shopReconciliationToken),
    shopAdminToken: keepSecret(file.shopAdminToken),
  };
  // Tokens for the companion: the shop may read and make links, reconciliation may read fundings.
  // Only the console's own token moves money, for people whose reconciliation token permits it.
  const readers = [
    `shop links ${own.shopToken}`,
    `financing-reconcile fundings ${keepSecret(file.readerToken)}`,
    `console money,webhooks ${keepSecret(file.moneyToken)}`,
  ];
  writeFileSync(file.tokens, readers.join('\n'), { mode: 0o600 });
  // Tokens for reconciliation: the shop may read and start syncs; people may do everything,
  // approve, or only read. Only anna and clara may close a period, and no program may.
  const people = [
    `finance cases,sync,imports,rebuild ${own.reconciliationToken}`,
    `anna cases,sync,imports,rebuild,periods,money ${own.annaToken}`,
    `clara periods ${own.claraToken}`,
    `ben read ${own.benToken}`,
    `shop-admin sync ${own.shopReconciliationToken}`,
  ];
  writeFileSync(file.reconciliationTokens, people.join('\n'), { mode: 0o600 });
  // The Authorization value of the service's notifications, which the companion checks.
  keepSecret(file.notifications);
  return { file, own };
}
