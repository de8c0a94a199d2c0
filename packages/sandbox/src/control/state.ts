import { randomUUID } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Hono } from 'hono';
import { SandboxError } from '../platform/problem.ts';
import { streamToNewFile } from '../platform/write-file.ts';
import type { Service } from '../service.ts';
import { operation } from './operation.ts';
import { requireControlToken } from './token.ts';

export const resetOperation = operation('state reset', 'POST /reset', {
  does: 'Empty the state, clear faults and reset the clock; keys stay.',
  confirm: 'Forget all applications, charges and fundings?',
  run: (sandbox) => {
    sandbox.reset();
    sandbox.calls.clear();
    return { status: 'empty', clock: sandbox.clock.read() };
  },
  show: ({ status }) => [status],
});

/**
 * `/state`: GET returns the whole state as a file, PUT replaces it. The caller sends and receives
 * bytes, not paths: the sandbox opens no file that the caller could not open itself.
 * @param token the control token
 */
export function stateRoutes(service: Service, token: string): Hono {
  const routes = new Hono();
  routes.use(requireControlToken(token));
  routes.get('/', (c) => {
    // Hono routes HEAD to GET (RFC 9110 9.3.2), but then nothing would close and remove the file.
    if (c.req.method === 'HEAD') return c.body(null, 405, { Allow: 'GET, PUT' });
    const file = join(service.dataDir, `state.${randomUUID()}`);
    try {
      service.save(file);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    const content = createReadStream(file);
    content.once('close', () => rmSync(file, { force: true }));
    c.header('Content-Type', 'application/vnd.sqlite3');
    c.header('Content-Disposition', 'attachment; filename="sandbox.state"');
    c.header('Content-Length', String(statSync(file).size));
    return c.body(Readable.toWeb(content) as globalThis.ReadableStream);
  });
  routes.put('/', async (c) => {
    const { body } = c.req.raw;
    if (!body) return c.json({ error: 'the body must be a saved state' }, 400);
    const file = join(service.dataDir, `state.${randomUUID()}`);
    try {
      await pipeline(Readable.fromWeb(body), streamToNewFile(file));
      service.load(file);
    } catch (error) {
      if (error instanceof SandboxError) return c.json({ error: error.message }, 422);
      throw error;
    } finally {
      for (const suffix of ['', '-journal', '-wal', '-shm']) {
        rmSync(file + suffix, { force: true });
      }
    }
    return c.json({ status: 'loaded', clock: service.clock.read() });
  });
  return routes;
}
