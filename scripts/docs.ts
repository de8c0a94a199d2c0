// `npm run docs`: builds the documentation and serves it until Ctrl-C, with the playground.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, preview } from 'vite';
import { type Bundle, bundle, isCurrent, markBuilt } from './build.ts';
import { compile } from './compile.ts';
import { root } from './paths.ts';
import { pagePorts } from './ports.ts';

const site = join(root, 'site');
const output = join(site, 'dist', 'page');

const documentation: Bundle = {
  folder: 'site',
  inputs: [
    'src',
    'astro.config.ts',
    '../docs',
    ...['README', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map((name) => `../${name}.md`),
    ...['contract', 'kit', 'reconciliation', 'sandbox', 'server', 'ticket', 'widget'].map(
      (name) => `../packages/${name}/dist`,
    ),
    ...['console', 'contract', 'key-fence', 'kit', 'sandbox', 'ticket', 'widget'].map(
      (name) => `../packages/${name}/README.md`,
    ),
    ...['reconciliation', 'reconciliation-rules', 'server'].map(
      (name) => `../packages/${name}/README.md`,
    ),
    ...['reconciliation', 'server', 'widget'].map((name) => `../packages/${name}/docs`),
    ...['integrations', 'playground', 'shop'].map((name) => `../examples/${name}/README.md`),
    '../examples/playground/dist/page',
    '../pnpm-lock.yaml',
  ],
  output: 'dist/page',
};

/** Runs a program. @throws {Error} with the program's output if it fails */
async function run(file: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The documentation was not built.\n${texts.join('')}`);
}

/** Builds the documentation if one of its inputs has changed. Packages and bundles must be built. */
export async function buildDocs(): Promise<void> {
  if (isCurrent(documentation)) return;
  await run(join('node_modules', 'astro', 'bin', 'astro.mjs'), ['build'], site);
  cpSync(join(root, 'examples/playground/dist/page'), join(output, 'playground'), {
    recursive: true,
  });
  markBuilt(documentation);
}

const waitingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<meta name="color-scheme" content="light dark"><title>Documentation</title>
<p>The documentation is being built. This takes up to a minute, once.`;

/** Builds the documentation at the first request. */
function builtAtFirstRequest(): Plugin {
  let building: Promise<void> | undefined;
  let isBuilt = isCurrent(documentation);
  return {
    name: 'built-at-first-request',
    configurePreviewServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        if (isBuilt) {
          next();
          return;
        }
        building ??= buildDocs().then(() => {
          isBuilt = true;
        });
        const failed = (error: Error) => {
          building = undefined;
          response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
          response.end(error.message);
        };
        if (request.headers.accept?.includes('text/html')) {
          const soon = new Promise<void>((resolve) => setImmediate(resolve));
          Promise.race([building, soon]).then(() => {
            if (isBuilt) next();
            else response.writeHead(503, { 'content-type': 'text/html' }).end(waitingPage);
          }, failed);
        } else building.then(() => next(), failed);
      });
      middlewares.use((request, response, next) => {
        const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
        const path = join(output, decodeURIComponent(pathname));
        const isFolder = existsSync(path) && statSync(path).isDirectory();
        if (isFolder && !pathname.endsWith('/')) {
          response.writeHead(308, { location: `${pathname}/${search}` }).end();
        } else if (existsSync(isFolder ? join(path, 'index.html') : path)) {
          next();
        } else {
          response.writeHead(404, { 'content-type': 'text/html' });
          response.end(readFileSync(join(output, '404.html')));
        }
      });
    },
  };
}

/** Serves the documentation on this machine, at its usual port or the next free one. */
export async function serveDocs(): Promise<{ url: string; close: () => Promise<void> }> {
  mkdirSync(output, { recursive: true });
  const server = await preview({
    root: site,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    plugins: [builtAtFirstRequest()],
    build: { outDir: 'dist/page' },
    preview: { host: '127.0.0.1', port: pagePorts.docs },
  });
  const [url] = server.resolvedUrls?.local ?? [];
  if (url === undefined) throw new Error('The documentation has no address.');
  return { url, close: () => server.close() };
}

if (import.meta.main) {
  try {
    compile();
    bundle();
    console.log('Building the documentation …');
    await buildDocs();
    const server = await serveDocs();
    console.log(`Documentation: ${server.url}  (playground/ is below it; Ctrl-C ends it)`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => void server.close());
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
