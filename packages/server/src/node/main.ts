#!/usr/bin/env node
import './supported-node.ts';
import { exitCodes, reasonOf, say } from './cli/exit.ts';
import { runCommand } from './cli/program.ts';
import { processShell } from './cli/shell.ts';

// The reader has closed the pipe ("… | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  say(`The result could not be written: ${reasonOf(error)}`);
  process.exit(exitCodes.failed);
});
// Standard error is for a person and is not the result: a failure to write it changes nothing.
process.stderr.on('error', () => undefined);

process.exitCode = await runCommand(process.argv.slice(2), processShell);
