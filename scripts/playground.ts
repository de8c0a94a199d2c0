import { join } from 'node:path';
import type { Page } from 'playwright';
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

/** Returns the names of the states that the playground offers for an element. */
export async function offeredStates(page: Page, url: string, element: string): Promise<string[]> {
  await page.goto(`${url}?element=${element}`);
  const options = page.locator('select[name=state] option:not([value=""], [value="all states"])');
  await page.locator('select[name=state]').waitFor();
  return options.allTextContents();
}
