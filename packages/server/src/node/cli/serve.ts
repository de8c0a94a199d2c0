import type { Command } from 'commander';
import { describeError } from '../../platform/logger.ts';
import type { RunningCompanion } from '../serve.ts';
import { commandConfiguration } from './configuration.ts';
import { CommandFailure, exitCodes, reasonOf } from './exit.ts';
import type { Shell } from './shell.ts';

/** Registers `serve`: both listeners and the background work, until SIGTERM or SIGINT. */
export function registerServe(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('serve the storefront API and the back-office API')
    .addHelpText(
      'after',
      `
Listens on COMPANION_HOST:COMPANION_PORT (127.0.0.1:4000) for pages and on
COMPANION_BACK_OFFICE_HOST:COMPANION_BACK_OFFICE_PORT (127.0.0.1:4001) for the merchant's network.
Logs go to standard output, one JSON object a line (LOG_FORMAT=text for a person).

SIGTERM or SIGINT: no new connections, requests in flight are answered, then exit 0.
A second signal: exit 1 at once. An attempt at the service is on disk before it is sent, so nothing is
lost either way; the next start looks up unknown outcomes.`,
    )
    .action(() => serve(shell));
}

async function serve(shell: Shell): Promise<void> {
  const configuration = commandConfiguration(shell);
  const { createPinoLogger, exitAfterLogging } = await import('../log.ts');
  const { serveCompanion } = await import('../serve.ts');
  const logger = createPinoLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
  });
  // After an uncaught exception the state of the process is unknown. The store needs no clean end: the
  // next process finds every attempt in it.
  process.on('uncaughtException', (error) => {
    logger.log('error', 'crashed', describeError(error));
    exitAfterLogging(exitCodes.internal);
  });

  let companion: RunningCompanion | undefined;
  let stopping = false;
  const stop = (signal: string) => {
    // A second signal stops at once.
    if (stopping) {
      exitAfterLogging(exitCodes.failed);
      return;
    }
    stopping = true;
    logger.log('info', 'stopping', { signal });
    // Still starting. Without this listener, the first process of a container would ignore signals.
    if (companion === undefined) {
      exitAfterLogging(exitCodes.ok);
      return;
    }
    companion.stop().then(
      () => {
        logger.log('info', 'stopped');
        // The channel of a process manager would keep the process running.
        exitAfterLogging(exitCodes.ok);
      },
      (error: unknown) => {
        shell.say(`The companion could not stop cleanly: ${reasonOf(error)}`);
        exitAfterLogging(exitCodes.failed);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  try {
    companion = await serveCompanion(configuration, logger);
  } catch (error) {
    throw new CommandFailure(
      `The companion could not start: ${reasonOf(error)}`,
      exitCodes.unavailable,
    );
  }
  shell.say(`storefront   ${companion.storefrontUrl}   (${configuration.environment})`);
  shell.say(`back office  ${companion.backOfficeUrl}`);
  logger.log('info', 'started', { address: companion.storefrontUrl });
}
