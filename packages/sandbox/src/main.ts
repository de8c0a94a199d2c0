#!/usr/bin/env node
import './supported-node.ts';

// Who reads has had enough ("… | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Not before that: an older Node.js fails on what all of this imports before it runs any of it.
const { runCommand } = await import('./cli/program.ts');
const code = await runCommand(process.argv.slice(2));
// A command may have set its own.
if (code !== 0) process.exitCode = code;
