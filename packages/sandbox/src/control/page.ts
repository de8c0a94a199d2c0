import type { Hono } from 'hono';
import { assetRoutes } from '../platform/asset.ts';

/** Serves the control page: the control API for a person. */
export function controlPage(): Hono {
  return assetRoutes(
    {
      '/': 'control.html',
      '/assets/control.css': 'control.css',
      '/assets/control.js': 'control.js',
      '/assets/mark.svg': 'mark.svg',
    },
    {
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
        "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    },
  );
}
