import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, createServer, type InlineConfig, preview } from 'vite';

/** The page with all states, served on this machine. */
export interface ServedStates {
  /** URL of the page, with a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

// The same server under the name `localhost` is a different origin, which the lender's page needs.
const host = '127.0.0.1';
const root = fileURLToPath(new URL('..', import.meta.url));
const common = { root, configFile: false, logLevel: 'error' } satisfies InlineConfig;

/** Serves the page on 127.0.0.1 for development, with live reload. */
async function serveStates(port: number): Promise<ServedStates> {
  const cacheDir = 'node_modules/.vite/states';
  const server = await createServer({ ...common, cacheDir, server: { host, port } });
  await server.listen();
  return served(server.resolvedUrls, () => server.close());
}

/** Builds the page into a folder, below `states/`, for any address. */
async function buildStates(outDir: string): Promise<void> {
  const input = ['index', 'cell', 'lender', 'message'].map((name) =>
    join(root, `states/${name}.html`),
  );
  await build({
    ...common,
    base: './',
    build: { outDir, assetsDir: 'states/assets', rolldownOptions: { input, treeshake: false } },
  });
}

/**
 * Builds the page and serves it on a free port, which is fast enough for hundreds of page loads.
 */
export async function serveBuiltStates(): Promise<ServedStates> {
  const outDir = await mkdtemp(join(tmpdir(), 'states-'));
  await buildStates(outDir);
  const server = await preview({ ...common, build: { outDir }, preview: { host, port: 0 } });
  return served(server.resolvedUrls, async () => {
    await server.close();
    await rm(outDir, { recursive: true });
  });
}

function served(urls: { local: string[] } | null, close: () => Promise<void>): ServedStates {
  const [origin] = urls?.local ?? [];
  if (!origin) throw new Error('The server has no address.');
  return { url: `${origin}states/`, close };
}

// `serve.ts` serves the page for development; `serve.ts build <folder>` builds it.
if (import.meta.main) {
  const [, , command, folder] = process.argv;
  if (command === 'build' && folder !== undefined) await buildStates(folder);
  else process.stdout.write(`All states: ${(await serveStates(4460)).url}\n`);
}
