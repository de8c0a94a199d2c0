/**
 * What the companion needs of Node: a SQLite store, an undici transport, pino logs, and `serve`.
 * @packageDocumentation
 */
export { createNodeTransport } from './transport.ts';
export type { NodeTransport, NodeTransportOptions } from './transport.ts';
export { createPinoLogger } from './log.ts';
export type { PinoLoggerOptions } from './log.ts';
export { serveCompanion } from './serve.ts';
export type { RunningCompanion } from './serve.ts';
export { sqliteDialect } from './sqlite.ts';
