/* `npm run test:merchant`: Metro and Parcel resolve each published path of the installed packages, or refuse it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  companion,
  forAll,
  importing,
  runBuilt,
  ticket,
  ticketRefusal,
} from '../boundaries/resolvers.ts';
import { installTarballs } from './packed.ts';

let installed: ReturnType<typeof installTarballs>;
let count = 0;
beforeAll(() => {
  const babel = ['transform-modules-commonjs', 'transform-export-namespace-from'].map(
    (name) => `@babel/plugin-${name}`,
  );
  installed = installTarballs(['parcel@^2', 'metro@^0.87', 'react@^19', ...babel]);
  const write = (name: string, content: string) =>
    writeFileSync(join(installed.folder, name), content);
  write('babel.config.json', JSON.stringify({ plugins: babel }));
  write('metro.web.cjs', 'module.exports = { maxWorkers: 1 };');
  // Like the settings of React Native.
  write(
    'metro.ios.cjs',
    "module.exports = { maxWorkers: 1, resolver: { unstable_conditionNames: ['react-native'] } };",
  );
  // Parcel reads `exports` only with this setting.
  write(
    'package.json',
    JSON.stringify({ private: true, '@parcel/resolver-default': { packageExports: true } }),
  );
});
afterAll(() => installed.remove());

/** Creates a folder with a program that imports these paths. */
function project(main: string): string {
  const folder = join(installed.folder, `project-${count++}`);
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "browserslist": "last 2 Chrome versions" }');
  writeFileSync(join(folder, 'main.js'), main);
  return folder;
}

/** Runs the command of a bundler. @returns its exit code and what it printed */
function build(command: string, args: string[]): [status: number | null, output: string] {
  const { status, stdout, stderr } = spawnSync(
    join(installed.folder, 'node_modules/.bin', command),
    args,
    { cwd: installed.folder, encoding: 'utf8', env: { ...process.env, NODE_ENV: '' } },
  );
  return [status, stdout + stderr];
}

const metro = (platform: string, folder: string) =>
  build('metro', [
    ...['build', join(folder, 'main.js'), '--out', join(folder, 'dist/main.js')],
    ...['--platform', platform, '--config', `metro.${platform}.cjs`, '--minify', 'false'],
  ]);
const parcel = (folder: string, ...options: string[]) =>
  build('parcel', [
    ...['build', join(folder, 'main.js'), '--dist-dir', join(folder, 'dist')],
    ...['--no-cache', '--no-optimize', '--no-source-maps', ...options],
  ]);
const signing = `import { signOrderTicket } from '${ticket}';\nconsole.log(signOrderTicket);\n`;
const built = [0, expect.any(String)];
const refused = (words: string): unknown[] => [1, expect.stringContaining(words)];

describe.each(['web', 'ios'])('Metro, for %s', (platform) => {
  test('resolves each path for all runtimes except style sheets, which Metro does not support', () => {
    const paths = forAll.filter((path) => !path.endsWith('.css'));
    expect(metro(platform, project(importing(paths)))).toEqual(built);
  });

  test('gives a page the module that says where the ticket package runs', () => {
    const folder = project(signing);
    expect(metro(platform, folder)).toEqual(built);
    expect(runBuilt(folder)).toMatch(ticketRefusal);
  });

  test('does not resolve the companion', () => {
    const folder = project(importing([companion]));
    expect(metro(platform, folder)).toEqual(refused(companion));
  });
});

// Parcel merges modules by default (scope hoisting), and then fails at some namespace imports
// without exports.
describe('Parcel, for a page', () => {
  test('resolves each path for all runtimes', () => {
    expect(parcel(project(importing(forAll)), '--no-scope-hoist')).toEqual(built);
  });

  test('gets none of the functions that need the ticket secret', () => {
    expect(parcel(project(signing))).toEqual(refused('server-only.js'));
  });

  test('does not resolve the companion', () => {
    expect(parcel(project(importing([companion])))).toEqual(refused(companion));
  });
});
