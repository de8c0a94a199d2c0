import { metricsRoute } from '@financing-checkout/kit/http';
import type { RenderedMetrics } from '@financing-checkout/kit/metrics';
import { Hono } from 'hono';
import { ProblemError } from '../../platform/problem.ts';
import { type Env, serve } from '../context.ts';
import { ofQuestion, operation } from '../operation.ts';

/** Renders the response to `GET /metrics`. */
export type RenderMetrics = () => Promise<RenderedMetrics>;

export const metricsOperations = {
  metrics: operation({ ...ofQuestion, ...metricsRoute, problems: ['not-found'] }),
};

/** @param render undefined: a command, which has no metrics */
export function metricsRoutes(render: RenderMetrics | undefined): Hono<Env> {
  const app = new Hono<Env>();
  serve(app, metricsOperations.metrics, async (c) => {
    if (render === undefined) {
      throw new ProblemError('not-found', { detail: 'Only "serve" has metrics.' });
    }
    const { contentType, text } = await render();
    return c.body(text, 200, { 'content-type': contentType });
  });
  return app;
}
