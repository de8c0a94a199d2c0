/**
 * The companion on Node: a SQLite store, an undici transport, pino logs, and `serveCompanion`.
 * @packageDocumentation
 */
export { createClientAddress } from '@financing-checkout/kit';
export type { ClientAddressOptions } from '@financing-checkout/kit';
export { watchKeyFiles } from './key-files.ts';
export type { KeyFile } from './key-files.ts';
export { createMetrics } from './metrics.ts';
export type { Metrics, MetricsOptions } from './metrics.ts';
export { createNodeTransport } from '@financing-checkout/kit/outgoing';
export type { NodeTransport, NodeTransportOptions } from '@financing-checkout/kit/outgoing';
export { createPinoLogger } from './log.ts';
export type { PinoLoggerOptions } from './log.ts';
export { serveCompanion } from './serve.ts';
export type { RunningCompanion } from './serve.ts';
export { sqliteDialect } from '@financing-checkout/kit/sqlite';
export { openStore, StoreError } from './store.ts';
export type { StoreLocation } from '../config/store.ts';
