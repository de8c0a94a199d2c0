import { Hono } from 'hono';
import type { Env } from '../platform/http/requests.ts';
import { type DescribedApi, openApiDocument } from './openapi.ts';
import { REFERENCE_POLICY, referencePage } from './reference-page.ts';

/** `/openapi.json`, and `/docs`: the same to read. Both hold nothing of this companion's data. */
export function documentRoutes(version: string, apis: readonly DescribedApi[]): Hono<Env> {
  const app = new Hono<Env>();
  let document: string | undefined;

  app.get('/openapi.json', (c) => {
    document ??= JSON.stringify(openApiDocument(version, apis));
    return c.body(document, 200, { 'content-type': 'application/json' });
  });
  app.get('/docs', (c) => {
    c.header('content-security-policy', REFERENCE_POLICY);
    return c.html(referencePage(version, apis));
  });
  return app;
}
