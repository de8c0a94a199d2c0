import { readFileSync } from 'node:fs';
import { Hono } from 'hono';

const assets = new URL('../../assets/', import.meta.url);

export function readAsset(name: string): string {
  return readFileSync(new URL(name, assets), 'utf8');
}

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Serves the package's files, each read once. @param files file names by path */
export function assetRoutes(
  files: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Hono {
  const routes = new Hono();
  for (const [path, name] of Object.entries(files)) {
    const content = readAsset(name);
    const type = mediaTypes[name.split('.').at(-1) ?? ''] ?? 'text/plain';
    routes.get(path, (c) =>
      c.body(content, 200, {
        'Content-Type': type,
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
        ...headers,
      }),
    );
  }
  return routes;
}
