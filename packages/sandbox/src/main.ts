#!/usr/bin/env node
import './supported-node.ts';

// The reader closed the pipe ("… | head"): not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Imported after the version check: an older Node.js fails on the imports before it runs any code.
const { runCommand } = await import('./cli/program.ts');
const code = await runCommand(process.argv.slice(2));
// A command may have set its own exit code.
if (code !== 0) process.exitCode = code;
