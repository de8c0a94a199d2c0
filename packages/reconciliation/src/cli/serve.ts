import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfiguration } from '../config/config.ts';
import { ConfigurationError } from '../config/reader.ts';
import type { RunningServer } from '../serve.ts';
import { CommandFailure, exitCodes, reasonOf } from './exit.ts';
import type { Shell } from './shell.ts';

/** `serve`: runs the HTTP API and the background work until SIGTERM or SIGINT. */
export function registerServe(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('run the HTTP API, sync fundings, judge orders and follow cases')
    .addHelpText(
      'after',
      `
Listens on RECONCILIATION_HOST:RECONCILIATION_PORT (127.0.0.1:4002). Logs go to standard output, one JSON
object per line (LOG_FORMAT=text for a terminal). Several processes may run on one PostgreSQL: one writes,
the others answer queries and take over within seconds when it ends.

On SIGTERM or SIGINT it answers running requests and exits with 0; on a second signal it exits with 1 at
once. Data that was read is kept, and the next start continues from there.`,
    )
    .action(() => serveProgram(shell));
}

async function serveProgram(shell: Shell): Promise<void> {
  const configuration = configurationOf(shell);
  const { exitAfterLogging } = await import('../platform/pino-log.ts');
  const { serve } = await import('../serve.ts');
  let server: RunningServer | undefined;
  let stopping = false;
  const stop = () => {
    if (stopping) {
      exitAfterLogging(exitCodes.failed);
      return;
    }
    stopping = true;
    // A signal during the start: no work has begun.
    if (server === undefined) {
      exitAfterLogging(exitCodes.ok);
      return;
    }
    server.stop().then(
      // The channel of a process manager would keep the process running.
      () => exitAfterLogging(exitCodes.ok),
      (error: unknown) => {
        shell.say(`The program did not end cleanly: ${reasonOf(error)}`);
        exitAfterLogging(exitCodes.failed);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    server = await serve(configuration);
  } catch (error) {
    throw new CommandFailure(
      `The program could not start: ${reasonOf(error)}`,
      exitCodes.unavailable,
    );
  }
  shell.say(`reconciliation  ${server.url}   (${configuration.environment})`);
}

/** @throws {CommandFailure} with each variable that is missing or invalid */
export function configurationOf({ env }: Pick<Shell, 'env'>) {
  try {
    return readConfiguration(env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new CommandFailure(error.message, exitCodes.configuration);
  }
}
