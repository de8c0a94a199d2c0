#!/usr/bin/env node
import './supported-node.ts';
import { Command, CommanderError } from 'commander';
import { registerCharges } from './cli/charges.ts';
import { CommandFailure, exitCodes, reasonOf, say } from './cli/exit.ts';
import { registerDoctor } from './cli/doctor.ts';
import { registerExplain } from './cli/explain.ts';
import { registerFingerprint } from './cli/fingerprint.ts';
import { registerFundings } from './cli/fundings.ts';
import { registerMigrate } from './cli/migrate.ts';
import { registerReconcile } from './cli/reconcile.ts';
import { registerServe } from './cli/serve.ts';
import { registerWebhooks } from './cli/webhooks.ts';
import { version } from '../version.ts';

// Who reads has had enough ("… | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  say(`The result could not be written: ${reasonOf(error)}`);
  process.exit(exitCodes.failed);
});
// What is said to a person is not the result: that nobody hears it, or its disk is full, changes nothing.
process.stderr.on('error', () => undefined);

const program = new Command('financing-companion')
  .description('The companion of Financing Checkout: it alone holds the private key.')
  .exitOverride()
  // `--version` is this program's before a command, and the command's own after it.
  .enablePositionalOptions()
  .version(version)
  .addHelpText(
    'after',
    `
Examples:
  financing-companion doctor                    before the first start, and when in doubt
  financing-companion serve
  LOG_FORMAT=text LOG_LEVEL=debug financing-companion serve
  financing-companion explain req_1f9k2…        what became of a request

Configuration is read from environment variables; each secret also from the file that <NAME>_FILE
names. At least:
  FINANCING_ENVIRONMENT       uat, sandbox or production
  FINANCING_BASE_URL          https address of the service in that environment
  FINANCING_PUBLIC_API_KEY    what pages send
  FINANCING_PRIVATE_API_KEY   what only this process knows
  FINANCING_HOSTED_URL        address template of the page with the lenders' offers; or
                              FINANCING_SDK_URL with FINANCING_SDK_GLOBAL
  ORDER_TICKET_SECRET         shared with the shop's backend, 32 bytes or more
  COMPANION_ALLOWED_ORIGINS   origins of storefront pages, separated by commas
The README of @financing-checkout/server has all of them. "serve" names each one that is missing
or wrong, and never prints a value. "doctor" also tells what it starts without and a shop needs.

Exit codes:
  0   done, or ended as asked (SIGTERM, SIGINT)
  1   failed; the message says why
  2   unknown command or option; the reconcile commands have their own 1, 2 and 3
  69  an address cannot be listened on, or the store or the service cannot be reached
  70  crashed: the log has the event "crashed"
  75  what became of it is not known yet: run the same command with the same --key again
  77  the access token is missing or wrong
  78  the configuration is not complete; each variable is named`,
  );

// One line a command, each in its own file of cli/.
registerServe(program);
registerDoctor(program);
registerExplain(program);
registerCharges(program);
registerWebhooks(program);
registerFundings(program);
registerReconcile(program);
registerMigrate(program);
registerFingerprint(program);

sayWhereHelpIs(program, program.name());

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommandFailure) {
    say(error.message);
    process.exitCode = error.exitCode;
  } else if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  } else {
    throw error;
  }
}

/** Of the command itself: that of the whole program names none of its options. */
function sayWhereHelpIs(command: Command, words: string): void {
  command.showHelpAfterError(`Run "${words} --help" for what there is.`);
  for (const one of command.commands) sayWhereHelpIs(one, `${words} ${one.name()}`);
}
