// `npm run conformance`: proves the conformance suite. The proof is a test of the sandbox, so it runs on
// the sources of that package and not on what is published.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './paths.ts';

const proof = join(root, 'packages/sandbox/tests/conformance.ts');
process.exitCode = spawnSync(process.execPath, [proof], { stdio: 'inherit' }).status ?? 1;
