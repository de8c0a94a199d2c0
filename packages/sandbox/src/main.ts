#!/usr/bin/env node
import './supported-node.ts';

// A reader that closes the pipe ("… | head") is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Imported after the version check, because on an older Node.js a static import would fail first.
const { runCommand } = await import('./cli/program.ts');
const code = await runCommand(process.argv.slice(2));
// A command may have set its own exit code.
if (code !== 0) process.exitCode = code;
