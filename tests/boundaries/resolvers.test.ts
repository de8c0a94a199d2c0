/* Bundlers resolve each published path of the packed packages, or refuse it. */
import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild, type Plugin } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import webpack from 'webpack';
import {
  companion,
  forAll,
  forServers,
  importing,
  type Installed,
  isForeign,
  runBuilt,
  ticket,
  ticketRefusal,
  unpackPackages,
} from './resolvers.ts';

const run = promisify(execFile);
let installed: Installed;
beforeAll(async () => {
  installed = await unpackPackages();
});
afterAll(() => installed.remove());

/** Builds `main.js` of a project into its folder `dist`. Rejects what it cannot resolve. */
type Build = (project: string) => Promise<unknown>;

const forPages: Record<string, Build> = {
  Vite: (root) => viteBuild(root, false),
  Rollup: (root) => rollupBuild(root, nodeResolve({ browser: true })),
  esbuild: (root) => esbuildFor('browser', root),
  webpack: (root) => webpackFor('web', root),
  'webpack, for a worker': (root) => webpackFor('webworker', root),
};
/** Common setups that do not say where the result runs. */
const byDefaults: Record<string, Build> = {
  'Rollup, by its defaults': (root) => rollupBuild(root, nodeResolve()),
  'esbuild, for no platform': (root) => esbuildFor('neutral', root),
};
const onServers: Record<string, Build> = {
  'Vite, for a server': (root) => viteBuild(root, true),
  'Rollup, for Node.js': (root) => rollupBuild(root, nodeResolve({ exportConditions: ['node'] })),
  'esbuild, for Node.js': (root) => esbuildFor('node', root),
  'webpack, for Node.js': (root) => webpackFor('node', root),
};

function viteBuild(root: string, ssr: boolean): Promise<unknown> {
  return vite({
    root,
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr,
      rolldownOptions: {
        input: 'main.js',
        external: (specifier) => isForeign(specifier),
        output: { entryFileNames: 'main.js' },
      },
    },
  });
}

async function rollupBuild(root: string, resolve: ReturnType<typeof nodeResolve>) {
  const bundle = await rollup({
    input: join(root, 'main.js'),
    external: isForeign,
    // Only the resolution is of interest, and the analysis takes most of the time.
    treeshake: false,
    plugins: [
      resolve,
      // Replaces plugins for these files.
      {
        name: 'texts',
        transform: (_, id) =>
          /\.(css|json)$/.test(id) ? { code: 'export {}', map: null } : undefined,
      },
    ],
    // Rollup leaves unresolved imports to the runtime.
    onwarn: ({ code, message }) => {
      if (code === 'UNRESOLVED_IMPORT' || code === 'MISSING_EXPORT') throw new Error(message);
    },
  });
  await bundle.write({ dir: join(root, 'dist') });
}

const foreign: Plugin = {
  name: 'foreign',
  setup: (build) =>
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      kind !== 'entry-point' && isForeign(path) ? { path, external: true } : undefined,
    ),
};

function esbuildFor(platform: 'browser' | 'neutral' | 'node', root: string): Promise<unknown> {
  return esbuild({
    absWorkingDir: root,
    entryPoints: ['main.js'],
    outdir: 'dist',
    bundle: true,
    platform,
    format: 'esm',
    loader: { '.css': 'text' },
    plugins: [foreign],
    logLevel: 'silent',
  });
}

function webpackFor(target: string, root: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const compiler = webpack({
      mode: 'development',
      devtool: false,
      context: root,
      entry: './main.js',
      target,
      output: { path: join(root, 'dist'), filename: 'main.js' },
      externals: [
        ({ request }, done) => {
          if (isForeign(request)) done(undefined, `var {}`);
          else done();
        },
      ],
      module: { rules: [{ test: /\.css$/, type: 'asset/source' }] },
    });
    compiler.run((error, stats) => {
      const failure = error ?? stats?.compilation.errors[0];
      compiler.close(() => (failure ? reject(failure) : resolve(stats)));
    });
  });
}

/** Returns the error text of a refused build; fails when the build succeeds. */
async function refusal(building: Promise<unknown>): Promise<string> {
  const error: unknown = await building.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('The build was not refused.');
  return error.message;
}

/** Error texts of bundlers when `exports` has no matching condition. */
const notExported = /not exported under|[Cc]ould not (?:be )?resolve/;

const cases = [
  ...forServers.map((path) => ({ path, how: 'static' })),
  { path: companion, how: 'dynamic' },
];
const importOf = ({ path, how }: (typeof cases)[number]) =>
  how === 'static' ? importing([path]) : `import('${path}').then(console.log);\n`;

test('the lists include each published path', () => {
  const listed = [...forAll, ...forServers, ticket].map((path) =>
    path.replace(/\/(cdn|themes)\/.*/, '/$1/*'),
  );
  expect(listed.toSorted()).toEqual(installed.published.toSorted());
});

test('Node.js loads each path', async () => {
  const paths = [...forAll, ...forServers, ticket].filter(
    (path) => !/\.(css|json)$|cdn/.test(path),
  );
  const project = installed.project(
    `for (const path of ${JSON.stringify(paths)}) console.log((await import(path)) && path);\n`,
  );
  const { stdout } = await run(process.execPath, [join(project, 'main.js')]);
  expect(stdout.trim().split('\n')).toEqual(paths);
});

describe.each(Object.entries(forPages))('a page, by %s', (_, build) => {
  test('gets each path for all runtimes', async () => {
    await build(installed.project(importing(forAll)));
  });

  test.each(cases)('does not get $path with a $how import', async (one) => {
    expect(await refusal(build(installed.project(importOf(one))))).toMatch(notExported);
  });

  test('gets none of the functions that need the ticket secret', async () => {
    const main = `import { signOrderTicket } from '${ticket}';\nconsole.log(signOrderTicket);\n`;
    expect(await refusal(build(installed.project(main)))).toMatch(/server-?only/i);
  });

  test('gets the reason when it imports the whole ticket package', async () => {
    const project = installed.project(importing([ticket]));
    await build(project);
    expect(runBuilt(project)).toMatch(ticketRefusal);
  });
});

test('the companion has only conditions of server runtimes', () => {
  const { exports } = installed.manifestOf(companion);
  const runtimes = ['types', 'workerd', 'edge-light', 'deno', 'bun', 'node'];
  for (const conditions of Object.values(exports)) {
    expect(runtimes).toEqual(expect.arrayContaining(Object.keys(conditions)));
  }
});

test.each(Object.entries({ ...forPages, ...byDefaults }))(
  'control: %s resolves the companion once its exports have a default',
  async (_, build) => {
    const project = installed.project(importing([companion]));
    const at = join(project, 'node_modules', companion);
    await cp(join(installed.folder, 'node_modules', companion), at, { recursive: true });
    const { exports, ...manifest } = installed.manifestOf(companion);
    const open = { '.': { ...exports['.'], default: './open.js' } };
    await writeFile(join(at, 'package.json'), JSON.stringify({ ...manifest, exports: open }));
    await writeFile(join(at, 'open.js'), 'export const work = 1;');
    await build(project);
  },
);

describe.each(Object.entries(byDefaults))('%s', (_, build) => {
  test('resolves each path for all runtimes, and the ticket package', async () => {
    await build(installed.project(importing([...forAll, ticket])));
  });

  test.each(cases)('does not resolve $path with a $how import', async (one) => {
    expect(await refusal(build(installed.project(importOf(one))))).toMatch(notExported);
  });
});

describe.each(Object.entries(onServers))('a server, by %s', (_, build) => {
  test('gets each published path', async () => {
    await build(installed.project(importing([...forAll, ...forServers, ticket])));
  });
});
