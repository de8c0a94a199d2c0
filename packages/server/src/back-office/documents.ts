import { Hono } from 'hono';
import { z } from 'zod';
import { describe, type Json } from '../platform/http/openapi.ts';
import type { Env } from '../platform/http/requests.ts';

/**
 * `/openapi.json`, and `/docs`, which leads there. Neither holds data of this companion. A reference
 * page would weigh megabytes of script from outside in the process that holds the private key.
 */
export function documentRoutes(createDocument: () => Json): Hono<Env> {
  const app = new Hono<Env>();
  let document: string | undefined;

  app.get(
    '/openapi.json',
    describe({
      summary: 'This document',
      scope: 'none',
      priorities: [],
      budgets: { none: 'answers from memory' },
      maxBodyBytes: 0,
      answers: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
    }),
    (c) => {
      document ??= JSON.stringify(createDocument());
      return c.body(document, 200, { 'content-type': 'application/json' });
    },
  );

  app.get(
    '/docs',
    describe({
      summary: 'The way to this document',
      scope: 'none',
      priorities: [],
      budgets: { none: 'answers from memory' },
      maxBodyBytes: 0,
      answers: { 302: { description: 'To `openapi.json`.' } },
    }),
    (c) => c.redirect('openapi.json'),
  );
  return app;
}
