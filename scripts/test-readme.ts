// `npm run test:readme`: follows the README in a fresh folder, and lists the commands that it does not
// run. The last line is `N passed, N failed`; each block of commands counts as one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsIn } from '../tests/boundaries/blocks.ts';
import { root } from './paths.ts';
import { runProject } from './project.ts';

for (const { code, notRun } of commandsIn(readFileSync(join(root, 'README.md'), 'utf8'))) {
  if (notRun !== undefined) console.log(`Not run, because ${notRun}:\n  ${code.trim()}`);
}
runProject('readme');
