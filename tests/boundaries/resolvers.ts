/* The packed packages in a folder, as npm installs them, and programs that import them. */
import { execFile, spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeTarballs } from '../../scripts/tarballs.ts';
import { root } from './tree.ts';

const run = promisify(execFile);
const scope = '@financing-checkout/';

/** Published paths that run in pages and in servers. */
export const forAll = [
  ...['contract/money', 'contract/storefront', 'contract/back-office'],
  ...['contract/reconciliation', 'contract/plain'],
  ...['reconciliation-rules', 'reconciliation-rules/calendar'],
  ...[
    'kit',
    'kit/http',
    'kit/outbox',
    'kit/sql',
    'kit/env',
    'kit/testing',
    'kit/tracing',
    'console/package.json',
    'widget',
    'widget/define',
    'widget/funnel',
  ],
  ...['widget/message', 'widget/message/define', 'widget/message/server', 'widget/prequalify'],
  ...[
    'widget/prequalify/define',
    'widget/react',
    'widget/preact',
    'widget/solid',
    'widget/svelte',
    'widget/vue',
  ],
  ...['widget/development', 'widget/custom-elements.json', 'widget/package.json'],
  ...['widget/cdn/financing-checkout.js', 'widget/themes/calm.css'],
].map((path) => scope + path);

/** Runs in servers. Bundlers for pages find a module in its place that throws. */
export const ticket = `${scope}ticket`;
export const ticketRefusal = /runs on a server only: a secret in a page is public/;

export const companion = `${scope}server`;

/** Published paths that only bundlers for servers resolve, because of their runtime conditions. */
export const forServers = [
  ...[
    'server',
    'server/node',
    'server/ticket',
    'kit/cli',
    'kit/files',
    'kit/listen',
    'kit/log',
    'kit/metrics',
    'kit/outgoing',
    'kit/postgres',
    'kit/sqlite',
    'kit/supported-node',
    'key-fence',
  ],
  ...['reconciliation', 'sandbox', 'sandbox/published'],
].map((path) => scope + path);

/** Third-party libraries, which bundlers leave external. */
export const isForeign = (specifier: string): boolean =>
  !/^[./]|^[A-Z]:|^\0/.test(specifier) && !specifier.startsWith(scope);

interface Manifest {
  name: string;
  exports: Record<string, Record<string, string>>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A folder with the packed packages. */
export interface Installed {
  folder: string;
  /** Published paths, from `exports`; `*` stands for a file name. */
  published: string[];
  manifestOf: (name: string) => Manifest;
  /** Creates a folder that imports the packages, with a `main.js`. */
  project: (main: string) => string;
  remove: () => void;
}

/** Unpacks the packed packages with links to the libraries of the workspace, without the registry. */
export async function unpackPackages(): Promise<Installed> {
  mkdirSync(join(root, '.data/boundaries'), { recursive: true });
  const folder = mkdtempSync(join(root, '.data/boundaries/resolvers-'));
  const manifestOf = (name: string) =>
    JSON.parse(
      readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
    ) as Manifest;
  const published: string[] = [];
  for (const { name, file } of makeTarballs(folder)) {
    const at = join(folder, 'node_modules', name);
    mkdirSync(at, { recursive: true });
    await run('tar', ['xzf', file, '-C', at, '--strip-components=1']);
    const { exports, dependencies, peerDependencies } = manifestOf(name);
    published.push(...Object.keys(exports).map((path) => name + path.slice(1)));
    for (const library of Object.keys({ ...dependencies, ...peerDependencies }).filter(isForeign)) {
      const link = join(at, 'node_modules', library);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(installedLibrary(library), link);
    }
  }
  let count = 0;
  return {
    folder,
    published,
    manifestOf,
    project(main) {
      const project = join(folder, `project-${count++}`);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(project, 'main.js'), main);
      return project;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Returns a library as a package of the workspace has it: a packed package has those of the packages that it carries. */
function installedLibrary(name: string): string {
  const [found] = globSync(`packages/*/node_modules/${name}`, { cwd: root });
  if (found === undefined) throw new Error(`No package of the workspace has ${name}.`);
  return join(root, found);
}

/** Returns a program that imports all of these. */
export function importing(paths: readonly string[]): string {
  const lines = paths.map((path, index) => `import * as m${index} from '${path}';`);
  const names = paths.map((_, index) => `m${index}`);
  return `${lines.join('\n')}\nconsole.log(${names.join(', ')});\n`;
}

/** Runs the `main.js` that a build has written. @returns what it printed */
export function runBuilt(project: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(project, 'dist/main.js')], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}
