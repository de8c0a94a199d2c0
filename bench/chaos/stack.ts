import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Chance } from '../fuzz/chance.ts';
import { Client } from './client.ts';
import { type Companions, type OlderCompanion, startCompanions } from './companions.ts';
import type { Kill } from './plan.ts';
import { startSandbox } from './sandbox.ts';
import { type CheckoutMessage, openShop, type Shop } from './shop.ts';

export interface StackOptions {
  /** Folder for the sandbox's data and the log of the companions. */
  folder: string;
  seed: number;
  /** Value of COMPANION_STORE. */
  store: string;
  companions: number;
  kills: readonly Kill[];
  /** Earlier version that serves first. */
  older?: OlderCompanion | undefined;
  /** Deadline of one call to the service, in milliseconds; the companion derives its waits from it. */
  deadlineMs: number;
  onMessage: (message: CheckoutMessage) => void;
  /** Additional environment variables for the companions. */
  env?: Record<string, string>;
}

/** A sandbox, companions in front of it, and a shop that receives their messages. */
export interface Stack {
  sandbox: Awaited<ReturnType<typeof startSandbox>>;
  shop: Shop;
  companions: Companions;
  secrets: { ticket: string; backOffice: string; notification: string };
  client: (
    part: 'storefront' | 'backOffice',
    chance: Chance,
    onAnswer?: (path: string, url: string) => void,
    /** Index of the companion. @default a random one for each request */
    companion?: number,
  ) => Client;
  office: Client;
  stop: () => Promise<void>;
}

const ORIGIN = 'http://localhost:3000';

/** Starts everything that a purchase needs except the shopper. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { folder, seed } = options;
  const cleanups: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  };
  try {
    const sandbox = await startSandbox(folder);
    cleanups.push(() => sandbox.program.stop());
    const secrets = {
      ticket: randomBytes(32).toString('base64'),
      webhook: `whsec_${randomBytes(32).toString('base64')}`,
      backOffice: randomBytes(24).toString('base64url'),
      notification: `Bearer ${randomBytes(24).toString('base64url')}`,
    };
    const shop = await openShop({ secret: secrets.webhook, seed, onMessage: options.onMessage });
    cleanups.push(() => shop.stop());
    const companions = await startCompanions({
      count: options.companions,
      folder,
      kills: options.kills,
      older: options.older,
      env: {
        FINANCING_ENVIRONMENT: 'sandbox',
        FINANCING_BASE_URL: sandbox.apiUrl,
        FINANCING_CA_FILE: join(folder, 'sandbox', 'ca.pem'),
        FINANCING_PUBLIC_API_KEY: sandbox.publicKey,
        FINANCING_PRIVATE_API_KEY_FILE: join(folder, 'sandbox', 'keys', 'sandbox.private'),
        FINANCING_HOSTED_URL: `${sandbox.hostedUrl}/checkout?session={sessionToken}&key={publicKey}&origin={origin}`,
        // Leases and waits are multiples of the deadline, so they take seconds instead of minutes.
        FINANCING_DEADLINE_MS: String(options.deadlineMs),
        FINANCING_CHARGE_DEADLINE_MS: String(options.deadlineMs * 2),
        ORDER_TICKET_SECRET: secrets.ticket,
        NOTIFICATION_AUTHORIZATION: secrets.notification,
        COMPANION_ALLOWED_ORIGINS: ORIGIN,
        COMPANION_STORE: options.store,
        COMPANION_BACK_OFFICE_TOKEN: secrets.backOffice,
        COMPANION_WEBHOOK_URL: shop.url,
        COMPANION_WEBHOOK_SECRET: secrets.webhook,
        COMPANION_WEBHOOK_DEADLINE_MS: '1000',
        // All shoppers of a run share one address.
        COMPANION_RATE_LIMIT_PER_ADDRESS: '0',
        COMPANION_RATE_LIMIT_PER_KEY: '0',
        COMPANION_RATE_LIMIT_OPEN_PER_ORDER: '0',
        COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: '0',
        COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER: '0',
        LOG_LEVEL: 'warn',
        ...options.env,
      },
    });
    cleanups.push(() => companions.stop());
    const client: Stack['client'] = (part, chance, onAnswer = () => undefined, companion?) =>
      new Client(
        companions.addresses
          .filter((_, index) => companion === undefined || index === companion)
          .map((address) => address[part]),
        part === 'backOffice'
          ? { authorization: `Bearer ${secrets.backOffice}` }
          : {
              authorization: `Bearer ${sandbox.publicKey}`,
              'financing-checkout-version': '1',
              origin: ORIGIN,
            },
        chance,
        onAnswer,
      );
    const office = client('backOffice', new Chance(seed, 4));
    await office.until('GET', '/readyz');
    return { sandbox, shop, companions, secrets, client, office, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
