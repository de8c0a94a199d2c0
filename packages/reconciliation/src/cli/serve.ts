import { readFileSync } from 'node:fs';
import { addCommand, type Register, serveUntilSignal } from '@financing-checkout/kit/cli';
import { readConfiguration } from '../config/config.ts';
import type { Shell } from './shell.ts';

/** Registers `serve`, which runs the HTTP API and the background work until SIGTERM or SIGINT. */
export const registerServe: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'serve',
    description: 'run the HTTP API, sync fundings, judge orders and follow cases',
    help: `Listens on RECONCILIATION_HOST:RECONCILIATION_PORT (127.0.0.1:4002). Logs go to standard output, one JSON
object per line (LOG_FORMAT=text for a terminal). Several processes may run on one PostgreSQL: one writes,
the others answer queries and take over within seconds when it ends.

SIGTERM or SIGINT: running requests are answered, then exit 0. A second signal: exit 1 at once. Data that
was read is kept, and the next start continues from there.`,
  };
  addCommand(program, definition, async () => {
    const configuration = readConfiguration(shell.env, (path) => readFileSync(path, 'utf8'));
    const { serve } = await import('../serve.ts');
    const start = () => serve(configuration);
    const { url } = await serveUntilSignal(shell, 'Reconciliation', start);
    shell.say(`reconciliation  ${url}   (${configuration.environment})`);
  });
};
