import { join } from 'node:path';
import { preview } from 'vite';
import { root } from './paths.ts';
import { pagePorts } from './ports.ts';

/** Serves the built playground on this machine, at its usual port or the next free one. */
export async function servePlayground(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = join(root, 'examples', 'playground');
  const server = await preview({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { outDir: 'dist/page' },
    // The code that a visitor copies loads the widget from here, into any page.
    preview: { host: 'localhost', port: pagePorts.playground, cors: true },
  });
  const [url] = server.resolvedUrls?.local ?? [];
  if (url === undefined) throw new Error('The playground has no address.');
  return { url, close: () => server.close() };
}
