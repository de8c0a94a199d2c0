import { setTimeout as pause } from 'node:timers/promises';
import { createBackOfficeApi, createStorefrontApi } from '../apis.ts';
import { createBackgroundWork } from '../background.ts';
import { createInFlight } from '../checkout/context.ts';
import { timingFor } from '../service/timing.ts';
import type { CompanionConfiguration } from '../config/config.ts';
import { isScriptUnpinned } from '../config/sdk.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { createTripWire } from '../keys/trip-wire.ts';
import { createCounters } from '../platform/counters.ts';
import type { Logger } from '../platform/logger.ts';
import type { CompanionOptions } from '../options.ts';
import { PublishedProgrammes } from '../programmes/published.ts';
import { createServiceClient } from '../service/client.ts';
import { createClientAddress, systemClock, type Transport } from '@financing-checkout/kit';
import { watchClocks } from '@financing-checkout/kit/outbox';
import { watchKeyFiles } from './key-files.ts';
import { listen, type OpenListener } from '@financing-checkout/kit/listen';
import { createMetrics } from './metrics.ts';
import { publishProgrammeFile } from './programme-file.ts';
import { openStore } from './store.ts';
import { problemsOf } from '@financing-checkout/kit/env';
import { watchTokens } from '@financing-checkout/kit/files';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';
import { version } from '../version.ts';

export interface RunningCompanion {
  storefrontUrl: string;
  backOfficeUrl: string;
  /** Stops accepting connections, completes the requests in flight, and closes the store. */
  stop(): Promise<void>;
}

const urlLevels = {
  'store-url-replaced': 'info',
  'store-url-refused': 'error',
  'store-url-unusable': 'error',
} as const;

/**
 * Opens and migrates the store, and starts both listeners.
 * @throws when the store cannot be opened or a listener cannot bind its address
 */
export async function serveCompanion(
  configuration: CompanionConfiguration,
  logger: Logger,
): Promise<RunningCompanion> {
  if (configuration.backOfficeInsecure) {
    logger.log('warn', 'back-office-insecure', { security: true, reason: 'plain-http' });
  }
  if (isScriptUnpinned(configuration)) {
    logger.log('warn', 'sdk-integrity-missing', { security: true, reason: 'script-unpinned' });
  }
  if (configuration.proxy !== undefined) {
    logger.log('info', 'proxy', { address: configuration.proxy.name });
  }
  const { transport, close } = createNodeTransport({
    caFile: configuration.caFile,
    proxy: configuration.proxy,
    connections: configuration.limits.concurrency,
    connectTimeoutMs: Math.min(3_000, configuration.deadlineMs / 3),
  });
  const webhooks = createNodeTransport({ proxy: configuration.proxy });
  const watched = (of: Transport) =>
    watchClocks(of, systemClock, (skew) => logger.log('warn', 'clock-skew', skew));
  const store = await openStore(configuration.store, configuration.migrate, {
    outbox: configuration.webhook !== undefined,
    onUrl: ({ event, ...fields }) => logger.log(urlLevels[event], event, fields),
  });

  const { limits, publicKey } = configuration;
  const keys = new KeyRing(configuration.privateKeys, { logger });
  const counters = createCounters();
  const { meter, render: metrics } = createMetrics({
    keys,
    counters,
    store,
    version,
    environment: configuration.environment,
    absenceGraceMs: timingFor(configuration).absenceGraceMs,
  });

  const changes: { wake: () => void } = { wake: () => undefined };
  const service = createServiceClient({
    baseUrl: configuration.baseUrl,
    keys,
    transport: watched(transport),
    logger,
    meter,
    deadlineMs: configuration.deadlineMs,
    chargeDeadlineMs: configuration.chargeDeadlineMs,
    concurrency: limits.concurrency,
    queue: limits.queue,
    checkoutOperation: configuration.checkoutOperation,
  });
  const { environment } = configuration;
  const inFlight = createInFlight();
  const programmes = new PublishedProgrammes();
  const options: CompanionOptions = {
    environment,
    publicKey,
    service,
    keys,
    tripWire: createTripWire(keys),
    store,
    allowedOrigins: configuration.allowedOrigins,
    tickets: {
      secrets: configuration.ticketSecrets.map((secret) => secret.reveal()),
      audience: configuration.ticketAudience,
      environmentOptional: configuration.ticketEnvironmentOptional,
      maxLifetimeSeconds: configuration.ticketMaxLifetimeSeconds,
    },
    settle: configuration.settle,
    defaultCurrency: configuration.defaultCurrency,
    oneTimeTickets: configuration.oneTimeTickets,
    docsUrl: configuration.docsUrl,
    orderBudgets: limits.perOrder,
    linkMessageBudgets: limits.linkMessages,
    notificationAuthorizations: configuration.notificationAuthorizations,
    webhookTransport: watched(webhooks.transport),
    logger,
    counters,
    meter,
    metrics,
    backOfficeTokens: configuration.backOfficeTokens,
    addressLimit: limits.perAddress,
    addressConcurrency: limits.concurrencyPerAddress,
    keyLimit: limits.perKey,
    startBudget: limits.starts,
    prequalificationBudget: limits.prequalifications,
    clientAddress: createClientAddress({ ...limits, logger }),
    onChange: () => changes.wake(),
    inFlight,
    programmes,
    hostedUrl: configuration.hostedUrl,
    sdk: configuration.sdk,
    webhook: configuration.webhook,
  };
  const stopWatchingKeys = watchKeyFiles(configuration.privateKeyFiles, {
    keys,
    publicKey,
    logger,
  });
  const { backOfficeTokens: tokens } = configuration;
  const stopWatchingTokens = watchTokens({
    files: configuration.backOfficeTokenFiles.paths,
    tokens,
    read: () => configuration.backOfficeTokenFiles.read(),
    replaced: () =>
      logger.log('info', 'back-office-tokens-replaced', { security: true, count: tokens.length }),
    refused(error) {
      const detail = problemsOf(error);
      logger.log('error', 'back-office-tokens-refused', { security: true, detail });
    },
  });
  const stopWatchingProgrammes =
    configuration.programmes &&
    (await publishProgrammeFile(configuration.programmes, { programmes, counters, logger }));
  const background = createBackgroundWork(options);
  changes.wake = () => background.wake();
  const listeners: OpenListener[] = [];
  const end = async (graceMs: number) => {
    const began = performance.now();
    stopWatchingKeys();
    stopWatchingTokens();
    stopWatchingProgrammes?.();
    const quiet = background.stop();
    await Promise.all(listeners.map((listener) => listener.drain(graceMs)));
    await quiet;
    const rest = Math.max(0, graceMs - (performance.now() - began));
    await Promise.race([inFlight.idle(), pause(rest, undefined, { ref: false })]);
    await Promise.all([close(), webhooks.close()]);
    await store.close();
  };
  try {
    const storefront = await listen(createStorefrontApi(options), configuration.storefront);
    listeners.push(storefront);
    const backOffice = await listen(createBackOfficeApi(options), configuration.backOffice);
    listeners.push(backOffice);
    background.start();
    return {
      storefrontUrl: storefront.url,
      backOfficeUrl: backOffice.url,
      // The deadline of a call to the service, plus time for the write after it.
      stop: () => end(configuration.deadlineMs + 5_000),
    };
  } catch (error) {
    await end(0);
    throw error;
  }
}
