#!/usr/bin/env node
import './supported-node.ts';
import { exitCodes, reasonOf, say } from './cli/exit.ts';
import { runCommand } from './cli/program.ts';
import { processShell } from './cli/shell.ts';

// Who reads has had enough ("… | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  say(`The result could not be written: ${reasonOf(error)}`);
  process.exit(exitCodes.failed);
});
// What is said to a person is not the result: that nobody hears it, or its disk is full, changes nothing.
process.stderr.on('error', () => undefined);

process.exitCode = await runCommand(process.argv.slice(2), processShell);
