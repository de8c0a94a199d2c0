import { z } from 'zod';

/** The description of `GET /metrics`, which each program serves to callers with the scope `read`. */
export const metricsRoute = {
  method: 'get',
  path: '/metrics',
  summary: 'Measurements for Prometheus',
  maxBodyBytes: 0,
  answers: {
    200: {
      description: 'Text exposition format.',
      contentTypes: ['text/plain'],
      schema: z.string(),
    },
  },
} as const;
