import { readFileSync } from 'node:fs';
import {
  addCommand,
  exitCodes,
  misspelled,
  type Register,
  serveUntilSignal,
  type Shell,
} from '@financing-checkout/kit/cli';
import { readConfiguration } from '../../config/config.ts';
import { describeError } from '../../platform/logger.ts';

/** Registers `serve`, which runs both listeners and the background work until SIGTERM or SIGINT. */
export const registerServe: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'serve',
    description: 'serve the storefront API and the back-office API',
    help: `Listens on COMPANION_HOST:COMPANION_PORT (127.0.0.1:4000) for pages and on
COMPANION_BACK_OFFICE_HOST:COMPANION_BACK_OFFICE_PORT (127.0.0.1:4001) for the merchant's network.
Logs go to standard output, one JSON object a line (LOG_FORMAT=text for a person).

SIGTERM or SIGINT: no new connections, requests in flight are answered, then exit 0.
A second signal: exit 1 at once. An attempt at the service is on disk before it is sent, so nothing is
lost either way; the next start looks up unknown outcomes.`,
  };
  addCommand(program, definition, () => serve(shell));
};

async function serve(shell: Shell): Promise<void> {
  const configuration = readConfiguration(shell.env, (path) => readFileSync(path, 'utf8'));
  for (const { message, advice } of misspelled(configuration.unknownVariables)) {
    shell.say(`note: ${message}. ${advice ?? ''}`);
  }
  const { createPinoLogger, exitAfterLogging } = await import('../log.ts');
  const { serveCompanion } = await import('../serve.ts');
  const logger = createPinoLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
  });
  // After an uncaught exception the state of the process is unknown. The store needs no clean
  // shutdown: the next process finds every attempt in it.
  process.on('uncaughtException', (error) => {
    logger.log('error', 'crashed', describeError(error));
    exitAfterLogging(exitCodes.internal);
  });
  const start = async () => {
    const companion = await serveCompanion(configuration, logger);
    const stop = async () => {
      await companion.stop();
      logger.log('info', 'stopped');
    };
    return { companion, stop };
  };
  const onSignal = (signal: string) => logger.log('info', 'stopping', { signal });
  const { companion } = await serveUntilSignal(shell, 'The companion', start, onSignal);
  shell.say(`storefront   ${companion.storefrontUrl}   (${configuration.environment})`);
  shell.say(`back office  ${companion.backOfficeUrl}`);
  logger.log('info', 'started', { address: companion.storefrontUrl });
}
