#!/usr/bin/env node
import { exitCodes, reasonOf, say } from './exit.ts';
import { runCommand } from './program.ts';
import { processShell } from './shell.ts';

// The reader closed the pipe ("…
// head"): no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  say(`The result could not be written: ${reasonOf(error)}`);
  process.exit(exitCodes.failed);
});
// Messages are not the result: a full disk behind standard error does not matter.
process.stderr.on('error', () => undefined);

process.exitCode = await runCommand(process.argv.slice(2), processShell);
