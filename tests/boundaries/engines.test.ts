/* The Node.js versions that a package promises are supported by all of its dependencies. */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { subset } from 'semver';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

interface Manifest {
  name: string;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the installed folder of a dependency, as Node.js would find it. */
function folderOf(name: string, from: string): string {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    try {
      return dirname(realpathSync(join(at, 'node_modules', name, 'package.json')));
    } catch {
      // Continue in the parent folder.
    }
  }
  throw new Error(`${name} is not installed for ${from}.`);
}

/** Returns the folders of all direct and indirect dependencies of a package. */
function installedWith(folder: string, found = new Set<string>()): Set<string> {
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    const dependency = folderOf(name, folder);
    if (found.has(dependency)) continue;
    found.add(dependency);
    installedWith(dependency, found);
  }
  return found;
}

/** Returns the dependencies that do not support a promised version of Node.js. */
function refusing(folder: string, promised: string): string[] {
  return [...installedWith(folder)].flatMap((dependency) => {
    const { name, engines } = manifestIn(dependency);
    return subset(promised, engines?.node ?? '*') ? [] : [name];
  });
}

const packages = readdirSync(join(root, 'packages'));

test.each(packages)(
  'the dependencies of packages/%s support every Node.js that it promises',
  (name) => {
    const folder = realpathSync(join(root, 'packages', name));
    expect(refusing(folder, manifestIn(folder).engines?.node ?? '*')).toEqual([]);
  },
);

test('control: finds a dependency that needs a later Node.js', () => {
  expect(refusing(realpathSync(join(root, 'packages/server')), '>=22.16')).toContain('undici');
});

test('all packages that run on a server promise the same Node.js versions', () => {
  const promised = ['kit', 'reconciliation', 'sandbox', 'server', 'ticket'].map(
    (name) => manifestIn(join(root, 'packages', name)).engines?.node,
  );
  expect(new Set(promised)).toEqual(new Set(['>=22.19']));
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('Node.js 22.19');
});
