import { serve } from '@hono/node-server';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createShop } from './app.ts';
import { readAssets } from './assets.ts';
import { keptSecret } from './back-office/access.ts';
import { ConfigError, readConfig } from './config.ts';
import { openDatabase } from './database.ts';
import { consoleLog as log } from './log.ts';

/** Starts the shop with the configuration from the environment, and stops it on SIGTERM or SIGINT. */
function main(): void {
  const config = readConfig(process.env);
  mkdirSync(dirname(config.database), { recursive: true });
  const assets = readAssets(fileURLToPath(new URL('./client/', import.meta.url)));
  const database = openDatabase(config.database);

  let { adminToken } = config;
  if (adminToken === undefined) {
    const generated = keptSecret(config.database, 'admin-token');
    adminToken = generated.token;
    log('info', 'back office token', { file: generated.file });
  }

  const { token: visitorSecret } = keptSecret(config.database, 'visitor-secret');
  const app = createShop({
    config: { ...config, adminToken, visitorSecret },
    database,
    assets,
    log,
  });
  const server = serve({ fetch: app.fetch, hostname: config.host, port: config.port }, () =>
    log('info', 'shop ready', { address: config.origin, environment: config.environment }),
  );
  server.on('error', (error: NodeJS.ErrnoException) => {
    log('error', 'shop cannot listen', { port: config.port, reason: error.code ?? error.name });
    database.close();
    process.exitCode = 1;
  });

  let ending = false;
  const end = (signal: NodeJS.Signals): void => {
    if (ending) return;
    ending = true;
    log('info', 'shop ends', { signal });
    // Completes running requests and closes idle connections.
    server.close(() => database.close());
    if ('closeIdleConnections' in server) server.closeIdleConnections();
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

try {
  main();
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
