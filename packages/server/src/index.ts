/**
 * The companion of Financing Checkout as a library: the storefront API, the back-office API and the
 * background work, for any runtime with web standards. The parts that need Node (SQLite, undici,
 * pino, the CLI) are in `@financing-checkout/server/node`.
 * @packageDocumentation
 */
export type { BackgroundWork } from './background.ts';
export { createCompanion } from './companion.ts';
export type { Companion } from './companion.ts';
export { ConfigurationError, readConfiguration } from './config/config.ts';
export type { CompanionConfiguration } from './config/config.ts';
export type { BackOfficeToken, Scope } from './config/scopes.ts';
export { KeyRing } from './keys/key-ring.ts';
export type { KeySlot, KeyStatus } from './keys/key-ring.ts';
export { PrivateKey } from './keys/private-key.ts';
export { createTripWire } from './keys/key-ring.ts';
export type { TripWire } from './keys/key-ring.ts';
export { type ClientAddress, systemClock, type Clock, Secret } from '@financing-checkout/kit';
export { createCounters } from './platform/counters.ts';
export type { CounterName, Counters } from './platform/counters.ts';
export { listedFields, silentLogger } from './platform/logger.ts';
export type { LogFields, Logger, LogLevel } from './platform/logger.ts';
export type { Meter, MeteredCall, MeteredRequest } from './platform/meter.ts';
export type { CompanionOptions, CompanionPorts } from './options.ts';
export type { Priority } from './platform/priority.ts';
export { ProgrammeFileError, readProgrammeFile } from './programmes/file.ts';
export { PublishedProgrammes } from './programmes/published.ts';
export type { ProgrammeAnswer } from './programmes/published.ts';
export type { CheckoutOperation } from './service/prime.ts';
export { createServiceClient } from './service/client.ts';
export type { ServiceClient, ServiceClientOptions } from './service/client.ts';
export type { CallContext } from './service/exchange.ts';
export type { Transport, TransportRequest, TransportResponse } from '@financing-checkout/kit';
export { createKyselyStore } from './store/kysely-store.ts';
export type { KyselyStoreOptions } from './store/kysely-store.ts';
export type { Store } from './store/store.ts';
export type { WebhookTarget } from '@financing-checkout/kit/outbox';
