#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigurationError, readConfiguration } from '../config/config.ts';
import { createPinoLogger } from './log.ts';
import { type RunningCompanion, serveCompanion } from './serve.ts';

/** Exit codes; those above 64 are sysexits(3)'s. */
const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 69,
  configuration: 78,
} as const;

const program = new Command('financing-companion')
  .description('The companion of Financing Checkout: it alone holds the private key.')
  .showHelpAfterError('Run "financing-companion --help" for what there is.')
  .exitOverride()
  .addHelpText(
    'after',
    `
Exit codes:
  0   ended as asked (SIGTERM, SIGINT)
  1   failed; the message says why
  2   unknown command or option
  69  an address cannot be listened on, or the store cannot be opened
  78  the configuration is not complete; each variable is named`,
  );

program
  .command('serve')
  .description(
    'serve the storefront API and the back-office API; configured by environment variables',
  )
  .action(serve);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exit.ok : exit.usage;
}

async function serve(): Promise<void> {
  let configuration;
  try {
    configuration = readConfiguration(process.env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    say(error.message);
    process.exitCode = exit.configuration;
    return;
  }
  for (const name of configuration.unknownVariables) {
    say(`note: ${name} is not a variable of the companion; is it spelled right?`);
  }
  const logger = createPinoLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
  });
  let companion: RunningCompanion;
  try {
    companion = await serveCompanion(configuration, logger);
  } catch (error) {
    // Errors of listening and of SQLite name an address or a file, never a secret.
    say(`The companion could not start: ${error instanceof Error ? reason(error) : 'unknown'}`);
    process.exitCode = exit.unavailable;
    return;
  }
  say(`storefront   ${companion.storefrontUrl}   (${configuration.environment})`);
  say(`back office  ${companion.backOfficeUrl}`);
  logger.log('info', 'started', { address: companion.storefrontUrl });

  let stopping = false;
  const stop = (signal: string) => {
    // A second signal means: now.
    if (stopping) process.exit(exit.failed);
    stopping = true;
    logger.log('info', 'stopping', { signal });
    companion.stop().then(
      () => {
        logger.log('info', 'stopped');
        process.exitCode = exit.ok;
      },
      (error: unknown) => {
        say(`The companion could not end cleanly: ${error instanceof Error ? reason(error) : ''}`);
        process.exitCode = exit.failed;
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function reason(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}

/** For the person who starts it; logs go to standard output. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
