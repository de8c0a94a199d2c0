import { setTimeout as pause } from 'node:timers/promises';
import { createCompanion } from '../companion.ts';
import { timingFor } from '../service/timing.ts';
import { type CompanionConfiguration, isScriptUnpinned } from '../config/config.ts';
import { createTripWire, KeyRing } from '../keys/key-ring.ts';
import { createCounters } from '../platform/counters.ts';
import type { Logger } from '../platform/logger.ts';
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
import { watchSecrets, watchTokens } from '@financing-checkout/kit/files';
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
    connections: configuration.concurrency,
    connectTimeoutMs: Math.min(3_000, configuration.deadlineMs / 3),
  });
  const webhooks = createNodeTransport({ proxy: configuration.proxy });
  const watched = (of: Transport) =>
    watchClocks(of, systemClock, (skew) => logger.log('warn', 'clock-skew', skew));
  const store = await openStore(configuration.storeLocation, configuration.migrate, {
    outbox: configuration.webhook !== undefined,
    onUrl: ({ event, ...fields }) => logger.log(urlLevels[event], event, fields),
  });

  const { nextPrivateKey, privateKey, ...settings } = configuration;
  const keys = new KeyRing([privateKey, ...(nextPrivateKey ? [nextPrivateKey] : [])], { logger });
  const counters = createCounters();
  const { meter, render: metrics } = createMetrics({
    keys,
    counters,
    store,
    version,
    environment: configuration.environment,
    absenceGraceMs: timingFor(configuration).absenceGraceMs,
  });
  const service = createServiceClient({
    ...settings,
    keys,
    transport: watched(transport),
    logger,
    meter,
  });
  const programmes = new PublishedProgrammes();
  const { background, ...companion } = createCompanion({
    ...settings,
    service,
    keys,
    tripWire: createTripWire(keys),
    store,
    webhookTransport: watched(webhooks.transport),
    logger,
    counters,
    meter,
    metrics,
    clientAddress: createClientAddress({ ...settings, logger }),
    programmes,
  });
  const { publicKey, backOfficeTokens: tokens } = configuration;
  const stopWatching = [
    watchKeyFiles(configuration.privateKeyFiles, { keys, publicKey, logger }),
    watchTokens({
      files: configuration.backOfficeTokenFiles,
      tokens,
      replaced: () =>
        logger.log('info', 'back-office-tokens-replaced', { security: true, count: tokens.length }),
      refused(error) {
        const detail = problemsOf(error);
        logger.log('error', 'back-office-tokens-refused', { security: true, detail });
      },
    }),
    watchSecrets({
      files: configuration.secretFiles,
      replaced: (name) => logger.log('info', 'secret-replaced', { security: true, detail: name }),
      refused(error) {
        logger.log('error', 'secret-refused', { security: true, detail: problemsOf(error) });
      },
    }),
    configuration.programmeFile &&
      (await publishProgrammeFile(configuration.programmeFile, { programmes, counters, logger })),
  ];
  const listeners: OpenListener[] = [];
  const end = async (graceMs: number) => {
    const began = performance.now();
    for (const stop of stopWatching) stop?.();
    const quiet = background.stop();
    await Promise.all(listeners.map((listener) => listener.drain(graceMs)));
    await quiet;
    const rest = Math.max(0, graceMs - (performance.now() - began));
    await Promise.race([companion.idle(), pause(rest, undefined, { ref: false })]);
    await Promise.all([close(), webhooks.close()]);
    await store.close();
  };
  try {
    const storefront = await listen(companion.storefront, configuration.storefront);
    listeners.push(storefront);
    const backOffice = await listen(companion.backOffice, configuration.backOffice);
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
