import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { hostOf, isLoopbackHost } from '@financing-checkout/kit';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono, type MiddlewareHandler, type Next } from 'hono';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './context.ts';

const BASE = '/console/';
const LASTING = 'public, max-age=31536000, immutable';
/** A file name with a content hash, as Vite writes it: `index-BvKc1x2_.js`. */
const hashedName = /^\/console\/assets\/[^/]*-[\w-]{8}\.\w+$/;

/** Headers of every response below `/console/`, where browsers show pages. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html console-icons',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

/**
 * Adds the console's headers to a response, including a problem. Off loopback, where the console
 * needs HTTPS, tells browsers to use only HTTPS (RFC 6797). On loopback, that would apply to all
 * programs on the machine, on any port.
 * @param url the URL under which a proxy serves the program
 */
export function consoleHeaders(url: string | undefined): MiddlewareHandler<Env> {
  const { host, protocol } = url === undefined ? { protocol: 'https:' } : new URL(url);
  return async function consoleHeaders(c, next) {
    for (const [name, value] of Object.entries(pageHeaders)) c.header(name, value);
    if (protocol === 'https:' && !isLoopbackHost(host ?? hostOf(c.req))) {
      c.header('strict-transport-security', 'max-age=31536000');
    }
    await next();
  };
}

/** Returns the folder of the built console; undefined if it is not installed or not built. */
export function findConsole(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      '@financing-checkout/console/package.json',
    );
    return ['dist/page', 'dist']
      .map((folder) => join(dirname(manifest), folder))
      .find((folder) => existsSync(join(folder, 'index.html')));
  } catch {
    return undefined;
  }
}

/**
 * Serves the console's files to everyone, because they contain no data. All page URLs return the
 * same document.
 * @param find returns the folder of the built console
 */
export function consoleFiles(find: () => string | undefined = findConsole): Hono<Env> {
  const app = new Hono<Env>();
  let served: { files: MiddlewareHandler<Env>; page: MiddlewareHandler<Env> } | undefined;

  app.use('/', async (c, next) => (c.req.method === 'GET' ? c.redirect(BASE) : next()));
  app.use('/console', async (c, next) => (c.req.method === 'GET' ? c.redirect(BASE) : next()));
  app.use(`${BASE}*`, async (c: Context<Env, string>, next: Next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next();
    const folder = served === undefined ? find() : undefined;
    if (folder !== undefined) served = serversOf(folder);
    if (served === undefined) {
      throw new ProblemError('not-found', {
        detail:
          'The console is not built. In the repository run "npm run build"; otherwise install the tarball of a release again.',
      });
    }
    const { files, page } = served;
    const nothing = () => Promise.resolve();
    const headers = c.get('headers');
    headers['cache-control'] = hashedName.test(c.req.path) ? LASTING : 'no-cache';
    const file = await files(c, nothing);
    if (file instanceof Response) return file;
    const isOfPage = /\btext\/html\b/.test(c.req.header('accept') ?? '');
    headers['cache-control'] = isOfPage ? 'no-cache' : 'no-store';
    const document = isOfPage ? await page(c, nothing) : undefined;
    if (document instanceof Response) return document;
    throw new ProblemError('not-found', { detail: 'The console has no such file.' });
  });
  return app;
}

function serversOf(root: string) {
  return {
    files: serveStatic<Env>({
      root,
      precompressed: true,
      rewriteRequestPath: (path) => path.slice(BASE.length - 1),
    }),
    page: serveStatic<Env>({ root, path: 'index.html', precompressed: true }),
  };
}
