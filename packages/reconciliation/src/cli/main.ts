#!/usr/bin/env node
import { exitCodes, reasonOf, say } from './exit.ts';
import { runCommand } from './program.ts';
import { processShell } from './shell.ts';

// Who reads has had enough ("… | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  say(`The result could not be written: ${reasonOf(error)}`);
  process.exit(exitCodes.failed);
});
// What is said to a person is not the result: a full disk there changes nothing.
process.stderr.on('error', () => undefined);

process.exitCode = await runCommand(process.argv.slice(2), processShell);
