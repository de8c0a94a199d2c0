import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

/** The page of all states, served on this machine. */
export interface ServedStates {
  /** Its address, with a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the page of all states on 127.0.0.1; the same server by the name `localhost` is another
 * origin, which is what the lender's page needs.
 * @param port 0 for any that is free.
 */
export async function serveStates(port = 0): Promise<ServedStates> {
  const server = await createServer({
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    cacheDir: 'node_modules/.vite/states',
    logLevel: 'error',
    server: { host: '127.0.0.1', port },
  });
  await server.listen();
  const [origin] = server.resolvedUrls?.local ?? [];
  if (!origin) throw new Error('The server has no address.');
  return { url: `${origin}states/`, close: () => server.close() };
}

if (import.meta.main) process.stdout.write(`All states: ${(await serveStates(4460)).url}\n`);
