// `npm run test:recipes`: follows the recipes in CONTRIBUTING.md in a copy, and runs what they
// name. The last line is JSON: the number of package source files, without tests, that each recipe
// touches.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from './paths.ts';
import { testProject } from './project.ts';

const file = join(dataDir, 'recipes.json');
rmSync(file, { force: true });
process.env.RECIPES_FILE = file;
testProject('recipes');
console.log(existsSync(file) ? readFileSync(file, 'utf8') : '{}');
