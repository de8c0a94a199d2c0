import { hostname } from 'node:os';
import type { Configuration } from './config/config.ts';
import type { EngineOptions } from './engine/engine.ts';
import { problemsOf } from '@financing-checkout/kit/env';
import { watchSecrets, watchTokens } from '@financing-checkout/kit/files';
import { listen } from '@financing-checkout/kit/listen';
import { importOperations } from './http/routes/imports.ts';
import { LONGEST_MS } from './imports/receive/index.ts';
import { type Logger, createPinoLogger } from './platform/log.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createProgram, type Program } from './program.ts';
import { version } from './version.ts';

export interface RunningServer {
  /** URL on which the server listens. */
  url: string;
  program: Program;
  /** Completes running requests, stops all work and releases the lease. */
  stop(): Promise<void>;
}

/** Grace period for running requests after a termination signal, in milliseconds. */
const GRACE_MS = 5_000;

/**
 * Runs the program with its HTTP API until it is stopped. Starts listening before the data is
 * ready, and responds to queries with `not-ready` until then.
 * @throws as {@link Program.start}, and listen errors (EADDRINUSE, …)
 */
export async function serve(
  config: Configuration,
  options: EngineOptions = {},
): Promise<RunningServer> {
  const { logLevel: level, logFormat: format } = config;
  const logger = options.logger ?? createPinoLogger({ level, format });
  for (const name of config.unknownVariables) {
    logger.log('warn', 'variable-unknown', { reason: `${name} is not a known variable` });
  }
  const stopWatching = watchFiles(config, logger);
  const program = createProgram(config, { ...options, logger, metrics: createMetrics(version) });
  const listener = await listen(program.app, config.listener, {
    maxConnections: 1_000,
    // The import's own timeout expires first.
    slow: { path: importOperations.ledger.path, requestMs: LONGEST_MS + 60_000 },
  });
  const stop = async () => {
    stopWatching();
    program.engine.end();
    await listener.drain(GRACE_MS);
    await program.stop();
  };
  try {
    await program.start({ mode: 'serve', address: config.listener.url ?? reachable(listener.url) });
  } catch (error) {
    await stop();
    throw error;
  }
  logger.log('info', 'listening', { address: listener.url });
  return { url: listener.url, program, stop };
}

/** Applies secrets from changed files without a restart. @returns a function that stops watching */
function watchFiles({ secretFiles, tokenFiles, tokens }: Configuration, logger: Logger) {
  const stops = [
    watchTokens({
      files: tokenFiles,
      tokens,
      replaced: () => logger.log('info', 'tokens-replaced', { count: tokens.length }),
      refused: (error) => logger.log('error', 'tokens-refused', { reason: problemsOf(error) }),
    }),
    watchSecrets({
      files: secretFiles,
      replaced: (variable) => logger.log('info', 'secret-replaced', { reason: variable }),
      refused: (error) => logger.log('error', 'secret-refused', { reason: problemsOf(error) }),
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns a URL that other machines can use if the process listens on all interfaces. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, `http://${hostname()}`);
}
