import { answerDocument, type Json, route } from '@financing-checkout/kit/http';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '../platform/http/requests.ts';
import { serve } from '../platform/http/route.ts';

const ofMemory = {
  method: 'get',
  scope: 'none',
  priorities: [],
  budgets: { none: 'answers from memory' },
  maxBodyBytes: 0,
} as const;
const document = route({
  ...ofMemory,
  path: '/openapi.json',
  summary: 'This document',
  answers: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
});
const docs = route({
  ...ofMemory,
  path: '/docs',
  summary: 'The way to this document',
  answers: { 302: { description: 'To `openapi.json`.' } },
});

export const documentOperations = [document, docs];

/**
 * Serves `/openapi.json`, and `/docs`, which redirects there. Neither contains data from this
 * companion. An API reference page would add megabytes of third-party script to the process that
 * holds the private key.
 */
export function documentRoutes(createDocument: () => Json): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, document, answerDocument(createDocument));
  serve(app, docs, (c) => c.redirect('openapi.json'));
  return app;
}
