import { readFileSync } from 'node:fs';
import { Hono } from 'hono';

const assets = new URL('../../assets/', import.meta.url);
const files = {
  '/': ['control.html', 'text/html; charset=utf-8'],
  '/assets/control.css': ['control.css', 'text/css; charset=utf-8'],
  '/assets/control.js': ['control.js', 'text/javascript; charset=utf-8'],
  '/assets/mark.svg': ['mark.svg', 'image/svg+xml'],
} as const;

/** The control page: the same knobs as the control API, for a person. */
export function controlPage(): Hono {
  const routes = new Hono();
  for (const [path, [name, type]] of Object.entries(files)) {
    const content = readFileSync(new URL(name, assets), 'utf8');
    routes.get(path, (c) =>
      c.body(content, 200, {
        'Content-Type': type,
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
          "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
      }),
    );
  }
  return routes;
}
