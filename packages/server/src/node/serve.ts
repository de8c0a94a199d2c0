import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createBackOfficeApi } from '../back-office/api.ts';
import { createBackgroundWork } from '../background.ts';
import type { CompanionConfiguration } from '../config/config.ts';
import { createTripWire } from '../keys/trip-wire.ts';
import { createCounters } from '../observe/counters.ts';
import type { Logger } from '../observe/logger.ts';
import type { CompanionOptions } from '../options.ts';
import { createServiceClient } from '../service/client.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { createStorefrontApi } from '../storefront/api.ts';
import { listen, type OpenListener } from './listen.ts';
import { sqliteDialect } from './sqlite.ts';
import { createNodeTransport } from './transport.ts';

export interface RunningCompanion {
  storefrontUrl: string;
  backOfficeUrl: string;
  /** Stops accepting, answers what is under way, closes the store. */
  stop(): Promise<void>;
}

/** Longer than a call of the service and the write after it. */
const DRAIN_MS = 15_000;

/**
 * Opens the store, brings it up to date, and serves both listeners.
 * @throws when the store cannot be opened or an address cannot be listened on
 */
export async function serveCompanion(
  configuration: CompanionConfiguration,
  logger: Logger,
): Promise<RunningCompanion> {
  const { transport, close } = createNodeTransport({ caFile: configuration.caFile });
  const webhooks = createNodeTransport();
  mkdirSync(dirname(configuration.store.file), { recursive: true });
  const store = createKyselyStore({
    dialect: sqliteDialect(configuration.store.file),
    outbox: configuration.webhook !== undefined,
  });
  await store.migrate();

  const changes: { wake: () => void } = { wake: () => undefined };
  const options: CompanionOptions = {
    environment: configuration.environment,
    publicKey: configuration.publicKey,
    service: createServiceClient({
      baseUrl: configuration.baseUrl,
      keys: configuration.privateKeys,
      transport,
      logger,
    }),
    tripWire: createTripWire(configuration.privateKeys),
    store,
    allowedOrigins: configuration.allowedOrigins,
    tickets: {
      secrets: configuration.ticketSecrets.map((secret) => secret.reveal()),
      audience: configuration.ticketAudience,
    },
    settle: configuration.settle,
    defaultCurrency: configuration.defaultCurrency,
    webhookTransport: webhooks.transport,
    logger,
    counters: createCounters(),
    onChange: () => changes.wake(),
    ...(configuration.hostedUrl === undefined ? {} : { hostedUrl: configuration.hostedUrl }),
    ...(configuration.backOfficeToken === undefined
      ? {}
      : { backOfficeToken: configuration.backOfficeToken }),
    ...(configuration.webhook === undefined ? {} : { webhook: configuration.webhook }),
  };
  const background = createBackgroundWork(options);
  changes.wake = background.wake;
  const listeners: OpenListener[] = [];
  try {
    const storefront = await listen(createStorefrontApi(options), configuration.storefront);
    listeners.push(storefront);
    const backOffice = await listen(createBackOfficeApi(options), configuration.backOffice);
    listeners.push(backOffice);
    background.start();
    return {
      storefrontUrl: storefront.url,
      backOfficeUrl: backOffice.url,
      async stop() {
        await Promise.all(listeners.map((listener) => listener.drain(DRAIN_MS)));
        await background.stop();
        await Promise.all([close(), webhooks.close()]);
        await store.close();
      },
    };
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.drain(0)));
    await store.close();
    throw error;
  }
}
